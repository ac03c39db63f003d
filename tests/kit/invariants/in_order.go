package invariants

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// inOrder is I2. What the history showed at any time before counts, though the Job that showed it
// may be gone by now.
func inOrder(p *past, _ Options) []Violation {
	var violations []Violation
	for _, j := range p.jobs {
		s := find(p.sequences, j.owner)
		if j.created == nil || s == nil {
			continue
		}
		if fault := p.outOfOrder(s, j); fault != "" {
			violations = append(violations, j.violation(fmt.Sprintf("Job %s was created, but %s.", j.name, fault)))
		}
	}
	return violations
}

func (p *past) outOfOrder(s *sequence, j *job) string {
	place := s.step(j.step)
	if place < 0 {
		return fmt.Sprintf("the step that its first container names, %q, is not in spec.steps of %s", j.step, s.name)
	}
	if place < s.first() {
		return fmt.Sprintf("step %q of %s is before startAt", j.step, s.name)
	}
	for _, step := range s.steps()[s.first():place] {
		if fault := p.notOver(s, step, j.bornAt()); fault != "" {
			return fault
		}
	}
	return ""
}

// notOver says why the run could not continue after a step at a resourceVersion; empty when it could.
// Where the step may fail, it is taken from the status too that it did: its Job may have been
// refused. I6 says whether that is true.
func (p *past) notOver(s *sequence, step stepSpec, now uint64) string {
	mayFail := step.OnFailure == v1alpha1.FailurePolicyContinue
	fault := fmt.Sprintf("step %q before it had no Job", step.Name)
	for _, j := range p.jobsOf(s, step.Name) {
		if j.bornAt() >= now {
			continue
		}
		switch {
		case j.ever(now, (*jobObject).complete):
			return ""
		case j.ever(now, (*jobObject).failed) && mayFail:
			return ""
		case j.ever(now, (*jobObject).failed):
			fault = fmt.Sprintf("step %q before it had failed, and its onFailure is not Continue", step.Name)
		case j.lost(now):
			fault = fmt.Sprintf("Job %s of step %q before it had been deleted without having finished", j.name, step.Name)
		case j.ever(now, func(o *jobObject) bool { return o.says(batchv1.JobSuccessCriteriaMet) }):
			fault = fmt.Sprintf("Job %s of step %q before it was not Complete, only SuccessCriteriaMet", j.name, step.Name)
		default:
			fault = fmt.Sprintf("Job %s of step %q before it had not finished", j.name, step.Name)
		}
	}
	recorded := func(o *sequentialJob) bool {
		entry := o.step(step.Name)
		return entry != nil && entry.State == v1alpha1.StepFailed
	}
	if mayFail && s.ever(now, recorded) {
		return ""
	}
	return fault
}

// jobsOf returns the Jobs of a step, whatever client created them.
func (p *past) jobsOf(s *sequence, step string) []*job {
	return slices.DeleteFunc(slices.Clone(p.jobs), func(j *job) bool { return j.owner != s.uid || j.step != step })
}
