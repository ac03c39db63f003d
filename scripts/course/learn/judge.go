package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

func testCommand() *cobra.Command {
	var flags usage.Flags
	command := usage.Command("test N", "Judge your code by the checks of a lesson", func(cmd *cobra.Command, l usage.Lesson) error {
		code, err := flags.Code(l)
		if err != nil {
			return err
		}
		return judgeOnce(cmd, request{l, code, lesson.ID(flags.Check), flags.World, usage.Goal(l.Number) + " test"}, asLesson)
	})
	flags.AddTo(command, "impl", "bin", "wrong", "check", "world")
	return command
}

// SolutionCommand returns the command solution.
func SolutionCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "solution",
		Short: "Judge the solution of a lesson",
		Args:  cobra.ArbitraryArgs, // make solution-3
		RunE: func(*cobra.Command, []string) error {
			return usage.Errorf("a solution can be tested: make solution-3 test")
		},
	}
	var flags usage.Flags
	test := usage.Command("test N", "Judge the solution of a lesson", func(cmd *cobra.Command, l usage.Lesson) error {
		return judgeOnce(cmd, request{l, l.SolutionCode(), lesson.ID(flags.Check), flags.World, fmt.Sprintf("make solution-%d test", l.Number)}, "solution")
	})
	flags.AddTo(test, "check", "world")
	command.AddCommand(test)
	return command
}

// A request is what a user wants judged.
type request struct {
	lesson  usage.Lesson
	code    usage.Code
	check   lesson.ID // the only one to judge by; empty for all
	world   string    // the only one to judge in, or all of them; empty for the plain one and, if all pass, one check in each other world
	command string    // that the user typed: "make lesson-3 test"
}

// validate says what is wrong with a request, before anything is started for it.
func (r request) validate() error {
	if r.code.Program != "" && !r.lesson.Kind.IsProgram() {
		return usage.Errorf("lesson %d makes an API, and no program that BIN could name; IMPL=dir judges another one", r.lesson.Number)
	}
	if _, err := r.checks(); err != nil {
		return err
	}
	if _, err := r.rounds(r.lesson.Kind); err != nil {
		return err
	}
	return r.lesson.MustHave(r.code)
}

// checks are those of the lesson to judge by.
func (r request) checks() ([]lesson.Check, error) {
	if r.check == "" {
		return r.lesson.Checks, nil
	}
	chosen, err := r.lesson.Check(r.check, func(id lesson.ID) string {
		if slices.Contains(r.lesson.HeldTo, id.Lesson()) {
			return usage.Test(id) + r.code.Elsewhere(r.lesson)
		}
		return usage.Test(id) + r.code.Typed
	})
	return []lesson.Check{chosen}, err
}

// runs names the runs as a lesson or as a solution, whose files are in one folder. Runs of other code than the learner's own
// have another name, because findings, pictures and hints are about the learner's last run.
func (r request) runs(as string) string {
	if as == asLesson && !r.code.Own {
		as = "other"
	}
	return fmt.Sprintf("%s-%02d", as, r.lesson.Number)
}

// asLesson says that the checks of a lesson are played, with whatever code.
const asLesson = "lesson"

