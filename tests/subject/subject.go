// Package subject tells what a controller consists of that is to be run, and builds the finished one.
package subject

import (
	"context"
	"os"
	"path/filepath"

	"example.com/controller-course/scripts/repo"
	"example.com/controller-course/tests/kit/process"
)

// Subject is a controller that can be run.
type Subject struct {
	Binary string // the program
	CRDs   string // file with the CustomResourceDefinitions
	Roles  string // file with the roles it ships
}

// Finished builds the finished operator into dir.
func Finished(ctx context.Context, dir string) (Subject, error) {
	root, err := repo.Root()
	if err != nil {
		return Subject{}, err
	}
	source := filepath.Join(root, "sequentialjob")
	finished := Subject{
		Binary: filepath.Join(dir, "sequentialjob"),
		CRDs:   filepath.Join(source, "config", "crd", "batch.example.com_sequentialjobs.yaml"),
		Roles:  filepath.Join(source, "config", "rbac", "role.yaml"),
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return finished, err
	}
	return finished, process.Build(ctx, source, finished.Binary)
}

// Samples is the folder with the finished operator's samples.
func Samples() (string, error) {
	root, err := repo.Root()
	return filepath.Join(root, "sequentialjob", "config", "samples"), err
}
