package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/kind"
	alive "example.com/controller-course/scripts/progress"
	"example.com/controller-course/scripts/repo"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
	findings "example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
)

func newLessonE2ECmd() *cobra.Command {
	var impl, check string
	command := lessonCmd("e2e N", "Judge your controller on a cluster with real containers", func(cmd *cobra.Command, l lesson) error {
		judged := codeOf(l.Folder, impl, "")
		if err := sensibleOnRealCluster(l, judged, check); err != nil {
			return usageError{err}
		}
		made, err := buildForCluster(cmd.Context(), l, judged, cmd.OutOrStdout(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		r, err := openRealCluster(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		defer r.release()
		err = r.judgeLesson(cmd.Context(), made, check, cmd.OutOrStdout(), cmd.ErrOrStderr())
		if cmd.Context().Err() != nil {
			return errors.New("interrupted; the cluster stays up")
		}
		return err
	})
	command.Flags().StringVar(&impl, "impl", "", "folder of another Go main package to judge")
	command.Flags().StringVar(&check, "check", "", "judge by this check alone")
	return command
}

// sensibleOnRealCluster says what is wrong with what was typed, before a cluster is made for it.
func sensibleOnRealCluster(l lesson, judged code, check string) error {
	if l.Number < firstController {
		return fmt.Errorf("lesson %d makes no controller of SequentialJobs, which is what these checks are about; lesson %d is the first that does",
			l.Number, firstController)
	}
	if check != "" {
		rule, err := e2e.Find(check)
		if err != nil {
			return err
		}
		if rule.From > l.Number {
			return fmt.Errorf("check %s is about what lesson %d adds", check, rule.From)
		}
	}
	if judged.own {
		return l.hasCode()
	}
	return judged.exists()
}

// containerized is a controller that was built for an image.
type containerized struct {
	lesson lesson
	code   code
	dir    string // for what is left of judging it
	image  string // folder with its program alone
	roles  string // file with the roles that it ships
}

// errNotCompiled tells that there is nothing to judge; why has been said.
var errNotCompiled = errors.New("nothing could be judged")

// buildForCluster builds a controller for an image.
func buildForCluster(ctx context.Context, l lesson, judged code, out, shown io.Writer) (containerized, error) {
	root, err := repo.Root()
	if err != nil {
		return containerized{}, err
	}
	made := containerized{lesson: l, code: judged, dir: filepath.Join(root, ".cache", "e2e", fmt.Sprintf("lesson-%02d", l.Number))}
	made.image = filepath.Join(made.dir, "image")
	if err := errors.Join(os.RemoveAll(made.image), os.MkdirAll(made.image, 0o755)); err != nil {
		return containerized{}, err
	}
	var blocked *findings.Finding
	err = alive.To(shown).During("the controller", 10*time.Second, func() error {
		var compiled built
		compiled, blocked, err = judged.compile(ctx, made.dir, process.BuildForContainer)
		if err != nil || blocked != nil {
			return err
		}
		made.roles = compiled.roles
		return os.Rename(compiled.binary, filepath.Join(made.image, "controller"))
	})
	if blocked != nil {
		return containerized{}, errors.Join(writeFinding(out, *blocked), errNotCompiled)
	}
	return made, err
}

// judgeLesson judges a controller on the cluster by what holds from its lesson on, and stops at the first check
// that fails.
func (r *realCluster) judgeLesson(ctx context.Context, made containerized, check string, out, shown io.Writer) error {
	l, logs := made.lesson, filepath.Join(made.dir, "logs")
	image, err := kind.BuildControllerImage(ctx, made.image)
	if err != nil {
		return err
	}
	if err := r.cluster.Load(ctx, image); err != nil {
		return err
	}
	report, err := os.Create(filepath.Join(made.dir, "specs.log"))
	if err != nil {
		return err
	}
	defer report.Close()
	came := realTrial{out: out, again: func(id string) string {
		return fmt.Sprintf("%s e2e%s CHECK=%s", goal(l.Number), made.code.again(l), id)
	}}
	began := time.Now()
	err = r.run(ctx, trialRun{
		logs: logs, out: report, env: []string{"E2E_ROLES=" + made.roles}, verdicts: came.tell,
		args: []string{"-ginkgo.v", "-ginkgo.fail-fast", "-ginkgo.label-filter=" + strings.Join(rulesFor(l, check), " || ")},
	})
	fmt.Fprintln(out, color.New(color.Faint).Sprintf("installing and checks %s, after %s for the cluster", since(began, time.Now()), r.took))
	return came.conclude(l, err, func() string { return r.whatIsLeft(logs, shown) })
}

func rulesFor(l lesson, check string) []string {
	if check != "" {
		return []string{check}
	}
	var ids []string
	for _, rule := range e2e.Of(l.Number) {
		ids = append(ids, rule.ID)
	}
	return ids
}

// again is what chooses the code in a command about a lesson.
func (c code) again(l lesson) string {
	if c.own || c.typed != "" {
		return c.typed
	}
	return " IMPL=" + filepath.Join("solutions", l.Slug)
}

// A realTrial is what came of judging a controller on the cluster.
type realTrial struct {
	out    io.Writer
	again  func(id string) string // the command that judges by one of them again
	passed int
	failed *e2e.Verdict // the first
}

// tell writes a line about a verdict.
func (t *realTrial) tell(verdict e2e.Verdict) {
	of := passed
	if verdict.Finding != nil {
		of, t.failed = failed, &verdict
	} else {
		t.passed++
	}
	if rule, err := e2e.Find(verdict.ID); err == nil {
		fmt.Fprintln(t.out, resultLine(of, checks.Check{ID: rule.ID, Title: rule.Title}))
	}
}

// conclude writes what is wrong, if anything is. The error tells so, and where to look.
func (t *realTrial) conclude(l lesson, err error, left func() string) error {
	switch {
	case t.failed != nil:
		found := *t.failed.Finding
		if t.failed.ID != "" {
			found.Again = t.again(t.failed.ID)
		}
		fmt.Fprintln(t.out)
		if err := writeFinding(t.out, found); err != nil {
			return err
		}
		fmt.Fprintln(t.out)
		return fmt.Errorf("lesson %d: on a real cluster %s, and the rest was not judged\n%s", l.Number, failure(*t.failed), left())
	case err != nil:
		return fmt.Errorf("lesson %d: %w\n%s", l.Number, err, left())
	}
	fmt.Fprintf(t.out, "On a real cluster too: %s of lesson %d passed.\n", countChecks(t.passed), l.Number)
	return nil
}

func failure(verdict e2e.Verdict) string {
	if verdict.ID == "" {
		return "the controller did not get to work"
	}
	return "check " + verdict.ID + " failed"
}
