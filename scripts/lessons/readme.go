package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"example.com/controller-course/tests/lesson"
)

const (
	readmeFile = "README.md"
	diffBegin  = "<!-- diff:begin -->"
	diffEnd    = "<!-- diff:end -->"
)

// A readme is a lesson's text, in which the difference to the lesson before is derived.
type readme struct {
	file          string
	before, after []byte
}

func (r readme) isStale() bool { return !bytes.Equal(r.before, r.after) }

// readme derives what a lesson's text tells of the difference to the one before it. A text that isn't
// written yet is left alone, as are those of lessons that start afresh.
func (c Course) readme(l lesson.Lesson) (readme, error) {
	r := readme{file: c.Path(l.Text())}
	text, err := os.ReadFile(r.file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	r.before, r.after = text, text
	if l.Continues == 0 {
		return r, nil
	}
	before, err := lesson.Find(c.lessons, l.Continues)
	if err != nil {
		return r, err
	}
	difference, err := c.difference(before, l)
	if err != nil {
		return r, err
	}
	if r.after, err = between(text, difference); err != nil {
		return r, fmt.Errorf("%s %w", c.short(r.file), err)
	}
	return r, nil
}

// between puts a derived text between the marks.
func between(text []byte, derived string) ([]byte, error) {
	above, rest, begins := bytes.Cut(text, []byte(diffBegin))
	_, below, ends := bytes.Cut(rest, []byte(diffEnd))
	if !begins || !ends {
		return nil, fmt.Errorf("needs a line %s and below it a line %s, between which the difference to the lesson before is written", diffBegin, diffEnd)
	}
	return fmt.Appendf(nil, "%s%s\n%s%s%s", above, diffBegin, derived, diffEnd, below), nil
}

// difference describes what leads from one solution to the next.
func (c Course) difference(before, l lesson.Lesson) (string, error) {
	from, err := c.stripped(before)
	if err != nil {
		return "", err
	}
	to, err := c.stripped(l)
	if err != nil {
		return "", err
	}
	return describe(differences(before.Solution(), from, l.Solution(), to)), nil
}

// mostLines is how long a difference may be that is still read.
const mostLines = 150

// describe has a line for each file, and below it the changes to the files that were there before, as
// long as somebody would read them. It is at the end of a text about the exercises, so it is folded.
func describe(all []Difference) string {
	var text, changes strings.Builder
	text.WriteString("| file | lines added | lines removed |\n|---|---|---|\n")
	for _, difference := range all {
		note := ""
		switch {
		case difference.New:
			note = " (new)"
		case difference.Gone:
			note = " (gone)"
		default:
			changes.WriteString(difference.Text)
		}
		fmt.Fprintf(&text, "| `%s`%s | %d | %d |\n", difference.File, note, difference.Added, difference.Removed)
	}
	if count := strings.Count(changes.String(), "\n"); 0 < count && count <= mostLines {
		fmt.Fprintf(&text, "\n<details>\n<summary>What changes in the files that were there before (this gives the solution away)</summary>\n\n"+
			"```diff\n%s```\n\n</details>\n", &changes)
	}
	return text.String()
}
