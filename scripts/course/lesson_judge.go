package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/assets"
)

// judgeFlags say what is judged, and by which check.
type judgeFlags struct{ impl, bin, check string }

func (f *judgeFlags) addTo(command *cobra.Command) {
	command.Flags().StringVar(&f.impl, "impl", "", "folder of another Go package to judge")
	command.Flags().StringVar(&f.bin, "bin", "", "a program to judge")
	command.Flags().StringVar(&f.check, "check", "", "judge by this check alone")
	command.MarkFlagsMutuallyExclusive("impl", "bin")
}

func newJudgeCmd() *cobra.Command {
	var flags judgeFlags
	command := lessonCmd("test N", "Judge your code by the checks of a lesson", func(cmd *cobra.Command, l lesson) error {
		judged := codeOf(l.Folder, flags.impl, flags.bin)
		return runJudge(cmd, judging{lesson: l, code: judged, check: flags.check, command: goal(l.Number) + " test"}, "lesson")
	})
	flags.addTo(command)
	return command
}

func newJudgeSolutionCmd() *cobra.Command {
	var check string
	command := lessonCmd("test N", "Judge the solution of a lesson", func(cmd *cobra.Command, l lesson) error {
		command := fmt.Sprintf("make solution-%d test", l.Number)
		return runJudge(cmd, judging{lesson: l, code: code{folder: l.Solution}, check: check, command: command}, "solution")
	})
	command.Flags().StringVar(&check, "check", "", "judge by this check alone")
	return command
}

// A judging is what is to be judged.
type judging struct {
	lesson  lesson
	code    code
	check   string // the only one to judge by; empty for all
	command string // that was typed

	pictures string // the folder for the pictures of what is wrong
}

