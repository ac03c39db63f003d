package finding

import (
	"io"
	"strings"

	"github.com/fatih/color"
	"github.com/muesli/reflow/wordwrap"
)

// Width is the maximum width of a finding, except for lines to copy.
const Width = 80

// How a finding is laid out.
const (
	margin = "   "
	column = 16 // of the labels
)

// Write writes a finding for a terminal. It never breaks what a user may copy.
func Write(w io.Writer, f Finding, colored bool) error {
	bad, bold, faint := style(colored, color.FgRed, color.Bold), style(colored, color.Bold), style(colored, color.Faint)
	var text strings.Builder
	heading := string(f.Check) + "  "
	title := Wrap(f.Title, Width-len("x ")-len(heading))
	text.WriteString(bad("✗") + " " + bold(heading+title[0]) + "\n")
	for _, line := range title[1:] {
		text.WriteString(strings.Repeat(" ", len("x ")+len(heading)) + bold(line) + "\n")
	}
	text.WriteString("\n")
	for _, part := range []struct {
		label, value string
		copied       bool
	}{
		{"What happened", f.What, false},
		{"World", f.World, false},
		{"When", f.When, false},
		{"Its log", f.Log, false},
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
			lines = wrap(lines, Width-len(margin)-column)
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

// kept marks a line that is never broken.
const kept = "\t"

// Kept marks the lines of a text that makes sense only as it is laid out, such as a table, so that Write indents them and
// does not break them.
func Kept(text string) string {
	return kept + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+kept)
}

// Wrap breaks a text into lines of a width, between words.
func Wrap(text string, width int) []string { return wrap([]string{text}, width) }

// wrap breaks lines that are too long between words, except those of Kept, and markers, which users copy. A continuation of
// an indented line is indented more.
func wrap(lines []string, width int) []string {
	var wrapped []string
	for _, line := range lines {
		if as, is := strings.CutPrefix(line, kept); is {
			wrapped = append(wrapped, "  "+as)
			continue
		}
		text := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(text)]
		if strings.HasPrefix(text, "// +") {
			wrapped = append(wrapped, line)
			continue
		}
		more := indent
		if indent != "" {
			more += "    "
		}
		words := wordwrap.NewWriter(width - len(more))
		words.Breakpoints = nil          // names have hyphens
		_, _ = words.Write([]byte(text)) // into memory
		_ = words.Close()                // likewise
		wrapped = append(wrapped, strings.Split(indent+strings.ReplaceAll(words.String(), "\n", "\n"+more), "\n")...)
	}
	return wrapped
}
