// Package lessons looks after the lessons' files: it derives the learner's starters from the solutions, and
// compares, resets and carries what the learner has written.
package lessons

import (
	"path/filepath"

	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// A Course is the files of some lessons in a repository.
type Course struct {
	root    string
	lessons []lesson.Lesson
}

// Of returns the files of these lessons in the repository that the program works in.
func Of(lessons []lesson.Lesson) (Course, error) {
	root, err := repo.Root()
	return Course{root, lessons}, err
}

// Code is what the learner has written so far.
func (c Course) Code(l lesson.Lesson) (Files, error) { return read(c.Path(l.Folder())) }

// Path returns where something is that is given from the repository's root on.
func (c Course) Path(elements ...string) string {
	return filepath.Join(append([]string{c.root}, elements...)...)
}

// short is a path as it is shown: from the root of the repository.
func (c Course) short(path string) string {
	short, err := filepath.Rel(c.root, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(short)
}