// runJudge judges once.
func runJudge(cmd *cobra.Command, what judging, of string) error {
	if err := what.sensible(); err != nil {
		return err
	}
	if _, err := assets.ControlPlane(cmd.Context(), cmd.ErrOrStderr()); err != nil {
		return err
	}
	folder, err := runsFolder(fmt.Sprintf("%s-%02d", of, what.lesson.Number))
	if err != nil {
		return err
	}
	what.pictures = folder
	release, err := waitForTurn(cmd.Context(), folder, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	held, err := openCourt(ctx, what.lesson, filepath.Join(folder, "work"), folder, false)
	if err != nil {
		return err
	}
	came, err := what.judge(ctx, held, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err == nil {
		err = what.conclude(came, cmd.OutOrStdout())
	}
	if came.blocked != nil {
		cancel() // the control plane may still be on its way, and then says that it did not get there
		_ = held.close()
		return err
	}
	closeErr := held.close()
	if cmd.Context().Err() != nil {
		return errInterrupted
	}
	return errors.Join(err, closeErr)
}

var errInterrupted = errors.New("interrupted; everything is stopped")

// waitForTurn waits until no other command judges in a folder: they would write the same files.
func waitForTurn(ctx context.Context, folder string, out io.Writer) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	turn := flock.New(folder + ".lock")
	free, err := turn.TryLock()
	if err == nil && !free {
		fmt.Fprintln(out, "Another command is judging here; waiting until it has ended.")
		_, err = turn.TryLockContext(ctx, 50*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for another command that is judging: %w", err)
	}
	return func() { _ = turn.Unlock() }, nil
}

// sensible says what is wrong with what was typed, before anything is started for it.
func (j judging) sensible() error {
	if j.code.program != "" && !j.lesson.isController() {
		return usageError{fmt.Errorf("lesson %d makes an API, and no program that BIN could name; IMPL=dir judges another one", j.lesson.Number)}
	}
	if _, err := j.chosen(); err != nil {
		return usageError{err}
	}
	return j.lesson.has(j.code)
}

// chosen are the checks that are to be judged by.
func (j judging) chosen() ([]checks.Check, error) {
	if j.check == "" {
		return j.lesson.judged.Checks, nil
	}
	return j.lesson.choose(j.check, func(id string) string {
		for _, earlier := range j.lesson.earlier() {
			if lessonOf(id) == fmt.Sprint(earlier.Number) {
				return testFrom(id) + j.code.elsewhere(j.lesson)
			}
		}
		return testFrom(id) + j.code.typed
	})
}

// judge judges code in a court, writes what comes of it, and notes the learner's progress.
func (j judging) judge(ctx context.Context, held court, out, warning io.Writer) (trial, error) {
	came := trial{lesson: j.lesson, command: j.command, code: j.code, single: j.check != ""}
	began := time.Now()
	if err := j.removePictures(); err != nil {
		return came, err
	}
	err := j.try(ctx, held, &came, out)
	if err != nil {
		return came, err
	}
	came.took.whole = time.Since(began)
	if err := came.write(out); err != nil {
		return came, err
	}
	came.writeTimes(out)
	return came, j.note(ctx, came, warning)
}

// try has the code judged, and stops when going on would say nothing more.
func (j judging) try(ctx context.Context, held court, came *trial, out io.Writer) (err error) {
	if came.blocked, err = held.prepare(ctx, j.code, &came.took); came.blocked != nil || err != nil {
		return err
	}
	chosen, err := j.chosen()
	if err != nil {
		return err
	}
	told := hearing{
		again: func(check checks.Check) string { return came.again(check.ID) },
		say: func(verdict checks.Verdict) {
			came.told++
			writeVerdict(out, verdict)
		},
	}
	began := time.Now()
	came.own, came.blocked, err = held.judge(ctx, j.lesson.judged, chosen, told)
	came.took.own = time.Since(began)
	if err != nil || !came.passed() || came.single {
		return err
	}
	began = time.Now()
	for _, earlier := range j.lesson.earlier() {
		fmt.Fprintf(out, "\nAnd what lesson %d asks for:\n", earlier.Number)
		var verdicts []checks.Verdict
		verdicts, came.blocked, err = held.judge(ctx, earlier, earlier.Checks, told)
		if err != nil || came.blocked != nil {
			return err
		}
		came.earlier = append(came.earlier, verdicts...)
		came.took.earlier = time.Since(began)
	}
	return nil
}

// note notes the learner's progress.
func (j judging) note(ctx context.Context, came trial, warning io.Writer) error {
	if !j.code.own {
		return nil
	}
	kept, err := openProgress(warning)
	if err != nil {
		return err
	}
	now := time.Now()
	return kept.change(ctx, func(p *progress) {
		known := p.lesson(j.lesson.Number)
		if came.blocked != nil {
			known.blocked(now, came.blocked.Title)
			return
		}
		known.judged(now, came.own)
		if came.passed() && !came.single {
			known.finished(now)
		}
	})
}

// conclude says how it ended, and what comes next.
func (j judging) conclude(came trial, out io.Writer) error {
	if err := came.verdict(out); err != nil {
		return err
	}
	if !j.code.own || came.single {
		return nil
	}
	fmt.Fprintf(out, "Well done: lesson %d is finished. %s\n", j.lesson.Number, whatFollows(j.lesson.Number))
	return nil
}

// whatFollows says what to do after a lesson.
func whatFollows(number int) string {
	next, err := findLesson(number + 1)
	if err != nil { // there is none
		return "It is the last one so far. make progress shows the whole way."
	}
	if next.Number > firstController {
		return fmt.Sprintf("Next: %s carry takes your code along, then %s text.", goal(next.Number), goal(next.Number))
	}
	return fmt.Sprintf("Next: %s text.", goal(next.Number))
}

// removePictures removes those of the run before, which this one may draw anew.
func (j judging) removePictures() error {
	old, err := filepath.Glob(filepath.Join(j.pictures, cmp.Or(j.check, "*")+".html"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return nil
}
