package lesson02

import (
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/repo"
)

func TestTheSolutionMakesTheAPIOfTheOtherLessons(t *testing.T) {
	root, err := repo.Root()
	must.Succeed(t, err)
	made, err := crds.Make(t.Context(), filepath.Join(root, "solutions", "02-api"), t.TempDir())
	must.Succeed(t, err)
	solution, err := schemaIn(filepath.Join(made.CRDs, "batch.example.com_sequentialjobs.yaml"))
	must.Succeed(t, err)
	want, err := reference()
	must.Succeed(t, err)
	assert.Equal(t, "the solution's schema", solution, want)
}

func TestLessonTwoKnowsNothingOfLaterLessons(t *testing.T) {
	root, err := reference()
	must.Succeed(t, err)
	for _, part := range []string{"spec", "status"} {
		if _, is := root.Properties[part].Properties[later]; is {
			t.Errorf("%s.%s is part of lesson 2's API", part, later)
		}
	}
}
