package generated

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/stage"
)

// end lets everything come to its end: no fault strikes any more, the quota is off, and Jobs that run succeed. Then each
// SequentialJob must be as it has to be, nothing may be written, and a restart may change nothing.
func (p *player) end() {
	p.Stage.Disarm()
	p.Heal()
	p.recover(nil)
	if p.limited {
		p.quota([]string{"off"})
	}
	p.relabel()
	p.Sync()
	p.Let(p.othersAtTheEnd, p.missing)
	p.Rest()
	p.Restart()
	p.Rest()
	p.Let(p.othersAtTheEnd, p.missing)
	p.sameBuckets()
}

// relabel gives all Jobs their labels back. A user also changes the SequentialJobs: no event has told of what became of such a
// Job before, and a controller may look again only minutes later.
func (p *player) relabel() {
	for _, name := range p.names {
		for _, job := range p.Now(name).Jobs {
			if labels := p.labels[job.UID]; labels != nil {
				p.Relabel(job, labels)
			}
		}
		if len(p.labels) > 0 {
			p.label([]string{name})
		}
	}
	clear(p.labels)
}

// othersAtTheEnd lets a Job succeed once nobody else has anything to do.
func (p *player) othersAtTheEnd(ctx context.Context) (bool, error) {
	if acted, err := p.others(ctx); acted || err != nil {
		return acted, err
	}
	if p.provideNeeded() {
		return true, nil
	}
	for _, name := range p.names {
		now, err := p.World(name)
		if err != nil {
			return false, err
		}
		for _, job := range now.Jobs {
			if p.runs(now, job) {
				return true, p.Driver.Complete(ctx, job)
			}
		}
	}
	return false, nil
}

// missing is what is not as it has to be at the end, of the first SequentialJob of which something is not. A crash may have come
// last, after which nothing is missing of them.
func (p *player) missing() string {
	if _, _, killed := p.Current(); killed {
		return "the controller has crashed, and its next process has not started"
	}
	fates := p.fates()
	for _, name := range p.names {
		now, err := p.World(name)
		p.Must(err)
		if what := p.missingOf(name, now, fates); what != "" {
			return what
		}
	}
	return p.missingOfWorkspaces()
}

func (p *player) missingOf(name string, now stage.World, fates map[place]fate) string {
	object := now.Object
	switch {
	case object == nil && p.mayBeGone(name):
		return ""
	case object == nil:
		return fmt.Sprintf("%s is gone, and nobody has deleted it", name)
	case object.DeletionTimestamp != nil:
		return fmt.Sprintf("%s is being deleted, and is still there", name)
	case object.Spec.ManagedBy != nil:
		p.LeftAlone(name)
		return ""
	}
	if ttl := object.Spec.TTLSecondsAfterFinished; ttl != nil && *ttl == 0 && scene.HasEnded(&object.Status) {
		return fmt.Sprintf("the time to live of %s has passed, but it still exists. Its status: %s", name, scene.Says(&object.Status))
	}
	outcome, what := outcomeOf(name, object, fates)
	isSuspended := ptr.Deref(object.Spec.Suspend, false)
	switch {
	case isSuspended && object.Spec.ActiveDeadlineSeconds != nil && scene.HasEnded(&object.Status): // before it was suspended
		return ""
	case isSuspended && outcome == metav1.ConditionUnknown:
		return p.missingOfSuspended(name, now)
	case isSuspended: // its last Job may have ended before or after
		return ""
	case object.Spec.ActiveDeadlineSeconds != nil:
		return missingOfLimited(name, &object.Status)
	case outcome == metav1.ConditionUnknown:
		return what
	case !p.Reports():
		return ""
	}
	if !meta.IsStatusConditionPresentAndEqual(object.Status.Conditions, v1alpha1.ConditionSucceeded, outcome) {
		return fmt.Sprintf("the condition Succeeded of %s is not %s, although %s. Its status: %s", name, outcome, what, scene.Says(&object.Status))
	}
	return ""
}

