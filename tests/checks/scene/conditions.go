package scene

import (
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/sample"
)

// AddCondition has another client add a condition to a status.
func (s *Scene) AddCondition(name, conditionType string) {
	s.User("adds the condition %s to the status of %s", conditionType, name)
	s.Must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object := &v1alpha1.SequentialJob{}
		if err := s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, object); err != nil {
			return err
		}
		object.Status.Conditions = append(object.Status.Conditions, metav1.Condition{
			Type: conditionType, Status: metav1.ConditionTrue, Reason: "Checked", Message: "by another client", LastTransitionTime: metav1.Now(),
		})
		return s.Client.Status().Update(s.Context(), object)
	}))
}

// KeptConditions checks that conditions of other clients, once added, stayed as they were.
func (s *Scene) KeptConditions(name string, conditionTypes ...string) {
	added := map[string]metav1.Condition{}
	for _, v := range s.Versions(name) {
		for _, conditionType := range conditionTypes {
			now := meta.FindStatusCondition(v.Status.Conditions, conditionType)
			was, known := added[conditionType]
			switch {
			case known && now == nil:
				s.FindIn(v, "Another client had added the condition %s to the status of %s, and your controller wrote a status without it.",
					conditionType, name)
			case known && !equality.Semantic.DeepEqual(*now, was):
				s.FindIn(v, "Another client had added the condition %s to the status of %s, and your controller changed it (-before +after):\n%s",
					conditionType, name, cmp.Diff(was, *now))
			case now != nil:
				added[conditionType] = *now
			}
		}
	}
}

// DatesStay checks that the status of web never changes a time that it has given.
func (s *Scene) DatesStay() {
	before := map[string]string{}
	for _, v := range s.Versions(sample.Web) {
		dates := map[string]*metav1.Time{"startTime": v.Status.StartTime, "completionTime": v.Status.CompletionTime}
		for _, entry := range v.Status.Steps {
			dates["startTime of step "+entry.Name], dates["completionTime of step "+entry.Name] = entry.StartTime, entry.CompletionTime
		}
		for what, date := range dates {
			now := "none"
			if date != nil {
				now = Clock(*date)
			}
			if was := before[what]; was != "" && was != now {
				s.FindIn(v, "The status of web first gave %s as the %s, and then %s.", was, what, now)
			} else if date != nil {
				before[what] = now
			}
		}
	}
}

// Clock is a time of the day.
func Clock(t metav1.Time) string { return t.UTC().Format("15:04:05") }
