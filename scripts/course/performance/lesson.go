package performance

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/bench"
	"example.com/controller-course/tests/subject"
)

// costly is the lesson whose code is measured.
const costly = 7

// LessonCommand returns the command that measures what a learner's code costs.
func LessonCommand() *cobra.Command {
	return usage.Command("measure N", "Measure what the starter, your controller and the solution cost", func(cmd *cobra.Command, l usage.Lesson) error {
		if l.Number != costly {
			return usage.Errorf("in lesson %d there is nothing to measure; there is in lesson %d: %s measure", l.Number, costly, usage.Goal(costly))
		}
		if err := l.MustHave(l.OwnCode()); err != nil {
			return err
		}
		return measureCosts(cmd.Context(), l, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
}

// measureCosts writes the figures to out, as docs/performance.md shows them, and what it is doing to stderr.
func measureCosts(ctx context.Context, l usage.Lesson, out, stderr io.Writer) error {
	folder, release, err := runs.Prepare(ctx, "measure-07", stderr)
	if err != nil {
		return err
	}
	defer release()
	starter := filepath.Join(folder, "starter")
	if err := l.Course.PutStarter(l.Lesson, starter); err != nil {
		return err
	}
	var costs []bench.Cost
	for _, one := range []struct{ name, source string }{
		{"the starter", starter}, {"your code", l.Course.Path(l.Folder())}, {"the solution", l.Course.Path(l.Solution())},
	} {
		measured, err := subject.Other(one.source, filepath.Join(folder, filepath.Base(one.source)+"-built"))
		if err != nil {
			return err
		}
		if err := measured.Build(ctx); err != nil {
			return fmt.Errorf("build %s: %w", one.name, err)
		}
		for _, jobs := range []int{300, 3000} {
			fmt.Fprintf(stderr, "%s, with %d Jobs ...\n", one.name, jobs)
			dir := filepath.Join(folder, "cluster")
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			cost, err := bench.MeasureCost(ctx, one.name, measured, jobs, dir)
			if ctx.Err() != nil {
				return runs.ErrInterrupted
			}
			if err != nil {
				return fmt.Errorf("measure %s with %d Jobs: %w", one.name, jobs, err)
			}
			costs = append(costs, cost)
		}
	}
	bench.WriteCosts(out, costs)
	return nil
}
