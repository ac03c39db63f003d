// Package worlds has the worlds in which checks are played: what else is in the cluster, besides what a check itself
// does. A world is data, so a new oddity reaches all checks of all lessons. It never changes what a check does: it only
// adds others, whom a correct controller handles too.
package worlds

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/lesson"
)

// World is where a check is played.
type World struct {
	Name string // "crowded"
	Says string // what else there is, as a sentence

	// Runs are other SequentialJobs. They are there before the controller starts.
	Runs []Run
	// Bystanders is how many Jobs there are in the namespace that nobody owns, from the start.
	Bystanders int
	// Throng is the check in which there are ten times as many: more than a page of a list. All checks with as many would be
	// more than one API server can serve at the same time.
	Throng lesson.ID
	// Namespaces are others than those of the check. Only programs that count Jobs meet them.
	Namespaces []Namespace
	// Mimics says that other owners have Jobs like web's, some of which run and some of which are complete.
	Mimics bool
	// Faults strike whenever something has happened or is waited for, if the controller then sends such a request: "answer
	// 500: next 1 reads jobs".
	Faults []string
	// Once says that they strike after the first start alone. Otherwise a program that reads in each reconcile would fail so
	// often that its pauses grow to minutes.
	Once bool

	// Expire says that at the end of a check, watches are interrupted for so long that they can't continue, while Jobs and
	// SequentialJobs change.
	Expire bool

	// Seed generates manifests, in addition to those of the checks of an API; 0 generates none.
	Seed int
	// Only are the checks to which the world makes a difference; all of them where there are none.
	Only []lesson.ID
}

// Run is a SequentialJob of another user, which runs to its end by itself.
type Run struct {
	Name  string
	Steps []v1alpha1.Step
	Fails string // the step whose Job fails; empty where none does
	// Reason is why it fails, such as batchv1.JobReasonDeadlineExceeded; its pods have failed too often where it is empty.
	Reason string
	Faults []string // strike it from the start: "answer 504: next 1 writes jobs web/fetch"
	// Again says that once it has ended, it is deleted, and created again under the same name, as by kubectl get -o yaml,
	// kubectl delete and kubectl apply.
	Again bool
	// Leaving says that it is being deleted before the controller starts, and that another program's finalizer keeps it.
	Leaving   bool
	ManagedBy string // another controller, which creates a Job without our labels, and does nothing else; empty for ours

	Object func(*v1alpha1.SequentialJob) // changes it before it is created; may be nil
	// Condition is the type of a condition that another client adds right after the object is created; empty for none.
	Condition string
}

// Archived is another program's finalizer.
const Archived = "example.com/archive"

// Plain is the world with nothing else in it.
var Plain = World{Name: "plain", Says: "Nothing else is in the cluster."}

// IsPlain says whether nothing else is in the world.
func (w World) IsPlain() bool { return w.Name == Plain.Name || w.Name == "" }

// Of are the worlds in which code of a kind is judged, the plain one first.
func Of(kind lesson.Kind) []World {
	switch kind {
	case lesson.Controller:
		return []World{Plain, crowded(), odd(), hard()}
	case lesson.ClientProgram:
		return []World{Plain, crowdedNamespaces(), oddNamespaces(), hardNamespaces()}
	default:
		return []World{Plain, generated(1)}
	}
}

// Find returns the world with a name in which code of a kind is judged.
func Find(kind lesson.Kind, name string) (World, error) {
	all := Of(kind)
	if seed, err := strconv.Atoi(strings.TrimPrefix(name, generatedBy)); err == nil && seed > 0 && kind == lesson.API {
		return generated(seed), nil
	}
	i := slices.IndexFunc(all, func(w World) bool { return w.Name == name })
	if i < 0 {
		return World{}, fmt.Errorf("there is no world %q for %s; there is %s", name, kind, Names(all))
	}
	return all[i], nil
}

// Concerned are those of some checks to which one of some worlds makes a difference.
func Concerned(checks []lesson.Check, by []World) []lesson.Check {
	return slices.DeleteFunc(slices.Clone(checks), func(check lesson.Check) bool {
		return !slices.ContainsFunc(by, func(w World) bool { return len(w.Only) == 0 || slices.Contains(w.Only, check.ID) })
	})
}

// Names lists worlds: "plain, crowded".
func Names(all []World) string {
	var names []string
	for _, w := range all {
		names = append(names, w.Name)
	}
	return strings.Join(names, ", ")
}

// Spread chooses one of several worlds for the nth check. The seed decides, and a few checks in a row meet all of them.
func Spread(worlds []World, seed uint64, n int) World {
	many := uint64(len(worlds))
	return worlds[(seed%many+uint64(n))%many]
}
