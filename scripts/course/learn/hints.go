package learn

import (
	"errors"
	"fmt"
	"strings"

	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/lesson"
)

// hintsEach is how many hints there are for each check; the last one nearly gives it away.
const hintsEach = 3

// hints are those for one check.
type hints struct {
	id    lesson.ID
	title string
	texts []string
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
		one := hints{id: lesson.ID(id), title: title}
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

// agree says where hints differ from the lesson's checks: the same IDs and titles, in the same order.
func agree(all []hints, l lesson.Lesson) error {
	var problems []error
	for i := range max(len(all), len(l.Checks)) {
		have, want := "nothing", "nothing"
		if i < len(all) {
			have = string(all[i].id) + " " + all[i].title
		}
		if i < len(l.Checks) {
			want = string(l.Checks[i].ID) + " " + l.Checks[i].Title
		}
		if have != want {
			problems = append(problems, fmt.Errorf("lesson %d: the hints have %q where the checks have %q", l.Number, have, want))
		}
	}
	return errors.Join(problems...)
}
