package learn

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"

	"github.com/charmbracelet/glamour"
	"github.com/charmbracelet/glamour/styles"
	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/repo"
)

func textCommand() *cobra.Command {
	return usage.Command("text N", "Read a lesson's text in the terminal", func(cmd *cobra.Command, l usage.Lesson) error {
		file := l.Course.Path(l.Folder(), "README.md")
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the text of lesson %d: %w", l.Number, err)
		}
		text = unfolded(text, repo.Short(file))
		if _, is := terminal(cmd.OutOrStdout()); is {
			text = forTerminal(text, repo.Short(file))
		}
		laidOut, err := layOut(text, cmd.OutOrStdout())
		if err != nil {
			return err
		}
		return page(laidOut, cmd.OutOrStdout())
	})
}

// folded is what a reader has to unfold to see. Goldmark's tree does not say which HTML belongs together.
var folded = regexp.MustCompile(`(?s)<details>\s*<summary>(.*?)</summary>.*?</details>\n?`)

// unfolded leaves out what gives the solution away: a terminal can't fold anything.
func unfolded(text []byte, file string) []byte {
	text = folded.ReplaceAll(text, []byte("▸ $1\n"))
	return fmt.Appendf(bytes.TrimSpace(text), "\n\nWhat you unfold with ▸ is in %s.\n", file)
}

var (
	// inRepository is a link to another text of the repository. A terminal would show its path in mid-sentence.
	inRepository = regexp.MustCompile(`\[([^][]+)\]\([^):]*\)`)
	diagram      = regexp.MustCompile("(?s)```mermaid\n.*?```\n")
)

// forTerminal leaves out what a terminal can't show: where links inside the repository lead, and diagrams.
func forTerminal(text []byte, file string) []byte {
	text = diagram.ReplaceAll(text, fmt.Appendf(nil, "*(A diagram: see %s.)*\n", file))
	return inRepository.ReplaceAll(text, []byte("$1"))
}

// layOut lays Markdown out for a terminal. Elsewhere it stays Markdown.
func layOut(text []byte, out io.Writer) ([]byte, error) {
	for _, section := range markdown.Sections(text) {
		for _, block := range section.Blocks {
			if block.IsComment() {
				text = bytes.Replace(text, []byte(block.Source+"\n"), nil, 1)
			}
		}
	}
	width, is := terminal(out)
	if !is {
		return append(bytes.TrimSpace(text), '\n'), nil
	}
	const noMargins = `{"document": {"margin": 0}, "code_block": {"margin": 0}}`
	style := glamour.WithAutoStyle()
	if color.NoColor {
		style = glamour.WithStandardStyle(styles.NoTTYStyle)
	}
	renderer, err := glamour.NewTermRenderer(style, glamour.WithStylesFromJSONBytes([]byte(noMargins)), glamour.WithWordWrap(min(width, finding.Width)))
	if err != nil {
		return nil, err
	}
	return renderer.RenderBytes(plainFences(text))
}

// terminal says whether out is a terminal, and how wide it is.
func terminal(out io.Writer) (width int, is bool) {
	file, isFile := out.(*os.File)
	if !isFile {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return width, err == nil
}

// page shows a text a page at a time if out is a terminal and there is a pager.
func page(text []byte, out io.Writer) error {
	program, err := exec.LookPath(cmp.Or(os.Getenv("PAGER"), "less"))
	if _, is := terminal(out); !is || err != nil {
		_, err := out.Write(text)
		return err
	}
	reading := exec.Command(program)
	reading.Env = append(os.Environ(), "LESS=FRX") // exits after a single page, shows colours, leaves the text on the screen
	reading.Stdin, reading.Stdout, reading.Stderr = bytes.NewReader(text), out, os.Stderr
	return reading.Run()
}
