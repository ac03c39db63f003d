package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fatih/color"

	"example.com/controller-course/tests/checks"
	findings "example.com/controller-course/tests/kit/finding"
)

// A trial is what came of judging code by what a lesson asks for.
type trial struct {
	lesson  lesson
	command string // that judges it again: "make lesson-3 test"
	code    code
	single  bool // only one check was to be judged

	blocked *findings.Finding // why nothing could be judged
	own     []checks.Verdict
	earlier []checks.Verdict // by the checks of earlier lessons; none unless all of the lesson's own passed
	told    int              // lines about checks
	took    times
}

// passed says whether everything passed that was judged.
func (t trial) passed() bool {
	return t.blocked == nil && len(failing(t.own)) == 0 && len(failing(t.earlier)) == 0
}

func failing(verdicts []checks.Verdict) []checks.Verdict {
	var failing []checks.Verdict
	for _, verdict := range verdicts {
		if len(verdict.Findings) > 0 {
			failing = append(failing, verdict)
		}
	}
	return failing
}

// writeVerdict writes a line about a check.
func writeVerdict(out io.Writer, verdict checks.Verdict) {
	line := resultLine(resultOf(verdict), verdict.Check)
	if verdict.Skipped != "" {
		line += fmt.Sprintf(" (not judged: %s)", verdict.Skipped)
	}
	fmt.Fprintln(out, line)
}

func resultLine(of result, check checks.Check) string {
	mark := map[result]string{
		"":      color.New(color.Faint).Sprint("·"),
		passed:  color.GreenString("✓"),
		failed:  color.RedString("✗"),
		skipped: color.YellowString("–"),
	}[of]
	return fmt.Sprintf("%s %-5s %s", mark, check.ID, check.Title)
}

// write says what the lines about each check have not said yet: what is wrong first of all, with one finding,
// and what else failed.
func (t trial) write(out io.Writer) error {
	if t.blocked != nil {
		return t.writeBlocked(out)
	}
	bad := failing(t.own)
	if len(bad) == 0 {
		bad = failing(t.earlier)
	}
	if len(bad) == 0 {
		return nil
	}
	fmt.Fprintln(out)
	shown := first(bad)
	if err := writeFinding(out, bad[shown].Findings[0]); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if others := ids(append(bad[:shown:shown], bad[shown+1:]...)); len(others) > 0 {
		fmt.Fprintf(out, "%s too: %s. One alone: %s\n", failedToo(len(others)), strings.Join(others, ", "), t.again(others[0]))
	}
	if t.code.own { // hints are for who writes the code
		fmt.Fprintf(out, "A hint: %s\n", t.hint(bad[shown].Check.ID))
	}
	return nil
}

func failedToo(n int) string {
	if n == 1 {
		return "1 other check failed"
	}
	return fmt.Sprintf("%d other checks failed", n)
}

func (t trial) writeBlocked(out io.Writer) error {
	if t.told > 0 {
		fmt.Fprintln(out)
	}
	if err := writeFinding(out, *t.blocked); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nNothing was judged.")
	return nil
}

func writeFinding(out io.Writer, found findings.Finding) error {
	if found.Picture != "" {
		found.Picture = fromHere(found.Picture)
	}
	return findings.Write(out, found, !color.NoColor)
}

// first is the check whose finding is shown: one by which others may fail too, because the program itself
// does not do well, or else the first.
func first(bad []checks.Verdict) int {
	for i, verdict := range bad {
		if string(verdict.Findings[0].Check) != verdict.Check.ID {
			return i
		}
	}
	return 0
}

func ids(verdicts []checks.Verdict) []string {
	var ids []string
	for _, verdict := range verdicts {
		ids = append(ids, verdict.Check.ID)
	}
	return ids
}

// again is the command that judges a check again, alone.
func (t trial) again(id string) string {
	if t.isOwn(id) {
		return t.command + checkArgument(id) + t.code.typed
	}
	return testFrom(id) + t.code.elsewhere(t.lesson)
}

// testFrom is the command that judges by a check, by the lesson that has it.
func testFrom(id string) string {
	return fmt.Sprintf("make lesson-%s test%s", lessonOf(id), checkArgument(id))
}

// hint is the command that helps when a check fails. Unless it is told which one, it helps with the first of
// the lesson's own that failed.
func (t trial) hint(id string) string {
	if bad := failing(t.own); !t.single && len(bad) > 0 && bad[0].Check.ID == id {
		return goal(t.lesson.Number) + " hint"
	}
	return hintFrom(id)
}

func (t trial) isOwn(id string) bool { return lessonOf(id) == fmt.Sprint(t.lesson.Number) }

// lessonOf is the number of the lesson that has a check.
func lessonOf(id string) string {
	number, _, _ := strings.Cut(id, ".")
	return number
}

// verdict is the end of it: how many failed, as an error, or that all is well.
func (t trial) verdict(out io.Writer) error {
	if t.blocked != nil {
		return fmt.Errorf("lesson %d: nothing could be judged", t.lesson.Number)
	}
	if bad := failing(t.own); len(bad) > 0 {
		return fmt.Errorf("lesson %d: %d of %s failed", t.lesson.Number, len(bad), countChecks(len(t.own)))
	}
	if bad := failing(t.earlier); len(bad) > 0 {
		return fmt.Errorf("lesson %d: its own checks pass, but %d of %s of earlier lessons failed", t.lesson.Number, len(bad), countChecks(len(t.earlier)))
	}
	fmt.Fprintln(out)
	switch {
	case t.single:
		fmt.Fprintf(out, "Check %s passes. All of them: %s%s\n", t.own[0].Check.ID, t.command, t.code.typed)
	case len(t.earlier) > 0:
		fmt.Fprintf(out, "All %s of lesson %d pass, and so do all %d of the lessons before it.\n", countChecks(len(t.own)), t.lesson.Number, len(t.earlier))
	default:
		fmt.Fprintf(out, "All %s of lesson %d pass.\n", countChecks(len(t.own)), t.lesson.Number)
	}
	return nil
}

func countChecks(n int) string {
	if n == 1 {
		return "1 check"
	}
	return fmt.Sprintf("%d checks", n)
}

// writeTimes says how long it took, and what took it.
func (t trial) writeTimes(out io.Writer) {
	var parts []string
	for _, part := range []struct {
		name string
		took time.Duration
	}{
		{"building", t.took.build},
		{"the control plane meanwhile", t.took.ground},
		{"checks", t.took.own},
		{"those of earlier lessons", t.took.earlier},
	} {
		if part.took > 0 {
			parts = append(parts, part.name+" "+seconds(part.took))
		}
	}
	line := fmt.Sprintf("%s in all: %s", seconds(t.took.whole), strings.Join(parts, ", "))
	fmt.Fprintln(out, color.New(color.Faint).Sprint(line))
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
