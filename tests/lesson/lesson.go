// Package lesson says what a lesson is. Each lesson has one descriptor, and everything else about the lesson
// is derived from that: its commands, its judge, its place in the README's table.
package lesson

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/controller-course/tests/kit/invariants"
)

// Lesson describes a lesson.
type Lesson struct {
	Number int
	Slug   string // "03-reconcile": its folder in lessons/ and in solutions/
	Title  string // the first heading of its text, without the number: "Reconcile"
	Makes  string // what the learner makes, in a line: "the first `Reconcile`: one step after another"
	Kind   Kind

	Continues int   // the lesson whose code the learner takes along; 0 where the lesson starts afresh
	HeldTo    []int // the earlier lessons whose checks its code has to pass too

	// Prompt says that the API server's response to a write waits until the controller's own watches have shown
	// that write. Lessons that do not teach how to live with a stale cache yet are judged like this.
	Prompt bool
	// Reports says that the status of a SequentialJob must say how its run ended.
	Reports bool
	// Store says that its code gives Workspaces their buckets. In each of its checks there is an object store outside the cluster,
	// and NATS_URL in the environment of the code says where.
	Store bool

	Difficulty Difficulty
	Minutes    int // how long it takes, reading included

	// Taught is what the lesson adds to generated runs; empty where there are none.
	Taught Taught

	// Role is the section of its text that explains the controller's role; empty if there is none.
	Role string

	Checks []Check
}

// Kind says what the learner makes, which decides how it is judged.
type Kind string

const (
	ClientProgram Kind = "a program with client-go"
	API           Kind = "an API"
	Controller    Kind = "a controller of SequentialJobs"
)

// IsProgram says whether the lesson's code is a program that can be run.
func (k Kind) IsProgram() bool { return k != API }

// Difficulty says how hard a lesson is.
type Difficulty string

const (
	Easy     Difficulty = "easy"
	Moderate Difficulty = "moderate"
	Hard     Difficulty = "hard"
)

// Check is one rule that a lesson's code has to keep.
type Check struct {
	ID       ID
	Title    string   // the rule, as a sentence
	Why      string   // why it matters in production
	Section  string   // of the lesson's text that explains it, as an anchor: "one-after-another"
	Concepts []string // that it tests: "C22"

	// Rules are the invariants that must hold all the time while it is played; none where it is empty.
	Rules []invariants.ID
	// About are the invariants that this check is about, whichever check of the lesson breaks them.
	About []invariants.ID
	// Others is how many namespaces it takes besides that of the run.
	Others int
	// Events says that it looks at Events too.
	Events bool

	Play Play
}

// Play is what happens while a check is played. The package that has the kind of scene that the check is played
// on has a type for it.
type Play interface {
	// Judges says for which kinds of code it can be played.
	Judges(Kind) bool
}

// ID names a check: "3.2" is the second one of lesson 3.
type ID string

// Lesson is the number of the lesson that the check belongs to; 0 where the ID is not one.
func (id ID) Lesson() int {
	lesson, check, _ := strings.Cut(string(id), ".")
	number, err := strconv.Atoi(lesson)
	if _, checkErr := strconv.Atoi(check); err != nil || checkErr != nil {
		return 0
	}
	return number
}

// Choose returns the checks with these IDs; all where there are none.
func (l Lesson) Choose(ids ...ID) ([]Check, error) {
	if len(ids) == 0 {
		return l.Checks, nil
	}
	var chosen []Check
	for _, id := range ids {
		i := slices.IndexFunc(l.Checks, func(c Check) bool { return c.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("lesson %d has no check %s; it has %s", l.Number, id, strings.Join(l.ids(), ", "))
		}
		chosen = append(chosen, l.Checks[i])
	}
	return chosen, nil
}

func (l Lesson) ids() []string {
	var ids []string
	for _, check := range l.Checks {
		ids = append(ids, string(check.ID))
	}
	return ids
}

// About returns the check of the lesson that is about an invariant: the one that was played, unless another is.
func (l Lesson) About(invariant invariants.ID, played Check) Check {
	for _, check := range l.Checks {
		if slices.Contains(check.About, invariant) {
			return check
		}
	}
	return played
}

// Folder is where the learner's code and the lesson's texts are, from the repository's root.
func (l Lesson) Folder() string { return "lessons/" + l.Slug }

// Solution is the folder with the complete code, from the repository's root.
func (l Lesson) Solution() string { return "solutions/" + l.Slug }

// Text is the path of the lesson's text, from the repository's root.
func (l Lesson) Text() string { return l.Folder() + "/README.md" }