// mayBeGone says whether a SequentialJob may have been removed: by a user, or by its TTL.
func (p *player) mayBeGone(name string) bool {
	gone := true
	for change, object := range scene.Seen[v1alpha1.SequentialJob](p.Scene, kinds.SequentialJob.Resource) {
		if object.Name == name {
			gone = change.Type == "DELETED" && (p.deleted[object.UID] || object.Spec.TTLSecondsAfterFinished != nil)
		}
	}
	return gone
}

// missingOfLimited is what is not as it has to be about a SequentialJob with a deadline, which may pass at any time.
func missingOfLimited(name string, status *v1alpha1.SequentialJobStatus) string {
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	if summary == nil || summary.Status == metav1.ConditionUnknown {
		return fmt.Sprintf("%s has a deadline that has passed, and has not ended. Its status: %s", name, scene.Says(status))
	}
	return ""
}

// missingOfSuspended is what is not as it has to be about a suspended SequentialJob.
func (p *player) missingOfSuspended(name string, now stage.World) string {
	for _, job := range now.Jobs {
		if metav1.IsControlledBy(job, now.Object) && !jobdriver.Ended(job) && !jobdriver.IsSuspended(job) {
			return fmt.Sprintf("%s is suspended, but its Job %s is not", name, job.Name)
		}
	}
	if p.Reports() && !meta.IsStatusConditionTrue(now.Object.Status.Conditions, v1alpha1.ConditionSuspended) {
		return fmt.Sprintf("%s is suspended, but its condition Suspended is not True. Its status: %s", name, scene.Says(&now.Object.Status))
	}
	return ""
}

// place is a step of a SequentialJob.
type place struct {
	owner types.UID
	step  string
}

// fate is what has become of a step's Job.
type fate string

const (
	unfinished fate = "has not finished"
	succeeded  fate = "has succeeded"
	failed     fate = "has failed"
	removed    fate = "was removed while it ran"
)

// fates are those of all Jobs of SequentialJobs there have ever been.
func (p *player) fates() map[place]fate {
	all := map[place]fate{}
	for change, job := range scene.Seen[batchv1.Job](p.Scene, kinds.Job.Resource) {
		owner := metav1.GetControllerOf(job)
		if owner == nil || owner.Kind != v1alpha1.Kind {
			continue
		}
		at := place{owner.UID, stage.StepOf(job)}
		switch {
		case jobdriver.Holds(job, batchv1.JobComplete):
			all[at] = succeeded
		case jobdriver.Holds(job, batchv1.JobFailed):
			all[at] = failed
		case change.Type == "DELETED":
			all[at] = removed
		default:
			all[at] = unfinished
		}
	}
	return all
}

// outcomeOf is how the run of a SequentialJob must have ended, and why: Unknown when it has not.
func outcomeOf(name string, object *v1alpha1.SequentialJob, fates map[place]fate) (outcome metav1.ConditionStatus, why string) {
	started := object.Spec.StartAt == nil
	for _, step := range object.Spec.Steps {
		started = started || *object.Spec.StartAt == step.Name
		if !started {
			continue
		}
		switch became, known := fates[place{object.UID, step.Name}]; {
		case !known:
			return metav1.ConditionUnknown, fmt.Sprintf("step %s of %s has no Job, although nothing keeps it from starting", step.Name, name)
		case became == unfinished:
			return metav1.ConditionUnknown, fmt.Sprintf("the Job of step %s of %s has not finished: it is suspended, or is being deleted", step.Name, name)
		case became != succeeded && step.OnFailure != v1alpha1.FailurePolicyContinue:
			return metav1.ConditionFalse, fmt.Sprintf("the Job of step %s %s", step.Name, became)
		}
	}
	return metav1.ConditionTrue, "each of its steps has ended"
}
