package scene

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// Elapse makes what the status of SequentialJobs says as old as if so much more time had passed since. That is all that a
// controller knows of the past when its next process starts, so none may run meanwhile.
func (s *Scene) Elapse(by time.Duration, names ...string) {
	for _, name := range names {
		s.Log.Stimulate("clock", fmt.Sprintf("lets %s pass for %s: each time in its status moves back by as much", by, name))
		s.EditStatus(name, func(status *v1alpha1.SequentialJobStatus) {
			age(by, status.StartTime, status.CompletionTime)
			for i := range status.Steps {
				age(by, status.Steps[i].StartTime, status.Steps[i].CompletionTime)
			}
			for i := range status.Conditions {
				age(by, &status.Conditions[i].LastTransitionTime)
			}
		})
	}
}

// age moves times back; nil stays nil.
func age(by time.Duration, times ...*metav1.Time) {
	for _, one := range times {
		if one != nil {
			*one = metav1.NewTime(one.Add(-by))
		}
	}
}
