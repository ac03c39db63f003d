// Package report shows a learner the result of judging their code.
package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// Line is a line about a check.
func Line(of record.Result, id, title string) string {
	mark := map[record.Result]string{
		"":               color.New(color.Faint).Sprint("·"),
		record.Passed:    color.GreenString("✓"),
		record.Failed:    color.RedString("✗"),
		record.NotJudged: color.YellowString("–"),
	}[of]
	return fmt.Sprintf("%s %-5s %s", mark, id, title)
}

// Verdict writes a line about a check that was judged.
func Verdict(out io.Writer, verdict judge.Verdict) {
	line := Line(record.ResultOf(verdict), string(verdict.Check.ID), verdict.Check.Title)
	if !verdict.World.IsPlain() {
		line += fmt.Sprintf(" (%s)", verdict.World.Name)
	}
	if verdict.NotJudged != "" {
		line += fmt.Sprintf(" (not judged: %s)", verdict.NotJudged)
	}
	fmt.Fprintln(out, line)
}

// Finding writes a finding in full.
func Finding(out io.Writer, found finding.Finding) error {
	if found.Picture != "" {
		found.Picture = repo.Short(found.Picture)
	}
	return finding.Write(out, found, !color.NoColor)
}

// Checks is a number of checks.
func Checks(n int) string {
	if n == 1 {
		return "1 check"
	}
	return fmt.Sprintf("%d checks", n)
}

// Failing returns the verdicts on checks that failed.
func Failing(verdicts []judge.Verdict) []judge.Verdict {
	var failing []judge.Verdict
	for _, verdict := range verdicts {
		if len(verdict.Findings) > 0 {
			failing = append(failing, verdict)
		}
	}
	return failing
}

// Unjudged returns the verdicts on checks that could not be judged.
func Unjudged(verdicts []judge.Verdict) []judge.Verdict {
	var unjudged []judge.Verdict
	for _, verdict := range verdicts {
		if len(verdict.Findings) == 0 && verdict.NotJudged != "" {
			unjudged = append(unjudged, verdict)
		}
	}
	return unjudged
}

// IDs names the checks of verdicts.
func IDs(verdicts []judge.Verdict) string {
	var ids []string
	for _, verdict := range verdicts {
		ids = append(ids, string(verdict.Check.ID))
	}
	return strings.Join(ids, ", ")
}

// A Result is the result of judging code by the checks of a lesson and of earlier ones.
type Result struct {
	Lesson  usage.Lesson
	Code    usage.Code
	Command string // that judges it again: "make lesson-3 test"
	Single  bool   // only one check was selected
	Partial bool   // only what had failed before was played, because it failed again

	Blocked *finding.Finding // why nothing could be judged
	Own     []judge.Verdict
	Earlier []judge.Verdict // by the checks of earlier lessons; none unless all of the lesson's own passed
	Lines   int             // how many lines about checks there are
	Took    Times
}

// Times are how long the parts of a judging took.
type Times struct {
	judge.Took
	Own     time.Duration // the lesson's checks
	Earlier time.Duration // the checks of earlier lessons
	Whole   time.Duration
}

// Failed says whether something failed.
func (r Result) Failed() bool {
	return r.Blocked != nil || len(Failing(r.Own)) > 0 || len(Failing(r.Earlier)) > 0
}

// Passed says whether everything passed. What was not judged has not.
func (r Result) Passed() bool {
	return !r.Failed() && len(Unjudged(r.Own)) == 0 && len(Unjudged(r.Earlier)) == 0
}

// Add adds the verdicts of another round of the lesson's own checks. A check that failed or was not judged in one round has
// not passed.
func (r *Result) Add(round []judge.Verdict) {
	for _, verdict := range round {
		i := slices.IndexFunc(r.Own, func(known judge.Verdict) bool { return known.Check.ID == verdict.Check.ID })
		switch {
		case i < 0:
			r.Own = append(r.Own, verdict)
		case !verdict.Passed():
			r.Own[i] = verdict
		}
	}
}

// Write adds what the lines about each check do not say: which failed check to start with, its finding in full, and
// how long everything took.
func (r Result) Write(out io.Writer) error {
	if err := r.WriteProblem(out); err != nil {
		return err
	}
	r.writeTimes(out)
	return nil
}

// Again is the command that judges by a check alone, in a world.
func (r Result) Again(check lesson.Check, world worlds.World) string {
	in := ""
	if !world.IsPlain() {
		in = " WORLD=" + world.Name
	}
	if check.ID.Lesson() == r.Lesson.Number {
		return r.Command + usage.Check(check.ID) + in + r.Code.Typed
	}
	return usage.Test(check.ID) + in + r.Code.Elsewhere(r.Lesson)
}

// Conclude says that all is well, or returns as an error how many checks failed, or which could not be judged.
func (r Result) Conclude(out io.Writer) error {
	if r.Blocked != nil {
		return fmt.Errorf("lesson %d: nothing could be judged", r.Lesson.Number)
	}
	if r.Partial {
		all, pass := slices.Concat(r.Own, r.Earlier), "these pass"
		if len(all) == 1 {
			pass = "it passes"
		}
		return fmt.Errorf("lesson %d: %d of %s failed again; the others are played once %s", r.Lesson.Number, len(Failing(all)), Checks(len(all)), pass)
	}
	if bad := Failing(r.Own); len(bad) > 0 {
		return fmt.Errorf("lesson %d: %d of %s failed", r.Lesson.Number, len(bad), Checks(len(r.Own)))
	}
	if bad := Failing(r.Earlier); len(bad) > 0 {
		return fmt.Errorf("lesson %d: its own checks pass, but %d of %s of earlier lessons failed", r.Lesson.Number, len(bad), Checks(len(r.Earlier)))
	}
	if unjudged := slices.Concat(Unjudged(r.Own), Unjudged(r.Earlier)); len(unjudged) > 0 {
		return usage.NotJudgedf("lesson %d: nothing failed, but %d of %s could not be judged: %s",
			r.Lesson.Number, len(unjudged), Checks(len(r.Own)+len(r.Earlier)), IDs(unjudged))
	}
	fmt.Fprintln(out)
	switch {
	case r.Single:
		fmt.Fprintf(out, "Check %s passes. All of them: %s%s\n", r.Own[0].Check.ID, r.Command, r.Code.Typed)
	case len(r.Earlier) > 0:
		fmt.Fprintf(out, "All %s of lesson %d pass, and so do all %d of the lessons before it.\n", Checks(len(r.Own)), r.Lesson.Number, len(r.Earlier))
	default:
		fmt.Fprintf(out, "All %s of lesson %d pass.\n", Checks(len(r.Own)), r.Lesson.Number)
	}
	return nil
}

func (r Result) writeTimes(out io.Writer) {
	var parts []string
	for _, part := range []struct {
		name string
		took time.Duration
	}{
		{"building", r.Took.Building},
		{"checks", r.Took.Own},
		{"those of earlier lessons", r.Took.Earlier},
	} {
		text := part.name + " " + seconds(part.took)
		if part.name == "building" && r.Took.ControlPlane > 0 {
			text += fmt.Sprintf(" (control plane %s, in parallel)", seconds(r.Took.ControlPlane))
		}
		if part.took > 0 {
			parts = append(parts, text)
		}
	}
	line := fmt.Sprintf("%s in all: %s", seconds(r.Took.Whole), strings.Join(parts, ", "))
	fmt.Fprintln(out, color.New(color.Faint).Sprint(line))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
