package canonical

import (
	"regexp"
	"strings"

	"example.com/controller-course/tests/kit/proxy"
)

// A Mask is a field that two runs are not compared by.
type Mask struct {
	Kind string // of the objects; empty for all
	Path string // of the field with all below it; [*] stands for any entry
	// Present says that the value does not count, but whether the field is there does.
	Present bool
	Why     string
}

// Masks are all there are, beside UIDs in the values of other fields: controllers put their owners'
// into labels and annotations, and "(UID)" is compared in their place.
var Masks = []Mask{
	{"", "metadata.uid", false, "the API server makes up a new one for each object"},
	{"", "metadata.ownerReferences[*].uid", false, "the API server makes up a new one for each object"},
	{"", "metadata.resourceVersion", false, "it counts every write in the cluster"},
	{"", "metadata.managedFields", false, "it tells who wrote a field last, and when"},
	{"", "metadata.namespace", false, "every run has a namespace of its own"},
	{"", "metadata.creationTimestamp", false, "a time"},
	{"", "metadata.deletionTimestamp", true, "a time; that it is there means that the object is being deleted"},
	{"", "metadata.annotations[" + proxy.ConflictAnnotation + "]", false, "the proxy writes it to bring about a conflict"},
	{"", "status.startTime", true, "a time"},
	{"", "status.completionTime", true, "a time"},
	{"", "status.conditions[*].lastTransitionTime", false, "a time"},
	{"", "status.conditions[*].lastProbeTime", false, "a time"},
	{"", "status.conditions[*].message", false, "words for people, which may name Jobs and the API server's errors"},

	{"SequentialJob", "status.suspendedSeconds", false, "a length of time"},
	{"SequentialJob", "status.steps[*].startTime", false, "a time, and that of a Job that vanished before it was seen can't be known"},
	{"SequentialJob", "status.steps[*].completionTime", true, "a time"},
	{"SequentialJob", "status.steps[*].message", false, "words for people, which may name Jobs and the API server's errors"},
	{"SequentialJob", "status.steps[*].jobName", false, "a controller may have names made up; of a Job that was never seen it knows none"},
	{"SequentialJob", "status.steps[*].jobUID", false, "the API server makes up a new one for each object"},

	{"Job", "metadata.name", false, "a controller may have names made up"},
	{"Job", "metadata.generateName", false, "a controller may have names made up"},
	{"Job", "metadata.generation", false, "it counts the writes to the spec; a Job that was created suspended and one that was suspended later come to the same"},
	{"Job", "metadata.labels[batch.kubernetes.io/controller-uid]", false, "the API server adds it: the Job's UID"},
	{"Job", "metadata.labels[batch.kubernetes.io/job-name]", false, "the API server adds it: the Job's name"},
	{"Job", "metadata.labels.controller-uid", false, "the API server adds it: the Job's UID"},
	{"Job", "metadata.labels.job-name", false, "the API server adds it: the Job's name"},
	{"Job", "status.conditions[Suspended]", false, "a Job that is suspended for a moment only may or may not be seen so by the Job controller; spec.suspend tells whether it is"},
	{"Job", "spec.selector", false, "the API server adds it: the Job's UID"},
	{"Job", "spec.template.metadata.labels[batch.kubernetes.io/controller-uid]", false, "the API server adds it: the Job's UID"},
	{"Job", "spec.template.metadata.labels[batch.kubernetes.io/job-name]", false, "the API server adds it: the Job's name"},
	{"Job", "spec.template.metadata.labels.controller-uid", false, "the API server adds it: the Job's UID"},
	{"Job", "spec.template.metadata.labels.job-name", false, "the API server adds it: the Job's name"},
}

// masked stands for the value of a field of which only the presence counts.
const masked = "(set)"

// mask takes out of an object's fields what is masked.
func mask(kind string, fields Object) {
	for path, value := range fields {
		fields[path] = uid.ReplaceAllString(value, "(UID)")
		for i, m := range Masks {
			if m.Kind != "" && m.Kind != kind || !patterns[i].MatchString(path) {
				continue
			}
			if m.Present {
				fields[path] = masked
			} else {
				delete(fields, path)
			}
		}
	}
}

var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// patterns match the path of each mask, and what is below it.
var patterns = func() []*regexp.Regexp {
	var patterns []*regexp.Regexp
	for _, m := range Masks {
		path := strings.ReplaceAll(regexp.QuoteMeta(m.Path), `\[\*\]`, `\[[^\]]*\]`)
		patterns = append(patterns, regexp.MustCompile(`^`+path+`($|\.|\[)`))
	}
	return patterns
}()