// judgeOnce judges what a user wants judged, as a lesson or as a solution.
func judgeOnce(cmd *cobra.Command, wanted request, as string) error {
	if err := wanted.validate(); err != nil {
		return err
	}
	folder, release, err := runs.Prepare(cmd.Context(), wanted.runs(as), cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	j := openJudge(ctx, wanted, folder, "work")
	came, err := j.judge(ctx, commandStarted(), cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err == nil {
		err = wanted.conclude(came, cmd.OutOrStdout())
	}
	if came.Blocked != nil {
		cancel() // the control plane may still be starting, and would only report that it was stopped
		_ = j.bench.Close()
		return err
	}
	return errors.Join(err, j.bench.Close())
}

// A judging judges what a user wants judged, as often as they want.
type judging struct {
	request
	bench    judge.Bench
	work     string          // folder for what is built
	pictures string          // folder for the pictures of what went wrong
	up       bool            // the control plane has judged code already
	failed   []judge.Verdict // last time, of the lesson's checks and of earlier ones
}

// openJudge starts a control plane. Pictures go into a folder, everything else into work below it.
func openJudge(ctx context.Context, wanted request, folder, work string) judging {
	work = filepath.Join(folder, work)
	return judging{
		request: wanted, bench: judge.Open(ctx, wanted.lesson.Kind, work), work: filepath.Join(work, "code"), pictures: folder,
	}
}

// showBuilding shows what the user waits for until the code can be judged, until ready is called.
func (j judging) showBuilding(stderr io.Writer) (ready func()) {
	what := "Building " + repo.Short(j.code.Folder)
	switch {
	case j.code.Program != "":
		what = "Starting the control plane"
	case !j.up:
		what += " while the control plane starts"
	}
	return alive.Sign{Out: stderr, Every: 5 * time.Second}.ShowAlive(what, time.Now())
}

// judge judges the code, writes the result, keeps it, and puts it on record. The user has waited since began.
func (j judging) judge(ctx context.Context, began time.Time, out, stderr io.Writer) (report.Result, error) {
	came := report.Result{Lesson: j.lesson, Command: j.command, Code: j.code, Single: j.check != ""}
	if err := j.removePictures(); err != nil {
		return came, err
	}
	if err := j.try(ctx, &came, out, stderr); err != nil {
		return came, err
	}
	came.Took.Whole = time.Since(began)
	if err := came.Write(out); err != nil {
		return came, err
	}
	return came, errors.Join(came.Keep(j.pictures), j.note(ctx, began, came, stderr))
}

// try plays the checks, and stops once more of them would say nothing new.
func (j judging) try(ctx context.Context, came *report.Result, out, stderr io.Writer) error {
	ready := j.showBuilding(stderr)
	candidate, took, blocked, err := j.bench.Admit(ctx, j.code.Code, j.work)
	ready()
	came.Took.Took, came.Blocked = took, blocked
	if blocked != nil || err != nil {
		return err
	}
	defer candidate.Release()
	chosen, err := j.checks()
	if err != nil {
		return err
	}
	seed, err := j.code.Seed()
	if err != nil {
		return err
	}
	play := func(l lesson.Lesson, chosen []lesson.Check, world chooser) (verdicts []judge.Verdict, err error) {
		board := report.NewBoard(out, stderr, chosen)
		stop := board.KeepTelling()
		defer stop()
		verdicts, came.Blocked, err = judge.Judge(ctx, candidate, l, chosen, judge.Reporting{
			Pictures: j.pictures, Again: came.Again, Done: board.Done, Waiting: board.Waiting,
			World: world,
		})
		came.Lines += board.Lines()
		return verdicts, err
	}
	if again := j.again(len(chosen)); len(again) > 0 {
		fmt.Fprintln(out, "First what failed last time:")
		if failing, err := tryAgain(came, again, play); err != nil || failing {
			return err
		}
		fmt.Fprintln(out, "\nThat passes. Now all checks:")
	}
	rounds, err := j.rounds(j.lesson.Kind)
	if err != nil {
		return err
	}
	began := time.Now()
	for i, round := range rounds {
		if round.heading != "" {
			fmt.Fprintf(out, "%s%s\n", strings.Repeat("\n", min(i, 1)), round.heading)
		}
		these := round.of(chosen, seed)
		verdicts, err := play(j.lesson.Lesson, these, judge.Spread(these, round.worlds, seed))
		came.Add(verdicts)
		came.Took.Own = time.Since(began)
		if err != nil || came.Failed() {
			return err
		}
	}
	if came.Single {
		return nil
	}
	began = time.Now()
	for _, earlier := range j.lesson.Earlier() {
		fmt.Fprintf(out, "\nAnd what lesson %d asks for:\n", earlier.Number)
		verdicts, err := play(earlier, earlier.Checks, judge.Spread(earlier.Checks, rounds[0].worlds, seed))
		if err != nil || came.Blocked != nil {
			return err
		}
		came.Earlier = append(came.Earlier, verdicts...)
		came.Took.Earlier = time.Since(began)
	}
	return nil
}

// note puts a result of the learner's own code on record, for which the learner has waited since began.
func (j judging) note(ctx context.Context, began time.Time, came report.Result, stderr io.Writer) error {
	if !j.code.Own {
		return nil
	}
	now := time.Now()
	root, err := came.Root()
	if err != nil {
		return err
	}
	return record.Change(ctx, stderr, func(r *record.Record) {
		known := r.Lesson(j.lesson.Number)
		known.Begin(began)
		if came.Blocked != nil {
			known.Block(now, came.Blocked.Title)
			return
		}
		known.Judge(now, came.Own)
		if !came.Single && !came.Partial {
			known.Root = root
		}
		if came.Passed() && !came.Single {
			known.Finish(began, now)
		}
	})
}

// conclude says how it ended, and what to do next.
func (r request) conclude(came report.Result, out io.Writer) error {
	if err := came.Conclude(out); err != nil {
		return err
	}
	if !r.code.Own || came.Single {
		return nil
	}
	left, err := tasks(r.lesson.Course.Path(r.lesson.Folder()))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Well done: lesson %d is finished. %s\n", r.lesson.Number, whatFollows(r.lesson.Number))
	writeLeft(out, left)
	return nil
}

// removePictures removes the pictures and logs of the previous run that this run may write again.
func (j judging) removePictures() error {
	for _, kind := range []string{".html", ".log"} {
		old, err := repo.Glob(j.pictures, cmp.Or(string(j.check), "*")+kind)
		if err != nil {
			return err
		}
		for _, file := range old {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	return nil
}
