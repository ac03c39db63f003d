package main

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

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/assets"
)

func newMeasureCmd() *cobra.Command {
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

// runMeasure writes a table to out, as docs/performance.md shows it, and how far it is to progress.
func runMeasure(ctx context.Context, repeat int, out, progress io.Writer) error {
	if _, err := assets.ControlPlane(ctx, progress); err != nil {
		return err
	}
	folder, err := runsFolder("measure")
	if err != nil {
		return err
	}
	release, err := waitForTurn(ctx, folder, progress)
	if err != nil {
		return err
	}
	defer release()
	fmt.Fprintln(out, "| lesson | checks | `make lesson-N test` | building | control plane | checks | under `watch` |")
	fmt.Fprintln(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, one := range checks.Lessons() {
		l, err := findLesson(one.Number)
		if err != nil {
			return err
		}
		fmt.Fprintf(progress, "lesson %d, %d times each way\n", l.Number, repeat)
		row, err := measureLesson(ctx, l, folder, repeat)
		if ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			return fmt.Errorf("measure lesson %d: %w", l.Number, err)
		}
		fmt.Fprintln(out, row)
	}
	return nil
}

// measureLesson returns the row of a lesson: with a control plane of its own each time, and with one that
// stays up.
func measureLesson(ctx context.Context, l lesson, folder string, repeat int) (string, error) {
	source := filepath.Join(folder, l.Slug)
	if err := os.RemoveAll(source); err != nil {
		return "", err
	}
	if err := os.CopyFS(source, os.DirFS(l.Solution)); err != nil {
		return "", err
	}
	defer os.RemoveAll(source)
	m := measuring{lesson: l, source: source, dir: filepath.Join(folder, "work")}

	var alone []times
	for range repeat {
		took, err := m.afresh(ctx)
		if err != nil {
			return "", err
		}
		alone = append(alone, took)
	}
	held, err := openCourt(ctx, l, m.dir, "", true)
	if err != nil {
		return "", err
	}
	defer held.close()
	var kept []times
	for i := range repeat + 1 {
		took, err := m.once(ctx, held)
		if err != nil {
			return "", err
		}
		if i > 0 { // at first the control plane is on its way
			kept = append(kept, took)
		}
	}
	return fmt.Sprintf("| %d | %d | %s | %s | %s | %s | %s |", l.Number, len(l.judged.Checks),
		spread(alone, func(t times) time.Duration { return t.whole }),
		spread(alone, func(t times) time.Duration { return t.build }),
		spread(alone, func(t times) time.Duration { return t.ground }),
		spread(alone, func(t times) time.Duration { return t.own }),
		spread(kept, func(t times) time.Duration { return t.whole })), nil
}

// measuring judges copies of a solution.
type measuring struct {
	lesson      lesson
	source, dir string
	edits       int
}

// afresh judges as make lesson-N test does.
func (m *measuring) afresh(ctx context.Context) (times, error) {
	began := time.Now()
	held, err := openCourt(ctx, m.lesson, m.dir, "", false)
	if err != nil {
		return times{}, err
	}
	took, err := m.once(ctx, held)
	took.whole = time.Since(began) // what is stopped afterwards nobody waits for
	return took, errors.Join(err, held.close())
}

// once edits the code and has it judged by the lesson's own checks.
func (m *measuring) once(ctx context.Context, held court) (took times, err error) {
	if err := m.edit(); err != nil {
		return took, err
	}
	began := time.Now()
	blocked, err := held.prepare(ctx, code{folder: m.source}, &took)
	judged := time.Now()
	var verdicts []checks.Verdict
	if blocked == nil && err == nil {
		silent := hearing{again: func(checks.Check) string { return "" }, say: func(checks.Verdict) {}}
		verdicts, blocked, err = held.judge(ctx, m.lesson.judged, m.lesson.judged.Checks, silent)
	}
	took.own, took.whole = time.Since(judged), time.Since(began)
	switch bad := failing(verdicts); {
	case err != nil:
		return took, err
	case blocked != nil:
		return took, fmt.Errorf("the solution could not be judged: %s", blocked.What)
	case len(bad) > 0:
		return took, fmt.Errorf("the solution fails %s: %s", strings.Join(ids(bad), ", "), bad[0].Findings[0].What)
	default:
		return took, nil
	}
}

// edit changes what the compiler and the linker have to do.
func (m *measuring) edit() error {
	files, err := filepath.Glob(filepath.Join(m.source, "*.go"))
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

// spread is the median of some times, and the least and the most.
func spread(all []times, of func(times) time.Duration) string {
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
