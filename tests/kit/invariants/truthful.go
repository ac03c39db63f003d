package invariants

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

// truthful is I6. It judges only the claims that are new in a status, so that a false claim is reported once. A
// status claims nothing about what it does not mention. The status that a SequentialJob was created with is not
// the controller's claim.
func truthful(p *past, _ Options) []Violation {
	var violations []Violation
	for _, s := range p.sequences {
		if s.managedElsewhere() {
			continue
		}
		for i := 1; i < len(s.versions); i++ {
			before, now := &s.versions[i-1], &s.versions[i]
			for _, fault := range append(p.stepFaults(s, before, now), p.conditionFaults(s, before, now)...) {
				violation := p.violation(fmt.Sprintf("The status of SequentialJob %s %s.", s.name, fault), now.change)
				violation.Changes = []uint64{before.change.ResourceVersion, now.change.ResourceVersion}
				violations = append(violations, violation)
			}
		}
	}
	return violations
}

func (p *past) stepFaults(s *sequence, before, now *version[sequentialJob]) []string {
	var faults []string
	for _, old := range before.object.Status.Steps {
		if entry := now.object.step(old.Name); entry == nil && old.State != v1alpha1.StepPending {
			faults = append(faults, fmt.Sprintf("no longer mentions step %q, which was %s", old.Name, old.State))
		}
	}
	for _, entry := range now.object.Status.Steps {
		old := v1alpha1.StepPending
		if known := before.object.step(entry.Name); known != nil {
			old = known.State
		}
		switch {
		case old == entry.State:
		case old != v1alpha1.StepPending && old != v1alpha1.StepRunning, entry.State == v1alpha1.StepPending:
			faults = append(faults, fmt.Sprintf("says that step %q is %s; before, it was %s", entry.Name, entry.State, old))
		default:
			if fault := p.falseState(s, now, entry); fault != "" {
				faults = append(faults, fmt.Sprintf("says that step %q is %s, but %s", entry.Name, entry.State, fault))
			}
		}
	}
	return faults
}

// falseState says what speaks against a step's state in a version of the status; empty for nothing.
func (p *past) falseState(s *sequence, now *version[sequentialJob], entry v1alpha1.StepStatus) string {
	at := now.change.ResourceVersion
	place := s.step(entry.Name)
	if place < 0 {
		return "spec.steps has no such step"
	}
	switch entry.State {
	case v1alpha1.StepRunning:
		if !p.appeared(s, entry.Name, at) {
			return "no Job of it had been there"
		}
	case v1alpha1.StepSucceeded:
		if !p.completed(s, entry.Name, at) {
			return "no Job of it had shown Complete"
		}
	case v1alpha1.StepFailed:
		if !p.stepFailed(s, now, entry.Name) && !s.limited(at) {
			return "no Job of it had failed, vanished, or been refused by the API server"
		}
	case v1alpha1.StepSkipped:
		if place >= s.first() && !p.runFailed(s, now, place) && !s.saidFailed(at) {
			return "it does not lie before startAt, and nothing had failed"
		}
	}
	return ""
}

func (p *past) conditionFaults(s *sequence, before, now *version[sequentialJob]) []string {
	var faults []string
	for _, verdict := range []metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse} {
		said, says := before.object.says(v1alpha1.ConditionSucceeded, verdict), now.object.says(v1alpha1.ConditionSucceeded, verdict)
		switch {
		case said && !says:
			faults = append(faults, fmt.Sprintf("said Succeeded=%s, which is final, and no longer says so", verdict))
		case says && !said && verdict == metav1.ConditionTrue:
			if fault := p.unfinishedBusiness(s, now); fault != "" {
				faults = append(faults, "says Succeeded=True, but "+fault)
			}
		case says && !said:
			if !p.runFailed(s, now, len(s.steps())) {
				fault := "says Succeeded=False, but no step had failed that must not fail, and there is no deadline"
				if name := s.workspaceName(); name != "" {
					fault += ", and Workspace " + name + " had its files"
				}
				faults = append(faults, fault)
			}
		}
	}
	if now.object.says(v1alpha1.ConditionSuspended, metav1.ConditionTrue) && !before.object.says(v1alpha1.ConditionSuspended, metav1.ConditionTrue) {
		if fault := p.notSuspended(s, now.change.ResourceVersion); fault != "" {
			faults = append(faults, fmt.Sprintf("says Suspended=True, but %s (it also says: %s)", fault, now.object.summary()))
		}
	}
	if before.object.says(v1alpha1.ConditionSuspended, metav1.ConditionTrue) && now.object.says(v1alpha1.ConditionSuspended, metav1.ConditionFalse) {
		if j := p.stillSuspended(s, before, now); j != nil {
			faults = append(faults, fmt.Sprintf("says Suspended=False, which was True before, but spec.suspend was still true, and Job %s still suspended", j.name))
		}
	}
	return faults
}

// stillSuspended returns an unfinished Job that was suspended all the time between two versions of a
// SequentialJob that asked for it; nil where there is none.
func (p *past) stillSuspended(s *sequence, before, now *version[sequentialJob]) *job {
	if !before.object.Spec.Suspend || !now.object.Spec.Suspend {
		return nil
	}
	for _, j := range p.made(s.uid) {
		first, last := j.at(before.change.ResourceVersion), j.at(now.change.ResourceVersion)
		if first != nil && last != nil && first.change.ResourceVersion == last.change.ResourceVersion &&
			last.object.unfinished() && last.object.DeletionTimestamp == nil && last.object.says(batchv1.JobSuspended) {
			return j
		}
	}
	return nil
}

