package lessons

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLessonsAreFoundByTheirFolders(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.make(t, "solutions/02-api", "lessons/01-control-loop", "lessons/02-api", "solutions/03-reconcile", "lessons/drafts", "solutions/4-x")
	c.write(t, "lessons/02-api/README.md", "# Lesson 2: The API\n\n# Another heading\n")
	c.write(t, "lessons/01-control-loop/README.md", "<!-- a comment -->\n\n# Loops: for ever\n")

	all, err := c.all()
	if err != nil {
		t.Fatal(err)
	}
	want := []Lesson{
		{1, "01-control-loop", "Loops: for ever", c.path("lessons/01-control-loop"), c.path("solutions/01-control-loop")},
		{2, "02-api", "The API", c.path("lessons/02-api"), c.path("solutions/02-api")},
		{3, "03-reconcile", "", c.path("lessons/03-reconcile"), c.path("solutions/03-reconcile")},
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("lessons (-want +got):\n%s", diff)
	}
}

func TestALessonThatDoesNotExist(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	_, err := c.find(1)
	if want := "there is no lesson 1: " + string(c) + " has no lessons at all"; err == nil || err.Error() != want {
		t.Errorf("find: %v; want %s", err, want)
	}
	c.make(t, "solutions/01-control-loop", "solutions/02-api")
	_, err = c.find(7)
	if want := "there is no lesson 7; there are 01-control-loop, 02-api"; err == nil || err.Error() != want {
		t.Errorf("find: %v; want %s", err, want)
	}
	if lesson, err := c.find(2); err != nil || lesson.Slug != "02-api" {
		t.Errorf("find(2) = %v, %v; want 02-api", lesson, err)
	}
}

func TestANumberBelongsToOneLesson(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.make(t, "solutions/02-api", "lessons/02-apis")
	if _, err := c.all(); err == nil || err.Error() != "02-api and 02-apis have the same number" {
		t.Errorf("all: %v; want that the number is there twice", err)
	}
}

func TestAllKnowsTheRepositorysLessons(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for i, lesson := range all {
		if lesson.Number != i+1 {
			t.Errorf("lesson %s is number %d of the list", lesson.Slug, i+1)
		}
		if found, err := Find(lesson.Number); err != nil || found != lesson {
			t.Errorf("Find(%d) = %v, %v; want %v", lesson.Number, found, err, lesson)
		}
	}
}

// newCourse returns an empty course.
func newCourse(t *testing.T) course {
	t.Helper()
	return course(t.TempDir())
}

func (c course) make(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		if err := os.MkdirAll(c.path(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func (c course) write(t *testing.T, file, text string) {
	t.Helper()
	c.make(t, filepath.Dir(file))
	if err := os.WriteFile(c.path(file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c course) text(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(c.path(file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func put(t *testing.T, folder string, files Files) {
	t.Helper()
	if err := files.put(folder); err != nil {
		t.Fatal(err)
	}
}
