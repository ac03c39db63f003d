package kinds

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

// Table is every kind that the kit knows.
var Table = []Kind{SequentialJob, Job, Workspace, Secret, Event, coreEvent, Pod, ConfigMap}

// Default are the kinds that a run is about unless it says otherwise.
var Default = []Kind{SequentialJob, Job}

// The entries of Table that others name.
var (
	SequentialJob = Kind{
		GroupVersionResource: v1alpha1.GroupVersion.WithResource("sequentialjobs"), Kind: v1alpha1.Kind,
		State: stateOfSequentialJob,
		Masks: []Mask{
			{"status.suspendedSeconds", false, "a length of time"},
			{"status.steps[*].startTime", false, "a time, and that of a Job that vanished before it was seen can't be known"},
			{"status.steps[*].completionTime", true, "a time"},
			{"status.steps[*].message", false, "words for people, which may name Jobs and the API server's errors"},
			{"status.steps[*].jobName", false, "a controller may have names made up; of a Job that was never seen it knows none"},
			{"status.steps[*].jobUID", false, "the API server makes up a new one for each object"},
		},
	}

	// A Job represents a step of a SequentialJob.
	Job = Kind{
		GroupVersionResource: batchv1.SchemeGroupVersion.WithResource("jobs"), Kind: "Job",
		Logical: logicalOfJob, State: stateOfJob,
		Masks: []Mask{
			{"metadata.name", false, "a controller may have names made up"},
			{"metadata.generateName", false, "a controller may have names made up"},
			{"metadata.generation", false, "it counts the writes to the spec; a Job that was created suspended and one that was suspended later come to the same"},
			{"metadata.labels[batch.kubernetes.io/controller-uid]", false, "the API server adds it: the Job's UID"},
			{"metadata.labels[batch.kubernetes.io/job-name]", false, "the API server adds it: the Job's name"},
			{"metadata.labels.controller-uid", false, "the API server adds it: the Job's UID"},
			{"metadata.labels.job-name", false, "the API server adds it: the Job's name"},
			{"status.conditions[Suspended]", false, "the Job controller may miss a short suspension; spec.suspend says whether the Job is suspended"},
			{"spec.selector", false, "the API server adds it: the Job's UID"},
			{"spec.template.metadata.labels[batch.kubernetes.io/controller-uid]", false, "the API server adds it: the Job's UID"},
			{"spec.template.metadata.labels[batch.kubernetes.io/job-name]", false, "the API server adds it: the Job's name"},
			{"spec.template.metadata.labels.controller-uid", false, "the API server adds it: the Job's UID"},
			{"spec.template.metadata.labels.job-name", false, "the API server adds it: the Job's name"},
		},
	}

	Workspace = Kind{
		GroupVersionResource: v1alpha1.GroupVersion.WithResource("workspaces"), Kind: v1alpha1.KindWorkspace,
		State: stateOfWorkspace,
		Masks: []Mask{{"status.bucket.created", true, "a time"}},
	}

	Secret = Kind{
		GroupVersionResource: corev1.SchemeGroupVersion.WithResource("secrets"), Kind: "Secret",
		Masks: []Mask{{"data", false, "it has the address of the run's object store, and the Workspace's UID"}},
	}

	// An Event represents the object that it regards.
	Event = Kind{
		GroupVersionResource: eventsv1.SchemeGroupVersion.WithResource("events"), Kind: "Event",
		Logical: logicalOfEvent, State: stateOfEvent,
		Masks: []Mask{{"", false, "an Event is recorded at most once, and is lost with the response to the write that it reports"}},
	}

	Pod       = Kind{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("pods"), Kind: "Pod"}
	ConfigMap = Kind{GroupVersionResource: corev1.SchemeGroupVersion.WithResource("configmaps"), Kind: "ConfigMap"}
)

// coreEvent is an Event as clients of the older API write it. Both APIs show the same objects.
var coreEvent = Kind{
	GroupVersionResource: corev1.SchemeGroupVersion.WithResource("events"), Kind: "Event",
	Logical: logicalOfEvent, State: stateOfEvent, Masks: Event.Masks,
}

// logicalOfJob finds the SequentialJob by the owner reference, and the step by StepOf.
func logicalOfJob(job *unstructured.Unstructured) history.Logical {
	owner := "?"
	for _, reference := range job.GetOwnerReferences() {
		if reference.Kind == v1alpha1.Kind {
			owner = reference.Name
		}
	}
	return history.Logical(owner + "/" + StepOf(job))
}

// StepOf is the step that a Job is for: the name of its first container, to which scenarios give the step's
// name, because a controller may name Jobs as it likes. It is "?" where there is none.
func StepOf(job *unstructured.Unstructured) string {
	containers := MapsIn(job, "spec", "template", "spec", "containers")
	if len(containers) == 0 {
		return "?"
	}
	if name, _ := containers[0]["name"].(string); name != "" {
		return name
	}
	return "?"
}

func logicalOfEvent(event *unstructured.Unstructured) history.Logical {
	name, _, _ := unstructured.NestedString(event.Object, "regarding", "name")
	if name == "" {
		name, _, _ = unstructured.NestedString(event.Object, "involvedObject", "name")
	}
	return history.Logical(name)
}

func stateOfEvent(event *unstructured.Unstructured) State {
	text := func(field string) string {
		value, _, _ := unstructured.NestedString(event.Object, field)
		return value
	}
	look, label := "new", strings.TrimSpace(text("type")+" "+text("reason"))
	if text("type") == corev1.EventTypeWarning {
		look = "failed"
	}
	return State{look, label, label + ": " + text("note") + text("message")}
}
