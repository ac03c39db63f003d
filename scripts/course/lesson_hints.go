package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/markdown"
)

// hintsEach is how many hints there are for each check; the last one nearly gives it away.
const hintsEach = 3

// hints are those for one check.
type hints struct {
	id, title string
	texts     []string
}

// parseHints reads a lesson's hints.md: a section for each check, with a list of hints. Its errors name the line.
func parseHints(file string, text []byte) ([]hints, error) {
	sections := markdown.Sections(text)
	if len(sections) == 0 || sections[0].Level != 1 || !strings.HasPrefix(sections[0].Heading, "Hints: ") {
		return nil, fmt.Errorf(`%s:1: the first line has to be "# Hints: " and the lesson's title`, file)
	}
	if before := sections[0].Blocks; len(before) > 0 {
		return nil, fmt.Errorf(`%s:%d: before the first hint there has to be "## ", a check's ID and its title`, file, before[0].Line)
	}
	var all []hints
	for _, section := range sections[1:] {
		id, title, _ := strings.Cut(section.Heading, " ")
		if title == "" {
			return nil, fmt.Errorf(`%s:%d: the heading has to be "## ", a check's ID and its title`, file, section.Line)
		}
		one := hints{id: id, title: title}
		for _, block := range section.Blocks {
			if len(block.Items) == 0 {
				return nil, fmt.Errorf("%s:%d: check %s has text that is in none of its hints; a hint begins with its number, as in \"1. \", "+
					"and what continues it is indented by three spaces", file, block.Line, id)
			}
			for _, item := range block.Items {
				number, hint, _ := strings.Cut(item.Source, ". ")
				if want := fmt.Sprint(len(one.texts) + 1); number != want {
					return nil, fmt.Errorf("%s:%d: this is hint %s of check %s, but it has the number %s", file, item.Line, want, id, number)
				}
				one.texts = append(one.texts, strings.ReplaceAll(hint, "\n   ", "\n"))
			}
		}
		if len(one.texts) != hintsEach {
			return nil, fmt.Errorf("%s:%d: check %s has %d hints; each check has %d", file, section.Line, id, len(one.texts), hintsEach)
		}
		all = append(all, one)
	}
	return all, nil
}

// agree says where hints are not for the lesson's checks: the same IDs and titles, in the same order.
func agree(all []hints, lesson checks.Lesson) error {
	var problems []error
	for i := range max(len(all), len(lesson.Checks)) {
		have, want := "nothing", "nothing"
		if i < len(all) {
			have = all[i].id + " " + all[i].title
		}
		if i < len(lesson.Checks) {
			want = lesson.Checks[i].ID + " " + lesson.Checks[i].Title
		}
		if have != want {
			problems = append(problems, fmt.Errorf("lesson %d: the hints have %q where the checks have %q", lesson.Number, have, want))
		}
	}
	return errors.Join(problems...)
}

func newHintCmd() *cobra.Command {
	var id string
	command := lessonCmd("hint N", "Help with the first check that failed: a little more each time", func(cmd *cobra.Command, l lesson) error {
		return runHint(cmd, l, id)
	})
	command.Flags().StringVar(&id, "check", "", "the check to help with")
	return command
}

func runHint(cmd *cobra.Command, l lesson, id string) error {
	file := filepath.Join(l.Folder, "hints.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the hints of lesson %d: %w", l.Number, err)
	}
	all, err := parseHints(fromHere(file), text)
	if err != nil {
		return err
	}
	kept, err := openProgress(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	known, err := kept.read()
	if err != nil {
		return err
	}
	check, why, err := hintFor(l, known.lesson(l.Number), id)
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
		err := kept.change(cmd.Context(), func(p *progress) {
			taken := &p.lesson(l.Number).check(check.ID).Hints
			*taken = min(*taken+1, hintsEach)
			shown = *taken
		})
		if err != nil {
			return err
		}
		return writeHint(cmd, l, one, shown)
	}
	return fmt.Errorf("%s has no hints for check %s", fromHere(file), check.ID)
}

// hintFor chooses the check that somebody needs help with: the first one that failed. If there is none, it
// says why.
func hintFor(l lesson, known *lessonProgress, id string) (check checks.Check, why string, err error) {
	if id != "" {
		if id, err = hintsOf(l, id); err != nil {
			return check, "", usageError{err}
		}
		chosen, err := l.choose(id, hintFrom)
		if err != nil {
			return check, "", usageError{err}
		}
		return chosen[0], "", nil
	}
	if known.Blocked != "" {
		return check, fmt.Sprintf("When it was judged last, nothing could be judged; what did not hold: %q. Mend that first; %s test says what is wrong.",
			known.Blocked, goal(l.Number)), nil
	}
	judged := false
	for _, check := range l.judged.Checks {
		switch one := known.Checks[check.ID]; {
		case one == nil || one.Result == "":
		case one.Result == failed:
			return check, "", nil
		default:
			judged = true
		}
	}
	if !judged {
		return check, fmt.Sprintf("Nothing has been judged yet, so there is nothing to help with. Begin with %s test; CHECK=%s gives a hint for that check all the same.",
			goal(l.Number), l.judged.Checks[0].ID), nil
	}
	return check, fmt.Sprintf("No check failed when they were judged last. CHECK=%s gives a hint for that check all the same.", l.judged.Checks[0].ID), nil
}

// hintsOf is the check whose hints help with the one that is named, which may be one on real containers.
func hintsOf(l lesson, id string) (string, error) {
	rule, err := e2e.Find(id)
	if err != nil { // it is the lesson's own, if anything
		return id, nil
	}
	if lessonOf(rule.Check) != fmt.Sprint(l.Number) {
		return "", fmt.Errorf("the hints that help with %s are those for check %s: %s", id, rule.Check, hintFrom(rule.Check))
	}
	return rule.Check, nil
}

func writeHint(cmd *cobra.Command, l lesson, of hints, shown int) error {
	out := cmd.OutOrStdout()
	laidOut, err := layOut([]byte(of.texts[shown-1]), out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n%s", color.New(color.Bold).Sprintf("Hint %d of %d for %s %s", shown, hintsEach, of.id, of.title), laidOut)
	if shown < hintsEach {
		fmt.Fprintf(out, "\nMore: %s hint%s\n", goal(l.Number), checkArgument(of.id))
		return nil
	}
	fmt.Fprintf(out, "\nThat was the last one. What leads from your code to the solution: %s diff\n", goal(l.Number))
	return nil
}

// hintFrom is the command that helps with a check, by the lesson that has it.
func hintFrom(id string) string {
	return fmt.Sprintf("make lesson-%s hint%s", lessonOf(id), checkArgument(id))
}

// checkArgument is what make is told to choose a check.
func checkArgument(id string) string { return " CHECK=" + id }
