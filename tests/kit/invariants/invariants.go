// Package invariants says what a controller of SequentialJobs must never do, and finds in the history
// of a run where it did. It looks at nothing but the history: what became of the objects, what the
// controller asked for, and what it had been told.
//
// Three things keep it from blaming a controller for what others did. A Job counts as the
// controller's when one of its requests created it, whatever owner reference somebody else gave his.
// A change counts as the controller's when the answer to one of its requests bears its
// resourceVersion. And nobody can know what has not been told yet: see I4 and I5.
package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// ID names an invariant.
type ID string

// The invariants, which Rules describe.
const (
	I1, I2, I3 ID = "I1", "I2", "I3"
	I4, I5, I6 ID = "I4", "I5", "I6"
	I7, I8, I9 ID = "I7", "I8", "I9"
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
	{I1, "At most one unfinished Job a SequentialJob", "Steps run one after another because each relies on what the one before left behind. Two at once " +
		"work on the same data. A Job that is being deleted counts: its pods may still run.", oneAtATime},
	{I2, "A step's Job is created only after the step before it is over", "A step that starts too early works on what is not there yet: a deployment before its build, " +
		"a clean-up before the backup. SuccessCriteriaMet only announces the end, while pods may still run.", inOrder},
	{I3, "One Job for each step, ever", "A second Job does the step's work a second time: a migration that runs twice, a payment that is made twice. " +
		"That the first one is gone does not undo what it did.", onlyOnce},
	{I4, "Every Job is controlled by a SequentialJob that is there and not being deleted", "Garbage collection finds a Job by the UID of its owner. A Job without one, or with a " +
		"wrong one, runs on when its SequentialJob is gone, or is removed while it should run.", owned},
	{I5, "A finalizer goes only when what it guards is gone", "The finalizer's removal says that all is cleaned up, and with it the object and the last record of what " +
		"it stood for disappear. What is left then is left for good.", finalizersLast},
	{I6, "The status never claims what has not happened, and never takes back what has", "People and programs act on the status: they go on when it says Succeeded, and retry when it says Failed. " +
		"And it is the controller's own memory: what it takes back, it does again.", truthful},
	{I7, "observedGeneration is never ahead of the object, never goes back, and has caught up at rest", "It is how one tells whether the status speaks of the spec as it is now. `kubectl wait` and " +
		"deployment tools take a status for current when it says so.", generations},
	{I8, "Writes touch what is the controller's, and the status only through /status", "Others work in the same namespace. A Job with a fitting name or label may be somebody else's, " +
		"and what the user wrote into the spec is the user's.", ownThings},
	{I9, "At rest there are no writes", "A controller that writes when nothing is to be done wakes itself, and everybody who watches, for ever. " +
		"With thousands of objects that takes the API server down.", quiet},
}

// Check returns where the invariants do not hold, in the order in which it happened. It looks at
// changes up to the frontier, up to which the history is complete.
func Check(run history.Run, frontier uint64, options Options) ([]Violation, error) {
	for _, id := range options.Only {
		if !slices.ContainsFunc(Rules, func(rule Rule) bool { return rule.ID == id }) {
			return nil, fmt.Errorf("check the invariants: there is no %s", id)
		}
	}
	past, err := read(run, frontier)
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

// among puts words into a sentence: "a", "a and b", "a, b and c".
func among(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
