package kinds

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func alike(look, words string) State { return State{look, words, words} }

func stateOfJob(job *unstructured.Unstructured) State {
	conditions := conditionsOf(job)
	suspended, _, _ := unstructured.NestedBool(job.Object, "spec", "suspend")
	active, _, _ := unstructured.NestedInt64(job.Object, "status", "active")
	switch {
	case conditions["Complete"].status == "True":
		return alike("succeeded", "complete")
	case conditions["Failed"].status == "True":
		return alike("failed", because("failed", conditions["Failed"].reason))
	case conditions["SuccessCriteriaMet"].status == "True":
		return alike("running", "about to be complete")
	case conditions["FailureTarget"].status == "True":
		return alike("running", because("about to fail", conditions["FailureTarget"].reason))
	case suspended && conditions["Suspended"].status == "True":
		return alike("suspended", "suspended")
	case suspended:
		return alike("suspended", "to be suspended")
	case active > 0:
		return alike("running", "running")
	default:
		return alike("new", "created")
	}
}

// glyphs are the states of steps on a label.
var glyphs = map[v1alpha1.StepState]string{
	v1alpha1.StepPending:   "○",
	v1alpha1.StepRunning:   "►",
	v1alpha1.StepSucceeded: "✓",
	v1alpha1.StepFailed:    "✗",
	v1alpha1.StepSkipped:   "↷",
}

func stateOfSequentialJob(object *unstructured.Unstructured) State {
	conditions := conditionsOf(object)
	succeeded, suspended := conditions[v1alpha1.ConditionSucceeded], conditions[v1alpha1.ConditionSuspended]
	var s State
	switch {
	case succeeded.status == "True":
		s = alike("succeeded", because("succeeded", succeeded.reason))
	case succeeded.status == "False":
		s = alike("failed", because("failed", succeeded.reason))
	case suspended.status == "True":
		s = alike("suspended", "suspended")
	case succeeded.status == "Unknown":
		s = alike("running", because("not finished", succeeded.reason))
	case object.Object["status"] == nil:
		s = alike("new", "created")
	default:
		s = alike("new", "no condition Succeeded")
	}
	var short, long []string
	steps := MapsIn(object, "status", "steps")
	for _, step := range steps {
		name, _ := step["name"].(string)
		stepState, _ := step["state"].(string)
		glyph, known := glyphs[v1alpha1.StepState(stepState)]
		if !known {
			glyph = "?"
		}
		short = append(short, glyph+" "+name)
		long = append(long, name+" "+stepState)
	}
	if len(steps) > 0 {
		s.Label = strings.Join(short, "  ") + " · " + s.Label
		s.Words += "; " + strings.Join(long, ", ")
	}
	return s
}

func stateOfWorkspace(object *unstructured.Unstructured) State {
	switch ready := conditionsOf(object)[v1alpha1.ConditionReady]; ready.status {
	case "True":
		return alike("running", because("ready", ready.reason))
	case "False":
		return alike("failed", because("not ready", ready.reason))
	default:
		return alike("new", because("not ready yet", ready.reason))
	}
}

type condition struct{ status, reason string }

func conditionsOf(object *unstructured.Unstructured) map[string]condition {
	all := map[string]condition{}
	for _, fields := range MapsIn(object, "status", "conditions") {
		conditionType, _ := fields["type"].(string)
		status, _ := fields["status"].(string)
		reason, _ := fields["reason"].(string)
		all[conditionType] = condition{status, reason}
	}
	return all
}

func because(words, reason string) string {
	if reason == "" {
		return words
	}
	return words + " (" + reason + ")"
}

// MapsIn returns the entries of a list in an object; an entry that is no map is nil.
func MapsIn(object *unstructured.Unstructured, path ...string) []map[string]any {
	var entries []map[string]any
	list, _, _ := unstructured.NestedSlice(object.Object, path...)
	for _, each := range list {
		fields, _ := each.(map[string]any)
		entries = append(entries, fields)
	}
	return entries
}
