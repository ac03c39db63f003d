package lesson

import (
	"cmp"
	"fmt"
	"slices"
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

// Find returns the lesson with a number out of some.
func Find(lessons []Lesson, number int) (Lesson, error) {
	i := slices.IndexFunc(lessons, func(l Lesson) bool { return l.Number == number })
	if i < 0 {
		return Lesson{}, fmt.Errorf("there is no lesson %d; there are lessons 1 to %d", number, len(lessons))
	}
	return lessons[i], nil
}
