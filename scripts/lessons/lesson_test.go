package lessons

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"
)

// newCourse returns a course of which lessons 3 to 5 are there, without any files.
func newCourse(t *testing.T) Course {
	t.Helper()
	return Course{t.TempDir(), []lesson.Lesson{
		{Number: 3, Slug: "03-reconcile"},
		{Number: 4, Slug: "04-conditions", Continues: 3},
		{Number: 5, Slug: "05-observed-generation", Continues: 4},
	}}
}

// thisRepository returns the course itself.
func thisRepository(t *testing.T) Course {
	t.Helper()
	c, err := Of(checks.Lessons())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// lesson returns the lesson with a number.
func (c Course) lesson(t *testing.T, number int) lesson.Lesson {
	t.Helper()
	l, err := lesson.Find(c.lessons, number)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (c Course) make(t *testing.T, folders ...string) {
	t.Helper()
	for _, folder := range folders {
		if err := os.MkdirAll(c.Path(folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func (c Course) write(t *testing.T, file, text string) {
	t.Helper()
	c.make(t, filepath.Dir(file))
	if err := os.WriteFile(c.Path(file), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c Course) text(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(c.Path(file))
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
