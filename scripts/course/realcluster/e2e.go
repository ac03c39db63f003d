package realcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/lesson"
)

// Command returns the command e2e.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "e2e",
		Short: "Judge the finished operator and the solutions on a cluster with real containers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return judgeAll(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// judgeAll judges the finished operator, and then the solutions by the rules that hold from their lessons on.
func judgeAll(ctx context.Context, out, stderr io.Writer) error {
	c, err := Open(ctx, stderr)
	if err != nil {
		return err
	}
	defer c.Release()
	began := time.Now()
	problems := c.judgeOperator(ctx, out, stderr)
	for _, one := range checks.Lessons() {
		if one.Kind != lesson.Controller || ctx.Err() != nil {
			continue
		}
		of, err := usage.Find(one.Number)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\nThe solution of lesson %d:\n", of.Number)
		built, err := Build(ctx, of, of.SolutionCode(), out, stderr)
		if err == nil {
			err = c.judgeLesson(ctx, built, "", out, stderr)
		}
		problems = errors.Join(problems, err)
	}
	fmt.Fprintf(out, "\nAll of it took %s, after %s for the cluster.\n", since(began), c.took)
	return problems
}

// judgeOperator runs all specs with the finished operator.
func (c *Cluster) judgeOperator(ctx context.Context, out, stderr io.Writer) error {
	images, err := kind.BuildOperatorImages(ctx, stderr)
	if err != nil {
		return err
	}
	if err := c.cluster.Load(ctx, images...); err != nil {
		return err
	}
	logs := filepath.Join(c.dir, "operator")
	began := time.Now()
	err = c.run(ctx, specs{logs: logs, out: out, args: []string{"-ginkgo.v"}, env: []string{"E2E_NEXT_IMAGE=" + kind.NextImage}})
	fmt.Fprintf(out, "The specs took %s.\n", since(began))
	if err != nil {
		return fmt.Errorf("the finished operator: %w\n%s", err, c.whatIsLeft(logs, stderr))
	}
	return nil
}
