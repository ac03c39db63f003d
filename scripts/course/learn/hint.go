package learn

import (
	"fmt"
	"os"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

func hintCommand() *cobra.Command {
	var id string
	command := usage.Command("hint N", "Help with the failed check to start with: a little more each time", func(cmd *cobra.Command, l usage.Lesson) error {
		return showHint(cmd, l, lesson.ID(id))
	})
	command.Flags().StringVar(&id, "check", "", "the check to help with")
	return command
}

func showHint(cmd *cobra.Command, l usage.Lesson, id lesson.ID) error {
	path := l.Course.Path(l.Folder(), "hints.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the hints of lesson %d: %w", l.Number, err)
	}
	all, err := parseHints(repo.Short(path), text)
	if err != nil {
		return err
	}
	known, err := record.Read(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	check, why, err := hintFor(l, known.Lesson(l.Number), id)
	if err != nil {
		return err
	}
	if why != "" {
		fmt.Fprintln(cmd.OutOrStdout(), why)
		return nil
	}
	for _, one := range all {
		if one.id != check.ID {
			continue
		}
		shown := 0
		err := record.Change(cmd.Context(), cmd.ErrOrStderr(), func(r *record.Record) {
			shown = take(r.Lesson(l.Number).Check(check.ID), time.Now())
		})
		if err != nil {
			return err
		}
		if shown == 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "The third hint for %s nearly gives the solution away. Try the second one first: %s\n"+
				"If the check fails again, the third hint opens.\n", check.ID, usage.Test(check.ID))
			return nil
		}
		return writeHint(cmd, l, one, shown)
	}
	return fmt.Errorf("%s has no hints for check %s", repo.Short(path), check.ID)
}

// take takes the next hint for a check, and returns its number. The last hint nearly gives the solution away. So for
// a check that does not pass, it opens only once the check has failed since the hint before; 0 says that it has not.
func take(of *record.Check, now time.Time) (number int) {
	tried := of.Failed.After(of.Hinted) || of.Result == record.Passed
	if of.Hints == hintsEach-1 && !tried {
		return 0
	}
	if of.Hints < hintsEach {
		of.Hints, of.Hinted = of.Hints+1, now
	}
	return of.Hints
}

// hintFor chooses the check to help with: the one to start with or, if that passes by now, the first that failed. If
// there is none, it says why.
func hintFor(l usage.Lesson, known *record.Lesson, id lesson.ID) (check lesson.Check, why string, err error) {
	if id != "" {
		if id, err = hintsOf(l, id); err != nil {
			return check, "", err
		}
		check, err = l.Check(id, usage.Hint)
		return check, "", err
	}
	if known.Blocked != "" {
		return check, fmt.Sprintf("The last run could not judge anything. This has to hold first: %q. %s finding shows what is wrong, and where to read how to fix it.",
			known.Blocked, usage.Goal(l.Number)), nil
	}
	if root := known.Root; root != "" && known.Check(root).Result == record.Failed {
		check, err = l.Check(root, usage.Hint)
		return check, "", err
	}
	judged := false
	for _, check := range l.Checks {
		switch one := known.Checks[check.ID]; {
		case one == nil || one.Result == "":
		case one.Result == record.Failed:
			return check, "", nil
		default:
			judged = true
		}
	}
	if !judged {
		return check, fmt.Sprintf("Nothing has been judged yet, so there is nothing to help with. Begin with %s test; CHECK=%s gives a hint for that check all the same.",
			usage.Goal(l.Number), l.Checks[0].ID), nil
	}
	return check, fmt.Sprintf("No check failed when they were judged last. CHECK=%s gives a hint for that check all the same.", l.Checks[0].ID), nil
}

// hintsOf is the check whose hints help with a check that the user has named, which may be one on real containers.
func hintsOf(l usage.Lesson, id lesson.ID) (lesson.ID, error) {
	rule, err := e2e.Find(string(id))
	if err != nil { // it is the lesson's own, if anything
		return id, nil
	}
	if rule.Check.Lesson() != l.Number {
		return "", usage.Errorf("the hints that help with %s are those for check %s: %s", id, rule.Check, usage.Hint(rule.Check))
	}
	return rule.Check, nil
}

func writeHint(cmd *cobra.Command, l usage.Lesson, of hints, shown int) error {
	out := cmd.OutOrStdout()
	laidOut, err := layOut([]byte(of.texts[shown-1]), out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n%s", color.New(color.Bold).Sprintf("Hint %d of %d for %s %s", shown, hintsEach, of.id, of.title), laidOut)
	if shown < hintsEach {
		fmt.Fprintf(out, "\nMore: %s\n", usage.Hint(of.id))
		return nil
	}
	fmt.Fprintf(out, "\nThat was the last one. The difference from your code to the solution: %s diff\n", usage.Goal(l.Number))
	return nil
}
