package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/charmbracelet/glamour"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

func newTextCmd() *cobra.Command {
	return lessonCmd("text N", "Read a lesson's text in the terminal", func(cmd *cobra.Command, l lesson) error {
		file := filepath.Join(l.Folder, "README.md")
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the text of lesson %d: %w", l.Number, err)
		}
		out, done := page(cmd.OutOrStdout())
		err = writeMarkdown(out, unfolded(text, fromHere(file)))
		if errors.Is(err, syscall.EPIPE) { // who has read enough leaves
			err = nil
		}
		return errors.Join(err, done())
	})
}

var (
	difference = regexp.MustCompile(`(?s)\n## [^\n]*\n+<!-- diff:begin -->.*<!-- diff:end -->\n?`)
	folded     = regexp.MustCompile(`(?s)<details>\s*<summary>(.*?)</summary>.*?</details>\n?`)
	comment    = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
)

// unfolded leaves out of a text what gives something away. In a terminal nothing can be folded.
func unfolded(text []byte, file string) []byte {
	text = difference.ReplaceAll(text, nil)
	text = folded.ReplaceAll(text, []byte("- $1\n"))
	return fmt.Appendf(bytes.TrimSpace(text), "\n\nThe answers, and what is different from the lesson before, are at the end of %s.\n", file)
}

// writeMarkdown writes a text as it is best read: laid out in a terminal, as it is elsewhere.
func writeMarkdown(out io.Writer, text []byte) error {
	text = comment.ReplaceAll(text, nil)
	width, isTerminal := terminal(out)
	if !isTerminal {
		_, err := fmt.Fprintf(out, "%s\n", bytes.TrimSpace(text))
		return err
	}
	const widest = 100
	renderer, err := glamour.NewTermRenderer(glamour.WithAutoStyle(), glamour.WithWordWrap(min(width, widest)))
	if err != nil {
		return err
	}
	laidOut, err := renderer.RenderBytes(text)
	if err != nil {
		return err
	}
	_, err = out.Write(laidOut)
	return err
}

// A pager shows a text a page at a time.
type pager struct {
	io.WriteCloser
	width int
}

// terminal says how wide the terminal is behind out, if it is one.
func terminal(out io.Writer) (width int, is bool) {
	switch out := out.(type) {
	case pager:
		return out.width, true
	case *os.File:
		width, _, err := term.GetSize(int(out.Fd()))
		return width, err == nil
	default:
		return 0, false
	}
}

// page has what is written shown a page at a time, where out is a terminal and there is a pager. Done waits
// until it has been read.
func page(out io.Writer) (paged io.Writer, done func() error) {
	width, isTerminal := terminal(out)
	program, err := exec.LookPath(cmp.Or(os.Getenv("PAGER"), "less"))
	if !isTerminal || err != nil {
		return out, func() error { return nil }
	}
	reading := exec.Command(program)
	reading.Env = append(os.Environ(), "LESS=FRX") // ends by itself if it is one page, shows colours, leaves the text there
	reading.Stdout, reading.Stderr = out, os.Stderr
	input, err := reading.StdinPipe()
	if err != nil || reading.Start() != nil {
		return out, func() error { return nil }
	}
	return pager{input, width}, func() error {
		_ = input.Close()
		return reading.Wait()
	}
}
