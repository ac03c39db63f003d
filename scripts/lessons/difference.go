package lessons

import (
	"fmt"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// A Difference is what has to be changed in a file.
type Difference struct {
	File           string
	Added, Removed int // lines
	Text           string
}

// nowhere is where a file is that a side doesn't have.
const nowhere = "/dev/null"

// differences returns what leads from some files to others, as unified diffs. The folders are what the
// diffs call the two sides.
func differences(fromFolder string, from Files, toFolder string, to Files) []Difference {
	var all []Difference
	for _, name := range differing(from, to) {
		_, wasThere := from[name]
		_, isThere := to[name]
		difference := compare(lines(from[name]), lines(to[name]))
		difference.File = name
		fromName, toName := fromFolder+"/"+name, toFolder+"/"+name
		if !wasThere {
			fromName = nowhere
		}
		if !isThere {
			toName = nowhere
		}
		difference.Text = fmt.Sprintf("--- %s\n+++ %s\n%s", fromName, toName, difference.Text)
		all = append(all, difference)
	}
	return all
}

// around is how many lines are shown above and below what differs.
const around = 3

// compare is written here because git's diffs depend on its version and configuration, and those of go-udiff begin with the closing brace of the function above a new one.
func compare(from, to []string) Difference {
	var difference Difference
	var text strings.Builder
	// Without the matcher's rule for what is frequent, which would not compare the braces of a long file.
	for _, group := range difflib.NewMatcherWithJunk(from, to, false, nil).GetGroupedOpCodes(around) {
		first, last := group[0], group[len(group)-1]
		fmt.Fprintf(&text, "@@ -%s +%s @@\n", span(first.I1, last.I2), span(first.J1, last.J2))
		for _, code := range group {
			if code.Tag == 'e' {
				write(&text, " ", from[code.I1:code.I2])
				continue
			}
			write(&text, "-", from[code.I1:code.I2])
			write(&text, "+", to[code.J1:code.J2])
			difference.Removed += code.I2 - code.I1
			difference.Added += code.J2 - code.J1
		}
	}
	difference.Text = text.String()
	return difference
}

func write(text *strings.Builder, before string, lines []string) {
	for _, line := range lines {
		text.WriteString(before + line + "\n")
	}
}

// span names lines as unified diffs do.
func span(start, end int) string {
	if start == end {
		return fmt.Sprintf("%d,0", start)
	}
	return fmt.Sprintf("%d,%d", start+1, end-start)
}

// lines are those of a text, without their ends.
func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