// unfinishedBusiness says which step is in the way of Succeeded=True; empty for none. Where the status
// has an entry for the step, that has been judged by itself.
func (p *past) unfinishedBusiness(s *sequence, now *version[sequentialJob]) string {
	for _, step := range s.steps()[s.first():] {
		mayFail := step.OnFailure == v1alpha1.FailurePolicyContinue
		entry := now.object.step(step.Name)
		switch {
		case entry == nil && p.completed(s, step.Name, now.change.ResourceVersion),
			entry == nil && mayFail && p.stepFailed(s, now, step.Name),
			entry != nil && entry.State == v1alpha1.StepSucceeded,
			entry != nil && entry.State == v1alpha1.StepFailed && mayFail:
		case entry == nil:
			return fmt.Sprintf("no Job of step %q had shown Complete", step.Name)
		default:
			return fmt.Sprintf("step %q is %s", step.Name, entry.State)
		}
	}
	return ""
}

// appeared says whether there had been a Job of a step before a resourceVersion.
func (p *past) appeared(s *sequence, step string, before uint64) bool {
	return slices.ContainsFunc(p.jobsOf(s, step), func(j *job) bool { return j.bornAt() < before })
}

// completed says whether a Job of a step had shown Complete before a resourceVersion.
func (p *past) completed(s *sequence, step string, before uint64) bool {
	return slices.ContainsFunc(p.jobsOf(s, step), func(j *job) bool { return j.ever(before, (*jobObject).complete) })
}

// stepFailed says whether there was a reason to call a step failed: its Job had failed or vanished,
// or the API server had refused it.
func (p *past) stepFailed(s *sequence, now *version[sequentialJob], step string) bool {
	at := now.change.ResourceVersion
	gone := slices.ContainsFunc(p.jobsOf(s, step), func(j *job) bool { return j.lost(at) || j.ever(at, (*jobObject).failed) })
	return gone || p.refused(s, now, step)
}

// refused says whether the API server had refused a step's Job, and none had been created all the same.
func (p *past) refused(s *sequence, now *version[sequentialJob], step string) bool {
	if p.appeared(s, step, now.change.ResourceVersion) {
		return false
	}
	for _, request := range p.run.Requests {
		if request.Call.Resource == jobs && request.Write() && request.Call.Object == history.Logical(s.name+"/"+step) &&
			request.Code >= http.StatusBadRequest && request.Code < http.StatusInternalServerError && request.Received < now.change.Seen {
			return true
		}
	}
	return false
}

// runFailed says whether there was a reason to call the run failed because of a step before a place:
// one failed that must not, or there is a deadline. What the status calls succeeded is none, though
// its Job be gone. A refused Job may count whatever the step's onFailure says, as it shows that the
// spec is wrong.
func (p *past) runFailed(s *sequence, now *version[sequentialJob], place int) bool {
	for i, step := range s.steps() {
		state := v1alpha1.StepPending
		if entry := now.object.step(step.Name); entry != nil {
			state = entry.State
		}
		if i >= place || state == v1alpha1.StepSucceeded {
			continue
		}
		said := state == v1alpha1.StepFailed
		if step.OnFailure != v1alpha1.FailurePolicyContinue && (said || p.stepFailed(s, now, step.Name)) || p.refused(s, now, step.Name) {
			return true
		}
	}
	return s.limited(now.change.ResourceVersion) || p.lostWorkspace(s, now.change.ResourceVersion)
}

// notSuspended says why the run was not suspended right before a resourceVersion; empty when it was.
// A Job that is being deleted and has no pods is stopped as well as one that is suspended.
func (p *past) notSuspended(s *sequence, at uint64) string {
	if !s.ever(at, func(o *sequentialJob) bool { return o.Spec.Suspend }) {
		return "spec.suspend had never been true"
	}
	for _, j := range p.made(s.uid) {
		version := j.at(at)
		switch {
		case version == nil, !version.object.unfinished(), p.late(j):
		case version.object.Status.Active > 0:
			return fmt.Sprintf("Job %s had active pods", j.name)
		case ptr.Deref(version.object.Status.Terminating, 0) > 0:
			return fmt.Sprintf("Job %s had pods that were still terminating (status.terminating)", j.name)
		case version.object.DeletionTimestamp == nil && !version.object.Spec.Suspend:
			return fmt.Sprintf("Job %s was not suspended", j.name)
		case version.object.DeletionTimestamp == nil && !version.object.says(batchv1.JobSuspended) && j.ever(at, (*jobObject).mayRun):
			return fmt.Sprintf("the Job controller had not confirmed that Job %s is suspended, by its condition Suspended: until then it may "+
				"have pods that are not counted yet", j.name)
		}
	}
	return ""
}

// summary is what a status says of the steps, and why it says that the run is suspended.
func (o *sequentialJob) summary() string {
	var parts []string
	for _, step := range o.Status.Steps {
		parts = append(parts, fmt.Sprintf("step %s %s", step.Name, step.State))
	}
	if suspended := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionSuspended); suspended != nil {
		parts = append(parts, fmt.Sprintf("%s: %s", suspended.Reason, suspended.Message))
	}
	return strings.Join(parts, ", ")
}

// limited says whether the run had ever had a deadline by a resourceVersion.
func (s *sequence) limited(at uint64) bool {
	return s.ever(at, func(o *sequentialJob) bool { return o.Spec.ActiveDeadlineSeconds != nil })
}

// saidFailed says whether the status had ever said that the run has failed by a resourceVersion.
func (s *sequence) saidFailed(at uint64) bool {
	return s.ever(at, func(o *sequentialJob) bool { return o.says(v1alpha1.ConditionSucceeded, metav1.ConditionFalse) })
}
