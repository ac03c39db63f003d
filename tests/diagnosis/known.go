package diagnosis

import (
	"slices"

	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutants"
)

// Checks is how many checks of a lesson say what a mistake is. One that plays generated runs may fail whatever is wrong.
func Checks(l lesson.Lesson) int {
	return len(slices.DeleteFunc(slices.Clone(l.Checks), func(c lesson.Check) bool { return c.ID == l.Taught.Check }))
}

// Known returns the mistakes in a lesson that are known. make mutants fails when one of them fails a check that is
// not among its own, or does not fail the check that is named for it.
func Known(number int) ([]Mistake, error) {
	wrong, err := mutants.ReadLesson(number)
	if err != nil {
		return nil, err
	}
	var known []Mistake
	for _, mutant := range wrong {
		if mutant.World != "" {
			continue // the plain world comes first, and there no check fails
		}
		mistake := Mistake{ID: mutant.ID, Named: lesson.ID(mutant.CaughtBy.Check)}
		for _, id := range append([]string{mutant.CaughtBy.Check}, mutant.AlsoBy...) {
			mistake.Fails = append(mistake.Fails, lesson.ID(id))
		}
		known = append(known, mistake)
	}
	return known, nil
}
