package finding

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fatih/color"
)

// How a finding is laid out.
const (
	width  = 100
	margin = "   "
	column = 16 // of the labels
)

// Write writes a finding for a terminal. What is to be copied from it is never broken into lines.
func Write(w io.Writer, f Finding, colored bool) error {
	bad, bold, faint := style(colored, color.FgRed, color.Bold), style(colored, color.Bold), style(colored, color.Faint)
	var text strings.Builder
	text.WriteString(bad("✗") + " " + bold(string(f.Check)+"  "+f.Title) + "\n\n")
	for _, part := range []struct {
		label, value string
		copied       bool
	}{
		{"What happened", f.What, false},
		{"When", f.When, false},
		{"Why it matters", f.Why, false},
		{"Read", f.Read, true},
		{"Picture", f.Picture, true},
		{"Again", f.Again, true},
	} {
		if strings.TrimSpace(part.value) == "" {
			continue
		}
		lines := strings.Split(strings.TrimRight(part.value, "\n"), "\n")
		if !part.copied {
			lines = wrap(lines, width-len(margin)-column)
		}
		text.WriteString(margin + faint(part.label) + strings.Repeat(" ", column-len(part.label)) + lines[0] + "\n")
		for _, line := range lines[1:] {
			text.WriteString(strings.TrimRight(margin+strings.Repeat(" ", column)+line, " ") + "\n")
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func style(colored bool, attributes ...color.Attribute) func(...any) string {
	chosen := color.New(attributes...)
	if colored {
		chosen.EnableColor()
	} else {
		chosen.DisableColor()
	}
	return chosen.SprintFunc()
}

// wrap breaks lines that are too long between words, except markers, which are to be copied. What continues
// an indented line is indented more, and is narrower: muesli/reflow and lipgloss know one width only.
func wrap(lines []string, width int) []string {
	var wrapped []string
	for _, line := range lines {
		line = strings.TrimRight(line, " ")
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		more := indent
		if indent != "" {
			more += "    "
		}
		for utf8.RuneCountInString(line) > width && !strings.HasPrefix(strings.TrimSpace(line), "// +") {
			at := breakOf(line, width)
			if at < 0 {
				break
			}
			wrapped = append(wrapped, strings.TrimRight(line[:at], " "))
			line = more + strings.TrimLeft(line[at:], " ")
		}
		wrapped = append(wrapped, line)
	}
	return wrapped
}

// breakOf is the last space within the width or, after a longer word, the first one, those before the
// first word aside; -1 if there is none.
func breakOf(line string, width int) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	at, runes := -1, 0
	for i, r := range line {
		if r == ' ' && i >= indent {
			if runes > width && at >= 0 {
				return at
			}
			at = i
			if runes >= width {
				return at
			}
		}
		runes++
	}
	return at
}
