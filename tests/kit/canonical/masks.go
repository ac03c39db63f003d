package canonical

import (
	"regexp"
	"slices"

	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// Common are the fields that objects of no kind are compared by. UIDs are not compared either, wherever they are:
// controllers put their owners' into labels and annotations, and "(UID)" is compared in their place.
var Common = []kinds.Mask{
	{Path: "metadata.uid", Why: "the API server makes up a new one for each object"},
	{Path: "metadata.ownerReferences[*].uid", Why: "the API server makes up a new one for each object"},
	{Path: "metadata.resourceVersion", Why: "it counts every write in the cluster"},
	{Path: "metadata.managedFields", Why: "it records who wrote a field last, and when"},
	{Path: "metadata.namespace", Why: "every run has a namespace of its own"},
	{Path: "metadata.creationTimestamp", Why: "a time"},
	{Path: "metadata.deletionTimestamp", Present: true, Why: "a time; the field is set while the object is being deleted"},
	{Path: "metadata.annotations[" + proxy.ConflictAnnotation + "]", Why: "the proxy writes it to cause a conflict"},
	{Path: "status.startTime", Present: true, Why: "a time"},
	{Path: "status.completionTime", Present: true, Why: "a time"},
	{Path: "status.conditions[*].lastTransitionTime", Why: "a time"},
	{Path: "status.conditions[*].lastProbeTime", Why: "a time"},
	{Path: "status.conditions[*].message", Why: "words for people, which may name Jobs and the API server's errors"},
}

// masked replaces the value of a field of which only the presence counts.
const masked = "(set)"

// mask takes out of an object's fields what is masked.
func mask(kind kinds.Kind, fields Object) {
	for path, value := range fields {
		fields[path] = uid.ReplaceAllString(value, "(UID)")
		for _, m := range slices.Concat(Common, kind.Masks) {
			switch {
			case !m.Covers(path):
			case m.Present:
				fields[path] = masked
			default:
				delete(fields, path)
			}
		}
	}
}

var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
