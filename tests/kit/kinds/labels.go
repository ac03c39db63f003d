package kinds

import batchv1 "k8s.io/api/batch/v1"

// GeneratedLabels are the labels that the API server gives each Job and its pods, with values of their own.
var GeneratedLabels = []string{batchv1.JobNameLabel, batchv1.ControllerUidLabel, "job-name", "controller-uid"}
