package scene

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/sample"
)

// AddCondition has another client add a condition to a status.
func (s *Scene) AddCondition(name, conditionType string) {
	s.User("adds the condition %s to the status of %s", conditionType, name)
	s.EditStatus(name, func(status *v1alpha1.SequentialJobStatus) {
		status.Conditions = append(status.Conditions, metav1.Condition{
			Type: conditionType, Status: metav1.ConditionTrue, Reason: "Checked", Message: "by another client", LastTransitionTime: metav1.Now(),
		})
	})
}

// EditStatus has another client change a status.
func (s *Scene) EditStatus(name string, change func(*v1alpha1.SequentialJobStatus)) {
	s.Must(retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object := &v1alpha1.SequentialJob{}
		if err := s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, object); err != nil {
			return err
		}
		change(&object.Status)
		return s.Client.Status().Update(s.Context(), object)
	}))
}

// KeptConditions checks that conditions of other clients, once added, stayed as they were.
func (s *Scene) KeptConditions(name string, conditionTypes ...string) {
	added, addedIn := map[string]metav1.Condition{}, map[string]version{}
	for _, v := range s.Versions(name) {
		for _, conditionType := range conditionTypes {
			now := meta.FindStatusCondition(v.Status.Conditions, conditionType)
			was, known := added[conditionType]
			switch {
			case known && now == nil:
				s.findAfter(addedIn[conditionType], v, "Another client had added the condition %s to the status of %s, and your controller "+
					"wrote a status without it.", conditionType, name)
			case known && !equality.Semantic.DeepEqual(*now, was):
				s.findAfter(addedIn[conditionType], v, "Another client had added a condition to the status of %s, and your controller changed it: %s.",
					name, changedFields(was, *now))
			case now != nil && !known:
				added[conditionType], addedIn[conditionType] = *now, v
			}
		}
	}
}

// findAfter ends the check with what is wrong about one version of a status after an earlier one.
func (s *Scene) findAfter(before, v version, format string, args ...any) {
	changes := []uint64{before.Change.ResourceVersion, v.Change.ResourceVersion}
	s.FindAt(finding.Finding{
		What: fmt.Sprintf("%s At that point the status said: %s.", fmt.Sprintf(format, args...), Says(&v.Status)),
		When: finding.Explain(s.Log.Run(), nil, changes), At: v.Change.Seen, Changes: changes,
	})
}

// changedFields says in words what has changed in a condition: "observedGeneration of Ready: was 0, is 1".
func changedFields(was, now metav1.Condition) string {
	var all []string
	for _, field := range []struct {
		name     string
		was, now any
	}{
		{"status", was.Status, now.Status},
		{"reason", was.Reason, now.Reason},
		{"message", excerpt(was.Message), excerpt(now.Message)},
		{"observedGeneration", was.ObservedGeneration, now.ObservedGeneration},
		{"lastTransitionTime", Clock(was.LastTransitionTime), Clock(now.LastTransitionTime)},
	} {
		if field.was != field.now {
			all = append(all, fmt.Sprintf("%s of %s: was %v, is %v", field.name, was.Type, field.was, field.now))
		}
	}
	return strings.Join(all, "; ")
}

// excerpt is the beginning of a long text, with its length.
func excerpt(text string) string {
	const most = 300
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:most], ""), len(text))
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
