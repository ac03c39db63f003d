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

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/alive"
	findings "example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

func newLessonE2ECmd() *cobra.Command {
	var flags judgeFlags
	command := lessonCmd("e2e N", "Judge your controller on a cluster with real containers", func(cmd *cobra.Command, l lesson) error {
		judged := codeOf(l.Folder, flags.impl, flags.bin)
		if err := sensibleOnRealCluster(l, judged, flags.check); err != nil {
			return err
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
		err = r.judgeLesson(cmd.Context(), made, flags.check, cmd.OutOrStdout(), cmd.ErrOrStderr())
		if cmd.Context().Err() != nil {
			return errors.New("interrupted; the cluster stays up")
		}
		return err
	})
	flags.addTo(command)
	return command
}

// sensibleOnRealCluster says what is wrong with what was typed, before a cluster is made for it.
func sensibleOnRealCluster(l lesson, judged code, check string) error {
	if err := l.runsSequences("which is what these checks are about"); err != nil {
		return err
	}
	if judged.program != "" {
		return usageError{errors.New("the program for the cluster's nodes is built here, so it takes the code: IMPL=dir in place of BIN")}
	}
	if check != "" {
		rule, err := e2e.Find(check)
		if err != nil {
			return usageError{err}
		}
		if rule.From > l.Number {
			return usageError{fmt.Errorf("check %s is about what lesson %d adds", check, rule.From)}
		}
	}
	return l.has(judged)
}

// containerized is a controller that was built for an image.
type containerized struct {
	lesson lesson
	code   code
	dir    string // for what is left of judging it
	image  string // folder with its program alone
	roles  string // file with the roles that it ships
}

// logs is the folder for what checks that fail leave to look at.
func (c containerized) logs() string { return filepath.Join(c.dir, "logs") }

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
		if compiled, blocked, err = judged.compile(ctx, made.dir, process.BuildForContainer); err != nil {
			return err
		}
		if blocked != nil {
			return errNotCompiled
		}
		made.roles = compiled.roles
		return os.Rename(compiled.binary, filepath.Join(made.image, "controller"))
	})
	if blocked != nil {
		return containerized{}, errors.Join(writeFinding(out, *blocked), err)
	}
	return made, err
}

// judgeLesson judges a controller on the cluster by what holds from its lesson on, and stops at the first check
// that fails.
func (r *realCluster) judgeLesson(ctx context.Context, made containerized, check string, out, shown io.Writer) error {
	l := made.lesson
	began := time.Now()
	came, err := r.try(ctx, made, rulesFor(l, check), func(came result, rule e2e.Rule) {
		fmt.Fprintln(out, resultLine(came, checks.Check{ID: rule.ID, Title: rule.Title}))
	})
	if ctx.Err() != nil {
		return err
	}
	fmt.Fprintln(out, color.New(color.Faint).Sprintf("image, installing and checks %s, after %s for the cluster", since(began, time.Now()), r.took))
	switch {
	case came.failed != nil:
		return errors.Join(came.write(out, made), fmt.Errorf("lesson %d: on a real cluster %s, and the rest was not judged\n%s",
			l.Number, failure(*came.failed), r.whatIsLeft(made.logs(), shown)))
	case err != nil:
		return fmt.Errorf("lesson %d: %w\n%s", l.Number, err, r.whatIsLeft(made.logs(), shown))
	}
	fmt.Fprintf(out, "On a real cluster too: %s of lesson %d passed.\n", countChecks(came.passed), l.Number)
	return nil
}

// A realTrial is what came of judging a controller on the cluster.
type realTrial struct {
	passed int
	failed *e2e.Verdict // the first
}

// try runs the specs of rules with a controller, and tells each result as soon as it is there. The error tells
// that not all of them passed, whatever the reason.
func (r *realCluster) try(ctx context.Context, made containerized, rules []string, say func(result, e2e.Rule)) (came realTrial, err error) {
	image, err := kind.BuildControllerImage(ctx, made.image)
	if err != nil {
		return came, err
	}
	if err := r.cluster.Load(ctx, image); err != nil {
		return came, err
	}
	report, err := os.Create(filepath.Join(made.dir, "specs.log"))
	if err != nil {
		return came, err
	}
	defer report.Close()
	err = r.run(ctx, trialRun{
		logs: made.logs(), out: report, env: []string{"E2E_ROLES=" + made.roles},
		args: []string{"-ginkgo.v", "-ginkgo.fail-fast", "-ginkgo.label-filter=" + strings.Join(rules, " || ")},
		verdicts: func(verdict e2e.Verdict) {
			of := passed
			if verdict.Finding != nil {
				of, came.failed = failed, &verdict
			} else {
				came.passed++
			}
			if rule, err := e2e.Find(verdict.ID); err == nil {
				say(of, rule)
			}
		},
	})
	return came, err
}

// write writes what is wrong.
func (t realTrial) write(out io.Writer, made containerized) error {
	found := *t.failed.Finding
	if t.failed.ID != "" {
		found.Again = fmt.Sprintf("%s e2e%s CHECK=%s", goal(made.lesson.Number), made.code.again(made.lesson), t.failed.ID)
	}
	fmt.Fprintln(out)
	err := writeFinding(out, found)
	fmt.Fprintln(out)
	if rule, none := e2e.Find(found.Check); none == nil && made.code.own {
		fmt.Fprintf(out, "A hint: %s\n", hintFrom(rule.Check))
	}
	return err
}

func failure(verdict e2e.Verdict) string {
	if verdict.ID == "" {
		return "the controller did not get to work"
	}
	return "check " + verdict.ID + " failed"
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
