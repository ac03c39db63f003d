package main

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestStartAtIsRefused(t *testing.T) {
	status := assess(facts{now: noon, object: startingAt("test", makeObject())})
	for conditionType, want := range map[string]metav1.ConditionStatus{
		v1alpha1.ConditionAccepted:  metav1.ConditionFalse,
		v1alpha1.ConditionSucceeded: metav1.ConditionUnknown,
	} {
		condition := meta.FindStatusCondition(status.Conditions, conditionType)
		if condition == nil {
			t.Fatalf("there is no condition %s", conditionType)
		}
		if condition.Status != want || condition.Reason != reasonNotSupported || condition.Message != startAtUnsupported {
			t.Errorf("%s is %s, %s, %q; want %s, %s and what to do", conditionType, condition.Status, condition.Reason, condition.Message, want, reasonNotSupported)
		}
	}
	if status.StartTime != nil || status.CompletionTime != nil || status.CurrentStep != "" || status.Progress != "0/3" {
		t.Errorf("the status says that something has run or will run: %+v", status)
	}
	for _, step := range status.Steps {
		if step.State != v1alpha1.StepPending {
			t.Errorf("step %s is %s, want Pending: nothing has run", step.Name, step.State)
		}
	}
}

func TestRefusalLeavesAFinishedRunAlone(t *testing.T) {
	object := startingAt("test", makeObject(v1alpha1.StepSkipped, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded))
	meta.SetStatusCondition(&object.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAllStepsSucceeded, LastTransitionTime: noon,
	})
	if status := assess(facts{now: noon, object: object}); !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionSucceeded) {
		t.Errorf("the run had succeeded, and now its conditions are %v", status.Conditions)
	}
}

func TestManagedBy(t *testing.T) {
	for name, test := range map[string]struct {
		managedBy *string
		want      bool
	}{
		"not set":            {nil, true},
		"this controller":    {ptr.To(v1alpha1.ControllerName), true},
		"another controller": {ptr.To("example.com/other"), false},
	} {
		t.Run(name, func(t *testing.T) {
			object := makeObject()
			object.Spec.ManagedBy = test.managedBy
			if got := managedByUs(object); got != test.want {
				t.Errorf("managed by us: %t, want %t", got, test.want)
			}
		})
	}
}
