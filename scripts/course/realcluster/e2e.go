package realcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/lesson"
)

// Command returns the command e2e.
func Command() *cobra.Command {
	var oneIn int
	command := &cobra.Command{
		Use:   "e2e",
		Short: "Judge the finished operator and the solutions on a cluster with real containers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			lessons, err := usage.Share(cmd.Context(), checks.Lessons(), oneIn)
			if err != nil {
				return err
			}
			return judgeAll(cmd.Context(), lessons, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().IntVar(&oneIn, "share", 1, "one solution in this many; the current commit decides which ones")
	return command
}

// judgeAll judges the finished operator, and then the solutions of some lessons by the rules that hold for them.
func judgeAll(ctx context.Context, lessons []lesson.Lesson, out, stderr io.Writer) error {
	c, err := Open(ctx, stderr)
	if err != nil {
		return err
	}
	defer c.Release()
	began := time.Now()
	problems := c.judgeOperator(ctx, out, stderr)
	for _, one := range lessons {
		if ctx.Err() != nil {
			break
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

// judgeOperator runs all specs with the finished operator but those about code that is no controller of SequentialJobs.
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
	err = c.run(ctx, specs{logs: logs, out: out, args: []string{"-ginkgo.v", "-ginkgo.label-filter=" + notOthers()}, env: []string{"E2E_NEXT_IMAGE=" + kind.NextImage}})
	fmt.Fprintf(out, "The specs took %s.\n", since(began))
	if err != nil {
		return fmt.Errorf("the finished operator: %w\n%s", err, c.whatIsLeft(logs, stderr))
	}
	return nil
}

// notOthers is a filter that leaves out the rules for programs that are no controllers of SequentialJobs, and for APIs.
func notOthers() string {
	var others []string
	for _, rule := range e2e.Rules {
		if rule.Kind != lesson.Controller {
			others = append(others, "!"+rule.ID)
		}
	}
	return strings.Join(others, " && ")
}
