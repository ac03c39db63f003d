package demo

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestWrongEndingsAreErrors(t *testing.T) {
	want := ending{
		summary: metav1.ConditionFalse, reason: v1alpha1.ReasonStepFailed, jobs: 2,
		states: []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped},
	}
	for name, test := range map[string]struct {
		edit func(*v1alpha1.SequentialJob)
		jobs int
		says string // empty where it ended well
	}{
		"as it must":          {jobs: 2},
		"a Job too many":      {jobs: 3, says: "there are 3 Jobs, want 2"},
		"a Job too few":       {jobs: 1, says: "there are 1 Jobs, want 2"},
		"no status":           {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Status = v1alpha1.SequentialJobStatus{} }, says: "no condition Succeeded"},
		"another summary":     {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Status.Conditions[0].Status = metav1.ConditionTrue }, says: "Succeeded is True (StepFailed: because), want False (StepFailed)"},
		"another reason":      {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Status.Conditions[0].Reason = v1alpha1.ReasonJobDeleted }, says: "Succeeded is False (JobDeleted: because)"},
		"a stale generation":  {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Generation = 2 }, says: "has observedGeneration 1, want 2"},
		"a step that ran":     {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Status.Steps[2].State = v1alpha1.StepSucceeded }, says: "step verify is Succeeded, want Skipped"},
		"a step that hangs":   {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Status.Steps[1].State = v1alpha1.StepRunning }, says: "step migrate is Running, want Failed"},
		"a step is missing":   {jobs: 2, edit: func(o *v1alpha1.SequentialJob) { o.Status.Steps = o.Status.Steps[:2] }, says: "the status has 2 steps, want 3"},
		"two things together": {jobs: 1, edit: func(o *v1alpha1.SequentialJob) { o.Status.Steps[0].State = v1alpha1.StepFailed }, says: "step backup is Failed, want Succeeded\nthere are 1 Jobs, want 2"},
	} {
		t.Run(name, func(t *testing.T) {
			object := failedSample()
			if test.edit != nil {
				test.edit(object)
			}
			err := want.check(object, test.jobs)
			switch {
			case test.says == "" && err != nil:
				t.Errorf("error: %v; want none", err)
			case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
				t.Errorf("error: %v; want one that says %q", err, test.says)
			}
		})
	}
}

func failedSample() *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Name: "failing-step", Generation: 1}}
	object.Status.Steps = []v1alpha1.StepStatus{
		{Name: "backup", State: v1alpha1.StepSucceeded},
		{Name: "migrate", State: v1alpha1.StepFailed},
		{Name: "verify", State: v1alpha1.StepSkipped},
	}
	object.Status.Conditions = []metav1.Condition{{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonStepFailed, Message: "because", ObservedGeneration: 1,
	}}
	return object
}
