package invariants

import (
	"fmt"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// generations is I7. A generation that is not set says nothing, unless it was set before.
func generations(p *past, options Options) []Violation {
	var violations []Violation
	for _, s := range p.sequences {
		for i := 1; i < len(s.versions); i++ {
			now := &s.versions[i]
			for _, fault := range generationFaults(&s.versions[i-1].object, &now.object) {
				violations = append(violations, p.violation(fmt.Sprintf("SequentialJob %s: %s.", s.name, fault), now.change))
			}
		}
		last := s.last()
		if options.AtRest && s.gone == nil && last.object.DeletionTimestamp == nil {
			for _, fault := range behindFaults(&last.object) {
				violations = append(violations, Violation{
					What: fmt.Sprintf("SequentialJob %s: %s.", s.name, fault), At: last.change.Seen, Changes: []uint64{last.change.ResourceVersion},
				})
			}
		}
	}
	return violations
}

func generationFaults(before, now *sequentialJob) []string {
	var faults []string
	judge := func(name string, said, says int64, known bool) {
		switch {
		case says > now.Generation && (!known || says != said):
			faults = append(faults, fmt.Sprintf("%s is %d, ahead of metadata.generation, which is %d", name, says, now.Generation))
		case known && says < said:
			faults = append(faults, fmt.Sprintf("%s went back from %d to %d", name, said, says))
		}
	}
	judge("status.observedGeneration", before.Status.ObservedGeneration, now.Status.ObservedGeneration, true)
	for _, condition := range now.Status.Conditions {
		said := int64(0)
		known := before.condition(condition.Type)
		if known != nil {
			said = known.ObservedGeneration
		}
		judge("observedGeneration of the condition "+condition.Type, said, condition.ObservedGeneration, known != nil)
	}
	return faults
}

// behindFaults are what is not up to date at rest. A status without conditions and observedGeneration is
// that of a controller that reports neither, or that leaves the object to another.
func behindFaults(last *sequentialJob) []string {
	var faults []string
	observed := last.Status.ObservedGeneration
	if observed != last.Generation && (observed != 0 || len(last.Status.Conditions) > 0) {
		faults = append(faults, fmt.Sprintf("at rest, status.observedGeneration is %d and metadata.generation %d", observed, last.Generation))
	}
	for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded} {
		condition := last.condition(conditionType)
		if condition != nil && condition.ObservedGeneration != 0 && condition.ObservedGeneration != last.Generation {
			faults = append(faults, fmt.Sprintf("at rest, observedGeneration of the condition %s is %d and metadata.generation %d",
				conditionType, condition.ObservedGeneration, last.Generation))
		}
	}
	return faults
}
