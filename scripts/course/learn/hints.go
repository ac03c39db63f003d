package learn

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

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

var (
	hintsTitle   = regexp.MustCompile(`^# Hints: \S.*$`)
	hintsSection = regexp.MustCompile(`^## ([0-9]+\.[0-9]+) (\S.*)$`)
	hintsItem    = regexp.MustCompile(`^([0-9]+)\. (\S.*)$`)
)

// parseHints reads a lesson's hints.md. Its errors name the line.
func parseHints(file string, text []byte) ([]hints, error) {
	var all []hints
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if err := takeHintLine(&all, i == 0, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	for _, one := range all {
		if len(one.texts) != hintsEach {
			return nil, fmt.Errorf("%s: check %s has %d hints; each check has %d", file, one.id, len(one.texts), hintsEach)
		}
		for i := range one.texts {
			one.texts[i] = strings.TrimSpace(one.texts[i])
		}
	}
	return all, nil
}

// takeHintLine adds the next line.
func takeHintLine(all *[]hints, first bool, line string) error {
	section, item := hintsSection.FindStringSubmatch(line), hintsItem.FindStringSubmatch(line)
	blank := strings.TrimSpace(line) == ""
	switch {
	case first:
		if !hintsTitle.MatchString(line) {
			return errors.New(`the first line has to be "# Hints: " and the lesson's title`)
		}
		return nil
	case section != nil:
		*all = append(*all, hints{id: lesson.ID(section[1]), title: section[2]})
		return nil
	case len(*all) == 0 && blank:
		return nil
	case len(*all) == 0:
		return errors.New(`before the first hint there has to be "## ", a check's ID and its title`)
	}
	current := &(*all)[len(*all)-1]
	switch {
	case item != nil:
		if want := fmt.Sprint(len(current.texts) + 1); item[1] != want {
			return fmt.Errorf("this is hint %s of check %s, but it has the number %s", want, current.id, item[1])
		}
		current.texts = append(current.texts, item[2])
	case len(current.texts) == 0 && blank:
	case len(current.texts) == 0:
		return fmt.Errorf("check %s has text that is in none of its hints; a hint begins with its number, as in \"1. \"", current.id)
	case !blank && !strings.HasPrefix(line, "   "):
		return errors.New("the next lines of a hint have to be indented by three spaces")
	default:
		last := len(current.texts) - 1
		current.texts[last] += "\n" + strings.TrimPrefix(line, "   ")
	}
	return nil
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
