package subject

import (
	"path/filepath"
	"testing"

	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/repo"
)

func TestWhoGivesWorkspacesTheirBuckets(t *testing.T) {
	root, err := repo.Root()
	must.Succeed(t, err)
	finished, err := Finished(t.TempDir())
	must.Succeed(t, err)
	byFolder, err := Other(finished.Source, t.TempDir())
	must.Succeed(t, err)
	solution, err := Other(filepath.Join(root, "solutions", "08-expectations"), t.TempDir())
	must.Succeed(t, err)
	program, err := Program(filepath.Join(root, "scripts", "course.sh"))
	must.Succeed(t, err)
	for name, test := range map[string]struct {
		subject Subject
		want    bool
	}{
		"the finished operator":            {finished, true},
		"the finished operator, by folder": {byFolder, true},
		"a lesson's solution":              {solution, false},
		"a program of somebody's":          {program, false},
	} {
		if got := test.subject.WorkspaceRoles != ""; got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}
