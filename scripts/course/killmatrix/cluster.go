package killmatrix

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"example.com/controller-course/scripts/course/realcluster"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/mutants"
)

// tryOnCluster tries wrong versions of the lessons' solutions on the cluster with real containers, each by the
// rules of its lesson. The rule that is named for it has to be the first that it breaks.
func tryOnCluster(ctx context.Context, wanted []mutants.Mutant, out, stderr io.Writer) error {
	wanted = filter(wanted, func(m mutants.Mutant) bool { return m.OnCluster != "" })
	copies, remove, err := makeFolder()
	if err != nil {
		return err
	}
	defer remove()
	cluster, err := realcluster.Open(ctx, stderr)
	if err != nil {
		return err
	}
	defer cluster.Release()
	escaped := 0
	for _, mutant := range wanted {
		by, err := firstBroken(ctx, cluster, mutant, filepath.Join(copies, mutant.ID), out, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", mutant, err)
		}
		caught := by == mutant.OnCluster
		if !caught {
			escaped++
		}
		writeLine(out, caught, mutant, []string{by}, ", must be caught by "+mutant.OnCluster)
	}
	return conclude(escaped, len(wanted), out)
}

// firstBroken returns the rule that a mutant breaks first; "nothing" if it breaks none.
func firstBroken(ctx context.Context, cluster *realcluster.Cluster, mutant mutants.Mutant, folder string, out, stderr io.Writer) (string, error) {
	if err := mutant.Copy(folder); err != nil {
		return "", err
	}
	of, err := usage.Find(mutant.Lesson)
	if err != nil {
		return "", err
	}
	built, err := realcluster.Build(ctx, of, usage.Code{Code: judge.Code{Folder: folder}}, out, stderr)
	if err != nil {
		return "", err
	}
	return cluster.FirstBroken(ctx, built)
}
