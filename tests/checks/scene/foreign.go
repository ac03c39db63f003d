package scene

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/stage"
)

// ForeignJob is a Job that looks like a step's Job, but has another owner.
type ForeignJob struct {
	Job  *batchv1.Job
	Step string
}

// TookForeign says whether a Job was created because a foreign one was Complete, and rewrites the finding accordingly.
// That is so if the step's own Job was not about to finish, or did not exist.
func (s *Scene) TookForeign(f *finding.Finding, owner *v1alpha1.SequentialJob, foreign []ForeignJob) bool {
	if broken, _ := f.Check.Invariant(); broken != invariants.I1 && broken != invariants.I2 {
		return false
	}
	run := s.Log.Run()
	created := run.Requests[f.Requests[0]-1]
	_, step, _ := strings.Cut(string(created.Call.Object), "/")
	place := func(step string) int {
		return slices.IndexFunc(owner.Spec.Steps, func(one v1alpha1.Step) bool { return one.Name == step })
	}
	var what []string
	for _, other := range foreign {
		complete := false
		var seen []uint64
		var own *batchv1.Job
		for change, job := range Seen[batchv1.Job](s, "jobs") {
			switch {
			case change.ResourceVersion >= created.ResourceVersion:
			case job.UID == other.Job.UID && (change.Type == "ADDED" || !complete && jobdriver.Holds(job, batchv1.JobComplete)):
				complete = jobdriver.Holds(job, batchv1.JobComplete)
				seen = append(seen, change.ResourceVersion)
			case metav1.IsControlledBy(job, owner) && stage.StepOf(job) == other.Step:
				own = job
			}
		}
		ends := own != nil && (jobdriver.Ended(own) || jobdriver.Holds(own, batchv1.JobSuccessCriteriaMet) || jobdriver.Holds(own, batchv1.JobFailureTarget))
		if complete && !ends && place(other.Step) < place(step) {
			what = append(what, other.mistaken(owner, own))
			f.Changes = append(slices.Clone(f.Changes), seen...)
		}
	}
	if len(what) == 0 {
		return false
	}
	f.What = strings.Join(what, "\n") + fmt.Sprintf("\nSo it created Job %s of step %s too early.", created.Object.Name, step)
	f.When = finding.Explain(run, f.Requests, f.Changes)
	return true
}

// mistaken says what a foreign Job was taken for, and who owns it. Own is the step's own Job; nil where it has none.
func (o ForeignJob) mistaken(owner *v1alpha1.SequentialJob, own *batchv1.Job) string {
	text := fmt.Sprintf("Job %s is foreign: ", o.Job.Name)
	if len(o.Job.Labels) > 0 {
		text += fmt.Sprintf("it has the labels of step %s's Job, but ", o.Step)
	}
	controller := metav1.GetControllerOf(o.Job)
	if controller.Kind == v1alpha1.Kind && controller.Name == owner.Name {
		text += fmt.Sprintf("its controller is an earlier %s %s (UID %s), not this one (UID %s). ",
			controller.Kind, controller.Name, controller.UID, owner.UID)
	} else {
		text += fmt.Sprintf("its controller is %s %s, not %s. ", controller.Kind, controller.Name, owner.Name)
	}
	text += fmt.Sprintf("When it was Complete, your controller mistook it for the Job of step %s, which ", o.Step)
	if own == nil {
		return text + "had no Job yet."
	}
	return text + fmt.Sprintf("is %s and had not finished.", own.Name)
}
