package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

var registered []Lesson

// Register adds a lesson to the course. The package with a lesson's checks calls it when the program starts.
func Register(l Lesson) {
	registered = append(registered, l)
	slices.SortStableFunc(registered, func(a, b Lesson) int { return cmp.Compare(a.Number, b.Number) })
}

// All returns the registered lessons, in their order. Package checks imports them all, and is what most
// packages should ask.
func All() []Lesson { return slices.Clone(registered) }

// Earlier returns the earlier lessons whose checks the code of a lesson has to pass too.
func (l Lesson) Earlier() []Lesson {
	return slices.DeleteFunc(All(), func(other Lesson) bool { return !slices.Contains(l.HeldTo, other.Number) })
}

// AndEarlier are the lessons by whose checks the lesson's code is judged: its own first.
func (l Lesson) AndEarlier() []Lesson { return append([]Lesson{l}, l.Earlier()...) }

// Find returns the lesson with a number out of some.
func Find(lessons []Lesson, number int) (Lesson, error) {
	var known []string
	for _, l := range lessons {
		if l.Number == number {
			return l, nil
		}
		known = append(known, l.Slug)
	}
	return Lesson{}, fmt.Errorf("there is no lesson %d; there are %s", number, strings.Join(known, ", "))
}
