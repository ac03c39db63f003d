package scene

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/stage"
)

// ForeignJob is a Job that seems to be a step's, and is not.
type ForeignJob struct {
	Job  *batchv1.Job
	Step string
}

// TookForeign says whether a Job was created because somebody else's was Complete, and puts the finding in
// these words. That is so when the Job of that step was not about to end, or was not there.
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
	var shown []uint64
	for _, other := range foreign {
		complete := false
		var seen []uint64
		var own *batchv1.Job
		for _, change := range run.Changes {
			if change.Resource != "jobs" || change.ResourceVersion >= created.ResourceVersion {
				continue
			}
			job := &batchv1.Job{}
			s.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, job))
			switch {
			case job.UID == other.Job.UID && (change.Type == "ADDED" || !complete && jobdriver.Holds(job, batchv1.JobComplete)):
				complete = jobdriver.Holds(job, batchv1.JobComplete)
				seen = append(seen, change.ResourceVersion)
			case metav1.IsControlledBy(job, owner) && stage.StepOf(job) == other.Step:
				own = job
			}
		}
		ends := own != nil && (jobdriver.Ended(own) || jobdriver.Holds(own, batchv1.JobSuccessCriteriaMet) || jobdriver.Holds(own, batchv1.JobFailureTarget))
		if !complete || ends || place(other.Step) >= place(step) {
			continue
		}
		what = append(what, other.mistaken(owner, own))
		shown = append(shown, seen...)
	}
	if len(what) == 0 {
		return false
	}
	f.What = strings.Join(what, "\n") + fmt.Sprintf("\nSo it created Job %s of step %s too early.", created.Object.Name, step)
	f.Changes = append(slices.Clone(f.Changes), shown...)
	f.When = finding.Explain(run, f.Requests, f.Changes)
	return true
}

// mistaken says for what somebody else's Job was taken, and what shows whose it is. own is the Job that the
// step has, if it has one.
func (o ForeignJob) mistaken(owner *v1alpha1.SequentialJob, own *batchv1.Job) string {
	text := fmt.Sprintf("Job %s is somebody else's: ", o.Job.Name)
	if len(o.Job.Labels) > 0 {
		text += fmt.Sprintf("it bears the labels of step %s's Job, but ", o.Step)
	}
	controller := metav1.GetControllerOf(o.Job)
	if controller.Kind == v1alpha1.Kind && controller.Name == owner.Name {
		text += fmt.Sprintf("it is controlled by an earlier %s %s (UID %s), and not by this one (UID %s). ",
			controller.Kind, controller.Name, controller.UID, owner.UID)
	} else {
		text += fmt.Sprintf("it is controlled by %s %s, and not by %s. ", controller.Kind, controller.Name, owner.Name)
	}
	text += fmt.Sprintf("When it was Complete, your controller took it for the Job of step %s, which ", o.Step)
	if own == nil {
		return text + "had none yet."
	}
	return text + fmt.Sprintf("is %s and had not finished.", own.Name)
}
