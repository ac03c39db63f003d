package scene

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/must"
)

func TestDiff(t *testing.T) {
	spec := func(retries int32, policy corev1.RestartPolicy) batchv1.JobSpec {
		return batchv1.JobSpec{
			BackoffLimit: &retries, Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				Containers:    []corev1.Container{{Name: "fetch", Image: "app:v1", Args: []string{"--depth", "1"}}},
				RestartPolicy: policy,
			}},
		}
	}
	for name, test := range map[string]struct {
		after batchv1.JobSpec
		want  string
	}{
		"equal": {spec(2, corev1.RestartPolicyNever), ""},
		"in two places": {spec(6, corev1.RestartPolicyOnFailure), finding.Kept(`-backoffLimit: 2
+backoffLimit: 6
 template:
   metadata: {}
   spec:
...
       image: app:v1
       name: fetch
       resources: {}
-    restartPolicy: Never
+    restartPolicy: OnFailure`)},
	} {
		got, err := Diff(spec(2, corev1.RestartPolicyNever), test.after)
		must.Succeed(t, err)
		assert.Equal(t, name, got, test.want)
	}
}
