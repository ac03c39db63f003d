// Package invariants says what a controller of SequentialJobs must never do, and finds in the history
// of a run where it did. It looks at nothing but the history: how the objects changed, what the
// controller requested, and which events and responses it had received.
//
// Three things keep it from blaming a controller for what others did. A Job counts as the
// controller's when one of its requests created it, whatever owner references the Jobs of other clients have.
// A change counts as the controller's when the response to one of its requests bears its
// resourceVersion. And no controller can know about an event that it has not received yet: see I4 and I5.
package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"example.com/controller-course/tests/kit/history"
)

// ID names an invariant.
type ID string

// The invariants, which Rules describe.
const (
	I1, I2, I3 ID = "I1", "I2", "I3"
	I4, I5, I6 ID = "I4", "I5", "I6"
	I7, I8, I9 ID = "I7", "I8", "I9"
	I10, I11   ID = "I10", "I11"
)

// Violation is one place in a run where an invariant does not hold.
type Violation struct {
	Invariant ID
	Rule, Why string // the rule's title, and why it matters in production
	What      string // what happened, with names

	At time.Duration // the moment of it
	// Changes, Requests are the places in the history that show it (resourceVersions, IDs from 1).
	Changes  []uint64
	Requests []int
}

// Options tell what to hold a run to.
type Options struct {
	Only   []ID       // the invariants to check; all where it is nil
	AtRest bool       // at the frontier the controller had nothing left to do
	Rest   []Interval // when it had nothing to do
}

// Interval is a part of a run, its ends included.
type Interval struct{ From, To time.Duration }

// Rule is an invariant.
type Rule struct {
	ID    ID
	Title string
	Why   string // why it matters in production

	check func(*past, Options) []Violation
}

// Rules are all invariants.
var Rules = []Rule{
	{I1, "At most one unfinished Job a SequentialJob", "Each step relies on the result of the step before. Two Jobs that run at the same time work on the same " +
		"data. A Job that is being deleted counts, because its pods may still run.", oneAtATime},
	{I2, "A step's Job is created only after the step before it has finished", "A step that starts too early misses its input: a deployment before its build, a clean-up before the backup. " +
		"SuccessCriteriaMet only announces the end; pods may still run.", inOrder},
	{I3, "One Job for each step, ever", "A second Job does the step's work a second time: a migration runs twice, a payment is made twice. " +
		"Deleting the first Job does not undo what it did.", onlyOnce},
	{I4, "Every Job is controlled by a SequentialJob that exists and is not being deleted", "Garbage collection finds a Job by the UID of its owner. Without an owner, the Job outlives its SequentialJob. " +
		"With a wrong owner, it is removed while it should run.", owned},
	{I5, "A finalizer is removed only when what it guards is gone", "Removing the finalizer says that everything is cleaned up. The object disappears, and with it the last record of " +
		"what it stood for. Nothing cleans up what is left then.", finalizersLast},
	{I6, "The status never claims what has not happened, and never takes back what it said", "People and programs act on the status: they continue when it says Succeeded, and retry when it says Failed. " +
		"It is also the controller's own record: what it takes back, it does again.", truthful},
	{I7, "observedGeneration is never ahead of the object, never goes back, and is current at rest", "It says which spec the status describes. `kubectl wait` and deployment tools treat a status as current " +
		"if the two numbers are equal.", generations},
	{I8, "The controller writes only to its own objects, and to the status only through /status", "Others work in the same namespace. A Job with a matching name or label may belong to another owner, " +
		"and the spec belongs to the user.", ownThings},
	{I9, "At rest there are no writes", "A controller that writes when there is nothing to do triggers itself, and every other watcher, indefinitely. " +
		"With thousands of objects that overloads the API server.", quiet},
	{I10, "No step starts before the run's Workspace is ready", "A step without its files fails, or works on nothing and succeeds.", readyFirst},
	{I11, "A Workspace goes only once its bucket is gone", "The Workspace is the last record of its bucket. Without it, nobody knows whose the bucket is: it takes up room " +
		"indefinitely, or somebody removes it who hopes that nobody needs it.", bucketFirst},
}

// Check returns where the invariants do not hold, in the order in which it happened. It looks at
// changes up to the frontier, up to which the history is complete.
func Check(run history.Run, frontier uint64, options Options) ([]Violation, error) {
	return new(Checker).Check(run, frontier, options)
}

// Checker checks one run again and again while it grows. It reads each state of an object once. The zero value is ready.
type Checker struct {
	decoded map[*unstructured.Unstructured]any // what Go makes of a change's object
}

// Check is Check, for the run that was checked before.
func (c *Checker) Check(run history.Run, frontier uint64, options Options) ([]Violation, error) {
	for _, id := range options.Only {
		if !slices.ContainsFunc(Rules, func(rule Rule) bool { return rule.ID == id }) {
			return nil, fmt.Errorf("check the invariants: there is no %s", id)
		}
	}
	past, err := c.read(run, frontier)
	if err != nil {
		return nil, fmt.Errorf("check the invariants: %w", err)
	}
	var all []Violation
	for _, rule := range Rules {
		if options.Only != nil && !slices.Contains(options.Only, rule.ID) {
			continue
		}
		for _, violation := range rule.check(past, options) {
			violation.Invariant, violation.Rule, violation.Why = rule.ID, rule.Title, rule.Why
			all = append(all, violation)
		}
	}
	slices.SortStableFunc(all, func(a, b Violation) int { return cmp.Compare(a.At, b.At) })
	return all, nil
}

// decode returns what Go makes of a change's object. Others share it, so it must not be changed.
func decode[T any](c *Checker, change history.Change) (object T, err error) {
	if known, is := c.decoded[change.Object]; is {
		return known.(T), nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, &object); err != nil {
		return object, err
	}
	if c.decoded == nil {
		c.decoded = map[*unstructured.Unstructured]any{}
	}
	c.decoded[change.Object] = object
	return object, nil
}

// among puts words into a sentence: "a", "a and b", "a, b and c".
func among(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
