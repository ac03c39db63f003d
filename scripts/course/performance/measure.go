package performance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutants"
)

// MeasureCommand returns the command measure.
func MeasureCommand() *cobra.Command {
	var repeat int
	command := &cobra.Command{
		Use:   "measure",
		Short: "Measure how long it takes from a save to the verdict, for the solution of each lesson",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMeasure(cmd.Context(), repeat, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().IntVar(&repeat, "repeat", 10, "how often")
	return command
}

// runMeasure writes a table to out, as docs/performance.md shows it, and what it is doing to stderr.
func runMeasure(ctx context.Context, repeat int, out, stderr io.Writer) error {
	folder, release, err := runs.Prepare(ctx, "measure", stderr)
	if err != nil {
		return err
	}
	defer release()
	fmt.Fprintln(out, "| lesson | checks | `make lesson-N test` | building | control plane | checks | under `watch` | failing | failing again |")
	fmt.Fprintln(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, one := range checks.Lessons() {
		l, err := usage.Find(one.Number)
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "lesson %d, %d times each way\n", l.Number, repeat)
		row, err := measureLesson(ctx, l, folder, repeat)
		if err != nil {
			return fmt.Errorf("measure lesson %d: %w", l.Number, err)
		}
		fmt.Fprintln(out, row)
	}
	return nil
}

// measureLesson returns the row of a lesson: with a control plane of its own each time, with one that stays up, and for
// wrong versions, which fail, and fail again under watch.
func measureLesson(ctx context.Context, l usage.Lesson, folder string, repeat int) (string, error) {
	source := filepath.Join(folder, l.Slug)
	if err := os.RemoveAll(source); err != nil {
		return "", err
	}
	if err := os.CopyFS(source, os.DirFS(l.Course.Path(l.Solution()))); err != nil {
		return "", err
	}
	defer os.RemoveAll(source)
	m := measuring{lesson: l, source: source, dir: filepath.Join(folder, "work")}

	var alone []report.Times
	for range repeat {
		took, err := m.once(ctx)
		if err != nil {
			return "", err
		}
		alone = append(alone, took)
	}
	kept, err := m.watched(ctx, repeat)
	if err != nil {
		return "", err
	}
	wrong, again, err := m.wrong(ctx, repeat)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("| %d | %d | %s | %s | %s | %s | %s | %s | %s |", l.Number, len(l.Checks),
		spread(alone, func(t report.Times) time.Duration { return t.Whole }),
		spread(alone, func(t report.Times) time.Duration { return t.Building }),
		spread(alone, func(t report.Times) time.Duration { return t.ControlPlane }),
		spread(alone, func(t report.Times) time.Duration { return t.Own }),
		spread(kept, func(t report.Times) time.Duration { return t.Whole }),
		spread(wrong, func(t report.Times) time.Duration { return t.Whole }),
		spread(again, func(t report.Times) time.Duration { return t.Whole })), nil
}

// measuring judges copies of a solution.
type measuring struct {
	lesson      usage.Lesson
	source, dir string
	edits       int
	fails       bool // a wrong version, which has to fail
}

// once judges as make lesson-N test does.
func (m *measuring) once(ctx context.Context) (report.Times, error) {
	began := time.Now()
	bench := judge.Open(ctx, m.lesson.Kind, m.dir)
	took, _, err := m.judge(ctx, bench, m.lesson.Checks)
	took.Whole = time.Since(began) // the user does not wait for what stops afterwards
	return took, errors.Join(err, bench.Close())
}

// watched judges repeatedly as make lesson-N watch does.
func (m *measuring) watched(ctx context.Context, repeat int) (kept []report.Times, err error) {
	bench := judge.Open(ctx, m.lesson.Kind, m.dir)
	defer func() { err = errors.Join(err, bench.Close()) }()
	for i := range repeat + 1 {
		took, _, err := m.judge(ctx, bench, m.lesson.Checks)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first time, the control plane is still starting
			kept = append(kept, took)
		}
	}
	return kept, nil
}

// wrong judges so many wrong versions, from all over the list: as make lesson-N test does, and then once more as make
// lesson-N watch does, by the checks that have failed.
func (m *measuring) wrong(ctx context.Context, many int) (took, again []report.Times, err error) {
	all, err := mutants.LoadLesson(m.lesson.Number)
	if err != nil {
		return nil, nil, err
	}
	all = slices.DeleteFunc(all, func(mutant mutants.Mutant) bool { // what only a cluster shows, or another world
		return mutant.CaughtBy.Check == "" || mutant.World != ""
	})
	m.fails = true
	for i := range many {
		if err := os.RemoveAll(m.source); err != nil {
			return nil, nil, err
		}
		if err := all[i*len(all)/many].Copy(m.source); err != nil {
			return nil, nil, err
		}
		first, second, err := m.twice(ctx)
		if err != nil {
			return nil, nil, err
		}
		took, again = append(took, first), append(again, second)
	}
	return took, again, nil
}

// twice judges by all checks and then, after a save that changes nothing of it, by those that have failed.
func (m *measuring) twice(ctx context.Context) (first, again report.Times, err error) {
	began := time.Now()
	bench := judge.Open(ctx, m.lesson.Kind, m.dir)
	defer func() { err = errors.Join(err, bench.Close()) }()
	first, failed, err := m.judge(ctx, bench, m.lesson.Checks)
	first.Whole = time.Since(began)
	if err != nil {
		return first, again, err
	}
	again, _, err = m.judge(ctx, bench, failed)
	return first, again, err
}

// judge edits the code, has it judged by checks of the lesson, and returns those that failed, or all if none could be judged.
func (m *measuring) judge(ctx context.Context, bench judge.Bench, by []lesson.Check) (took report.Times, failed []lesson.Check, err error) {
	if err := m.edit(); err != nil {
		return took, nil, err
	}
	began := time.Now()
	candidate, admitted, blocked, err := bench.Admit(ctx, judge.Code{Folder: m.source}, filepath.Join(m.dir, "code"))
	took.Took = admitted
	judged := time.Now()
	var verdicts []judge.Verdict
	if blocked == nil && err == nil {
		defer candidate.Release()
		verdicts, blocked, err = judge.Judge(ctx, candidate, m.lesson.Lesson, by, judge.Reporting{})
	}
	took.Own, took.Whole = time.Since(judged), time.Since(began)
	bad := report.Failing(verdicts)
	for _, verdict := range bad {
		failed = append(failed, verdict.Check)
	}
	switch {
	case err != nil:
		return took, nil, err
	case m.fails && blocked != nil: // nothing can be judged, next time neither
		return took, by, nil
	case blocked != nil:
		return took, nil, fmt.Errorf("the code in %s could not be judged: %s", m.source, blocked.What)
	case m.fails && len(bad) == 0:
		return took, nil, fmt.Errorf("the wrong version in %s passes", m.source)
	case !m.fails && len(bad) > 0:
		return took, nil, fmt.Errorf("the solution fails %s: %s", report.IDs(bad), bad[0].Findings[0].What)
	default:
		return took, failed, nil
	}
}

// edit makes a change that the compiler and the linker have to process.
func (m *measuring) edit() error {
	files, err := repo.Glob(m.source, "*.go")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	m.edits++
	_, err = fmt.Fprintf(file, "\nvar edited%d = %q\n\nfunc init() { edited%d += %q }\n", m.edits, time.Now(), m.edits, "!")
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	return err
}

// spread is the median of some times, with the minimum and the maximum.
func spread(all []report.Times, of func(report.Times) time.Duration) string {
	var seconds []float64
	for _, one := range all {
		seconds = append(seconds, of(one).Seconds())
	}
	slices.Sort(seconds)
	if seconds[len(seconds)-1] == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f s (%.1f to %.1f)", seconds[len(seconds)/2], seconds[0], seconds[len(seconds)-1])
}
