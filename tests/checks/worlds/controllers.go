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
		Says: "Other owners have Jobs with the names, labels and owner names of web's Jobs. Other SequentialJobs run at the same time, " +
			"and one of them is deleted and created again under the same name.",
		Mimics: true,
		Runs: []Run{
			{Name: sample.Web + "-" + sample.Build, Steps: sample.ThreeSteps()}, // as a step's Job may be named
			{Name: "again", Steps: sample.Steps(sample.Fetch, sample.Build), Again: true},
		},
	}
}

func odd() World {
	longest := "a-step-whose-name-is-as-long-as-possible"
	return World{
		Name: "odd",
		Says: "Other SequentialJobs are unusual but valid: a single step with the longest name, steps whose names are prefixes of each " +
			"other, Jobs with several pods. Other programs have added labels, a finalizer and a condition.",
		Runs: []Run{
			{Name: "one", Steps: sample.Steps(longest)},
			{
				Name: "prefixes", Steps: sample.Steps("build-image", "build", "build-image-2"), Condition: "example.com/Checked",
				Object: func(object *v1alpha1.SequentialJob) {
					object.Labels = map[string]string{"app.kubernetes.io/managed-by": "somebody"}
					object.Finalizers = []string{"example.com/archive"}
				},
			},
			{Name: "shapes", Steps: []v1alpha1.Step{
				shaped("parallel", func(job *batchv1.JobSpec) { job.Parallelism = new(int32(3)) }),
				shaped("indexed", func(job *batchv1.JobSpec) {
					job.CompletionMode, job.Completions = new(batchv1.IndexedCompletion), new(int32(1))
					job.BackoffLimitPerIndex = new(int32(1))
				}),
				shaped("policy", func(job *batchv1.JobSpec) {
					job.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
						Action:          batchv1.PodFailurePolicyActionIgnore,
						OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
					}}}
				}),
			}},
		},
	}
}

func shaped(name string, shape func(*batchv1.JobSpec)) v1alpha1.Step {
	step := sample.Step(name)
	shape(&step.JobTemplate.Spec)
	return step
}

func hard() World {
	return World{
		Name:   "hard",
		Says:   "The API server fails some reads. In other SequentialJobs the first, the last or the only step fails.",
		Faults: []string{"answer 500: next 1 reads jobs", "answer 504: next 1 reads sequentialjobs"},
		Runs: []Run{
			{Name: "fails-first", Steps: sample.Steps(sample.Fetch, sample.Build), Fails: sample.Fetch},
			{Name: "fails-last", Steps: sample.Steps(sample.Fetch, sample.Ship), Fails: sample.Ship},
			{Name: "fails-only", Steps: sample.Steps(sample.Build), Fails: sample.Build},
		},
	}
}
