package worlds

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/sample"
)

func crowded() World {
	return World{
		Name: "crowded",
		Says: "The namespace has more than fifty other Jobs. Some have the names, labels and owner names of web's Jobs, and other " +
			"owners. Other SequentialJobs run at the same time. One of them is deleted and created again under the same name, with " +
			"the labels and annotations that it had. Two belong to other controllers.",
		Mimics:     true,
		Bystanders: 55,
		Throng:     "3.4",
		Runs: []Run{
			{Name: sample.Web + "-" + sample.Build, Steps: sample.ThreeSteps()}, // as a step's Job may be named
			{Name: "again", Steps: sample.Steps(sample.Fetch, sample.Build), Again: true},
			{Name: "alien", Steps: sample.Steps(sample.Fetch), ManagedBy: "example.com/another"},
			{Name: "sibling", Steps: sample.Steps(sample.Fetch), ManagedBy: v1alpha1.ControllerName + "-2"},
		},
	}
}

func odd() World {
	longest := "a-step-whose-name-is-as-long-as-possible" // with the object's name, 63 characters
	return World{
		Name: "odd",
		Says: "Other SequentialJobs are unusual but valid: a single step with the longest name, steps whose names are prefixes of each " +
			"other, Jobs with several pods or with policies, a template with the labels of another run. Other programs have added labels, a " +
			"finalizer and a condition. One SequentialJob is being deleted, and another program's finalizer keeps it.",
		Runs: []Run{
			{Name: "name-that-fills-it-all", Steps: []v1alpha1.Step{copied(longest)}},
			{
				Name: "prefixes", Steps: sample.Steps("build-image", "build", "build-image-2"), Condition: "example.com/Checked",
				Object: func(object *v1alpha1.SequentialJob) {
					object.Labels = map[string]string{"app.kubernetes.io/managed-by": "somebody"}
					object.Finalizers = []string{Archived}
				},
			},
			{Name: "leaving", Steps: sample.Steps(sample.Fetch), Leaving: true},
			{Name: "shapes", Object: itsOwn, Steps: []v1alpha1.Step{
				shaped("parallel", func(job *batchv1.JobSpec) { job.Parallelism = new(int32(3)) }),
				shaped("indexed", func(job *batchv1.JobSpec) {
					job.CompletionMode, job.Completions = new(batchv1.IndexedCompletion), new(int32(3))
					job.BackoffLimitPerIndex, job.MaxFailedIndexes = new(int32(1)), new(int32(1))
					job.SuccessPolicy = &batchv1.SuccessPolicy{Rules: []batchv1.SuccessPolicyRule{{SucceededIndexes: new("0")}}}
				}),
				shaped("policy", func(job *batchv1.JobSpec) {
					job.ActiveDeadlineSeconds, job.PodReplacementPolicy = new(int64(86400)), new(batchv1.Failed)
					job.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
						Action:          batchv1.PodFailurePolicyActionIgnore,
						OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
					}}}
				}),
			}},
		},
	}
}

// copied is a step whose template was copied from a Job of another run, with the labels of that.
func copied(name string) v1alpha1.Step {
	step := sample.Step(name)
	step.JobTemplate.Labels = map[string]string{v1alpha1.LabelSequentialJob: "another", v1alpha1.LabelStep: "another", "team": "data", "kueue.x-k8s.io/queue-name": "data"}
	step.JobTemplate.Annotations = map[string]string{"example.com/runbook": "copied", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:00:00Z"}
	return step
}

// itsOwn sets what concerns a SequentialJob, and not its Jobs.
func itsOwn(object *v1alpha1.SequentialJob) {
	object.Labels = map[string]string{"app.kubernetes.io/instance": "pipelines"}
	object.Annotations = map[string]string{"argocd.argoproj.io/tracking-id": "pipelines:shapes"}
	object.Spec.TTLSecondsAfterFinished = new(int32(86400))
}

func shaped(name string, shape func(*batchv1.JobSpec)) v1alpha1.Step {
	step := sample.Step(name)
	shape(&step.JobTemplate.Spec)
	return step
}

func hard() World {
	return World{
		Name: "hard",
		Says: "The API server fails some reads. In other SequentialJobs the first, the last or the only step fails, and the first " +
			"request for each of their Jobs fails too. At the end, watches are interrupted until they have to list again.",
		Expire: true,
		Faults: []string{"answer 500: next 1 reads jobs", "answer 504: next 1 reads sequentialjobs"},
		Runs: []Run{
			{Name: "fails-first", Steps: sample.Steps(sample.Fetch, sample.Build), Fails: sample.Fetch, Faults: []string{"answer 504: next 1 writes jobs fails-first/fetch"}},
			{Name: "fails-last", Steps: sample.ThreeSteps(), Fails: sample.Ship, Reason: batchv1.JobReasonDeadlineExceeded, Faults: []string{
				"answer 429: next 1 writes jobs fails-last/fetch", "answer 409: next 1 writes jobs fails-last/build", "answer 504: next 1 writes jobs fails-last/ship",
			}},
			{Name: "fails-only", Steps: sample.Steps(sample.Build), Fails: sample.Build, Reason: batchv1.JobReasonPodFailurePolicy, Faults: []string{"lose request: next 1 writes jobs fails-only/build"}},
		},
	}
}
