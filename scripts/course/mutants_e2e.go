package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/mutants"
)

// huntOnCluster hunts wrong versions of the lessons' solutions on the cluster with real containers, each by the
// rules of its lesson, of which the one that is named for it has to be the first to fail.
func huntOnCluster(ctx context.Context, wanted []mutants.Mutant, out, shown io.Writer) error {
	wanted = slices.DeleteFunc(slices.Clone(wanted), func(m mutants.Mutant) bool { return m.OnCluster == "" })
	copies, release, err := folderForMutants()
	if err != nil {
		return err
	}
	defer release()
	r, err := openRealCluster(ctx, shown)
	if err != nil {
		return err
	}
	defer r.release()
	escaped := 0
	for _, mutant := range wanted {
		by, err := r.hunt(ctx, mutant, filepath.Join(copies, mutant.ID), out, shown)
		if err != nil {
			return fmt.Errorf("%s: %w", mutant, err)
		}
		mark := "✓"
		if by != mutant.OnCluster {
			mark = "✗"
			escaped++
		}
		fmt.Fprintf(out, "%s %s %-28s caught by %s, which has to be %s: %s\n", mark, mutant.ID, mutant.Slug, by, mutant.OnCluster, mutant.Title)
	}
	return concludeHunt(escaped, len(wanted), out)
}

// hunt returns the rule that is the first to fail with a mutant; "nothing" if none does.
func (r *realCluster) hunt(ctx context.Context, mutant mutants.Mutant, folder string, out, shown io.Writer) (by string, err error) {
	if err := mutant.Copy(folder); err != nil {
		return "", err
	}
	of, err := findLesson(mutant.Lesson)
	if err != nil {
		return "", err
	}
	made, err := buildForCluster(ctx, of, code{folder: folder}, out, shown)
	if err != nil {
		return "", err
	}
	came, err := r.try(ctx, made, rulesFor(of, ""), func(result, e2e.Rule) {})
	switch {
	case came.failed != nil:
		return came.failed.ID, nil
	case err != nil:
		return "", err
	}
	return "nothing", nil
}
