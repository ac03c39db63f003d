package performance

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/bench"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/subject"
)

// The lessons whose code is measured: what a cache costs, and what it costs to notice drift.
const (
	costly   = 7
	drifting = 10
)

// LessonCommand returns the command that measures what a learner's code costs.
func LessonCommand() *cobra.Command {
	return usage.Command("measure N", "Measure what the starter, your controller and the solution cost", func(cmd *cobra.Command, l usage.Lesson) error {
		measures := map[int]func(context.Context, usage.Lesson, string, io.Writer, io.Writer) error{costly: measureCosts, drifting: measureDrift}
		measure, is := measures[l.Number]
		if !is {
			return usage.Errorf("in lesson %d there is nothing to measure; there is in lessons %d and %d: %s measure, %s measure",
				l.Number, costly, drifting, usage.Goal(costly), usage.Goal(drifting))
		}
		if err := l.MustHave(l.OwnCode()); err != nil {
			return err
		}
		folder, release, err := runs.Prepare(cmd.Context(), fmt.Sprintf("measure-%02d", l.Number), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer release()
		return measure(cmd.Context(), l, folder, cmd.OutOrStdout(), cmd.ErrOrStderr())
	})
}

// code is code that is measured.
type code struct {
	judge.Code
	name  string
	built subject.Subject
}

// own and solution are the code of a lesson.
func own(l usage.Lesson) code      { return code{Code: l.OwnCode().Code, name: "your code"} }
func solution(l usage.Lesson) code { return code{Code: l.SolutionCode().Code, name: "the solution"} }

// build builds all code, each in a folder of its own, before anything is measured.
func build(ctx context.Context, folder string, out io.Writer, all ...code) ([]code, error) {
	for i, one := range all {
		var err error
		if all[i].built, err = report.Build(ctx, one.Code, filepath.Join(folder, fmt.Sprintf("built-%d", i+1)), out); err != nil {
			return nil, fmt.Errorf("build %s: %w", one.name, err)
		}
	}
	return all, nil
}

// measureCosts writes the figures to out, as docs/performance.md shows them, and what it is doing to stderr.
func measureCosts(ctx context.Context, l usage.Lesson, folder string, out, stderr io.Writer) error {
	starter := filepath.Join(folder, "starter")
	if err := l.Course.PutStarter(l.Lesson, starter); err != nil {
		return err
	}
	all, err := build(ctx, folder, out, code{Code: judge.Code{Folder: starter}, name: "the starter"}, own(l), solution(l))
	if err != nil {
		return err
	}
	var costs []bench.Cost
	for _, one := range all {
		for _, jobs := range []int{300, 3000} {
			fmt.Fprintf(stderr, "%s, with %d Jobs ...\n", one.name, jobs)
			dir := filepath.Join(folder, "cluster")
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			cost, err := bench.MeasureCost(ctx, one.name, one.built, jobs, dir)
			if err != nil {
				return fmt.Errorf("measure %s with %d Jobs: %w", one.name, jobs, err)
			}
			costs = append(costs, cost)
		}
	}
	bench.WriteCosts(out, costs)
	return nil
}

// measureDrift writes what each way to notice drift costs to out, and what it is doing to stderr. Your code may lack a way: then it
// says so, and goes on.
func measureDrift(ctx context.Context, l usage.Lesson, folder string, out, stderr io.Writer) error {
	all, err := build(ctx, folder, out, own(l), solution(l))
	if err != nil {
		return err
	}
	finished, err := subject.Finished("")
	if err != nil {
		return err
	}
	ground, err := stage.StartGround(ctx, finished.CRDs, filepath.Join(folder, "cluster"))
	if err != nil {
		return err
	}
	defer ground.Stop()
	var costs []bench.DriftCost
	for _, one := range all {
		controller, err := ground.Admit(ctx, one.built.Binary, one.built.AllRoles()...)
		if err != nil {
			return err
		}
		for _, way := range []string{scene.Reapply, scene.Poll, scene.Poller, scene.Notify} {
			fmt.Fprintf(stderr, "%s, with --drift=%s ...\n", one.name, way)
			cost, err := bench.MeasureDrift(ctx, ground, controller, one.name, way)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				fmt.Fprintf(stderr, "  not measured: %v\n", err)
				continue
			}
			costs = append(costs, cost)
		}
	}
	bench.WriteDriftCosts(out, costs)
	return nil
}
