package main

import (
	"context"
	"os"
	"path/filepath"

	"example.com/controller-course/tests/bench"
	"example.com/controller-course/tests/kit/process"
)

// finishedOperator builds the finished operator into dir.
func finishedOperator(ctx context.Context, root, dir string) (bench.Subject, error) {
	subject := bench.Subject{
		Binary: filepath.Join(dir, "sequentialjob"),
		CRDs:   filepath.Join(root, "sequentialjob", "config", "crd", "batch.example.com_sequentialjobs.yaml"),
		Roles:  filepath.Join(root, "sequentialjob", "config", "rbac", "role.yaml"),
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return subject, err
	}
	return subject, process.Build(ctx, filepath.Join(root, "sequentialjob"), subject.Binary)
}
