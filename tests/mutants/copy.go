package mutants

import (
	"os"
	"path/filepath"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// Copy writes the folder that the mutant is a version of to dir, as the mutant has it. Only folders of one
// package can be copied: those of the lessons' solutions.
func (m Mutant) Copy(dir string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	edited, err := m.edited(root)
	if err != nil {
		return err
	}
	files, err := repo.Glob(filepath.Join(root, m.Source()), "*.go")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, changed := edited[filepath.Join(m.Source(), filepath.Base(file))]
		if !changed {
			if text, err = os.ReadFile(file); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
