package realcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/kind"
)

// LessonCommand returns the command that judges the code of a lesson.
func LessonCommand() *cobra.Command {
	var flags usage.Flags
	command := usage.Command("e2e N", "Judge your code on a cluster with real containers", func(cmd *cobra.Command, l usage.Lesson) error {
		code, err := flags.Code(l)
		if err != nil {
			return err
		}
		if err := validate(l, code, flags.Check); err != nil {
			return err
		}
		built, err := Build(cmd.Context(), l, code, cmd.OutOrStdout(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		c, err := Open(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer c.Release()
		err = c.judgeLesson(cmd.Context(), built, flags.Check, cmd.OutOrStdout(), cmd.ErrOrStderr())
		if cmd.Context().Err() != nil {
			fmt.Fprintln(cmd.ErrOrStderr(), "The cluster stays up.")
		}
		return err
	})
	flags.AddTo(command, "impl", "wrong", "check")
	return command
}

// validate says what is wrong with what the user typed, before a cluster is started for it.
func validate(l usage.Lesson, code usage.Code, check string) error {
	if check != "" {
		rule, err := e2e.Find(check)
		switch {
		case err != nil:
			return usage.Errorf("%w", err)
		case rule.Kind != l.Kind:
			return usage.Errorf("check %s is about %s, and lesson %d makes %s", check, rule.Kind, l.Number, l.Kind)
		case !rule.HoldsFor(l.Lesson):
			return usage.Errorf("check %s is about what lesson %d adds", check, rule.From)
		}
	}
	return l.MustHave(code)
}

// judgeLesson judges the code of a lesson by the rules that hold for it, and stops at the first that it breaks.
func (c *Cluster) judgeLesson(ctx context.Context, built Built, check string, out, stderr io.Writer) error {
	l := built.lesson
	began := time.Now()
	unjudged := rulesFor(l, check)
	passed, failed, err := c.try(ctx, built, rulesFor(l, check), func(came record.Result, rule e2e.Rule) {
		fmt.Fprintln(out, report.Line(came, rule.ID, rule.Title))
		unjudged = slices.DeleteFunc(unjudged, func(id string) bool { return id == rule.ID })
	})
	if ctx.Err() != nil {
		return err
	}
	fmt.Fprintln(out, color.New(color.Faint).Sprintf("installing and checks %s, after %s for the cluster", since(began), c.took))
	switch {
	case failed != nil:
		return errors.Join(writeProblem(out, built, *failed), fmt.Errorf("lesson %d: on a real cluster %s, and the rest was not judged\n%s",
			l.Number, failure(*failed), c.whatIsLeft(built.logs(), stderr)))
	case err != nil:
		return fmt.Errorf("lesson %d: %w\n%s", l.Number, err, c.whatIsLeft(built.logs(), stderr))
	}
	if len(unjudged) > 0 { // its spec was skipped
		return usage.NotJudgedf("lesson %d: on a real cluster nothing failed, but %s could not be judged", l.Number, strings.Join(unjudged, ", "))
	}
	fmt.Fprintf(out, "On a real cluster too: %s of lesson %d passed.\n", report.Checks(passed), l.Number)
	return nil
}

// FirstBroken returns the rule of its lesson that code breaks first; "nothing" if it breaks none.
func (c *Cluster) FirstBroken(ctx context.Context, built Built) (string, error) {
	_, failed, err := c.try(ctx, built, rulesFor(built.lesson, ""), func(record.Result, e2e.Rule) {})
	switch {
	case failed != nil:
		return failed.ID, nil
	case err != nil:
		return "", err
	}
	return "nothing", nil
}

// try runs the specs of rules with the code of a lesson until one fails, and calls say with each result as soon as it
// is there. The error says that not all of them passed, for whatever reason.
func (c *Cluster) try(ctx context.Context, built Built, rules []string, say func(record.Result, e2e.Rule)) (passed int, failed *e2e.Verdict, err error) {
	if err := c.loadImages(ctx, built); err != nil {
		return 0, nil, err
	}
	log, err := os.Create(filepath.Join(built.dir, "specs.log"))
	if err != nil {
		return 0, nil, err
	}
	defer log.Close()
	err = c.run(ctx, specs{
		logs: built.logs(), out: log, env: []string{"E2E_ROLES=" + built.roles, "E2E_CRDS=" + built.crds},
		args: []string{"-ginkgo.v", "-ginkgo.fail-fast", "-ginkgo.label-filter=" + strings.Join(rules, " || ")},
		verdicts: func(verdict e2e.Verdict) {
			came := record.Passed
			if verdict.Finding != nil {
				came, failed = record.Failed, &verdict
			} else {
				passed++
			}
			if rule, err := e2e.Find(verdict.ID); err == nil {
				say(came, rule)
			}
		},
	})
	return passed, failed, err
}

// loadImages gives the cluster the image of a program, and that of its object store. An API has none.
func (c *Cluster) loadImages(ctx context.Context, built Built) error {
	if built.image == "" {
		return nil
	}
	image, err := kind.BuildControllerImage(ctx, built.image)
	if err != nil {
		return err
	}
	images := []string{image}
	if built.store != "" {
		images = append(images, built.store)
	}
	return c.cluster.Load(ctx, images...)
}

// writeProblem writes what is wrong.
func writeProblem(out io.Writer, built Built, failed e2e.Verdict) error {
	found := *failed.Finding
	if failed.ID != "" {
		found.Again = fmt.Sprintf("%s e2e%s CHECK=%s", usage.Goal(built.lesson.Number), built.code.Again(built.lesson), failed.ID)
	}
	fmt.Fprintln(out)
	err := report.Finding(out, found)
	fmt.Fprintln(out)
	if rule, none := e2e.Find(string(found.Check)); none == nil && built.code.Own {
		fmt.Fprintf(out, "A hint: %s\n", usage.Hint(rule.Check))
	}
	return err
}

func failure(verdict e2e.Verdict) string {
	if verdict.ID == "" {
		return "the controller did not get to work"
	}
	return "check " + verdict.ID + " failed"
}

func rulesFor(l usage.Lesson, check string) []string {
	if check != "" {
		return []string{check}
	}
	var ids []string
	for _, rule := range e2e.Of(l.Lesson) {
		ids = append(ids, rule.ID)
	}
	return ids
}
