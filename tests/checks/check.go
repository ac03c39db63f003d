// Package checks holds what the controllers of the lessons are judged by. Each check knows one rule. It
// looks at what a controller does to the objects of the API, and never at how it is built.
package checks

import (
	"fmt"
	"slices"
	"strings"
)

// Check is one rule that a lesson's controller has to keep.
type Check struct {
	ID       string   // "3.2": lesson, number
	Title    string   // the rule, as a sentence
	Why      string   // why it matters in production
	Section  string   // of the lesson's text that explains it, as an anchor: "one-after-another"
	Concepts []string // that it tests: "C22"

	// Rules are the invariants that must hold all the time while it is played; none where it is empty.
	Rules []string
	// Others is how many namespaces it takes besides that of the run.
	Others int

	play func(*Scene)
	api  func(*apiScene) // in place of play, where an API is judged and no controller
}

// Lesson is what is known of a lesson by its checks.
type Lesson struct {
	Number int
	Slug   string // "03-reconcile"
	Checks []Check
}

// Lessons are those that have checks, in their order.
func Lessons() []Lesson {
	return []Lesson{
		{1, "01-control-loop", controlLoop},
		{2, "02-api", api},
		{3, "03-reconcile", reconcile},
		{4, "04-conditions", conditions},
		{5, "05-observed-generation", observedGeneration},
	}
}

// Of returns a lesson.
func Of(number int) (Lesson, error) {
	all := Lessons()
	i := slices.IndexFunc(all, func(l Lesson) bool { return l.Number == number })
	if i < 0 {
		return Lesson{}, fmt.Errorf("there is no lesson %d; there are lessons 1 to %d", number, len(all))
	}
	return all[i], nil
}

// Choose returns the checks with these IDs; all where there are none.
func (l Lesson) Choose(ids ...string) ([]Check, error) {
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
		ids = append(ids, check.ID)
	}
	return ids
}

// Text is the path of the lesson's text, from the repository's root.
func (l Lesson) Text() string { return "lessons/" + l.Slug + "/README.md" }
