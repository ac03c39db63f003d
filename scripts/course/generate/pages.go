// Package generate writes the files in the repository that are derived from others.
package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/concepts"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutation"
	"example.com/controller-course/tests/road"
)

// PagesCommand returns the command pages.
func PagesCommand() *cobra.Command {
	var check bool
	command := &cobra.Command{
		Use:   "pages",
		Short: "Write the pages that are derived from other files, or parts of them",
		Long: "Writes the README's table of lessons, and docs/concepts.md: what the course teaches, where, and which checks test\n" +
			"it. Both are derived from the descriptors of the lessons, which are verified first. Writes docs/mutation-score.md and\n" +
			"docs/road.md, with its chart in the README, from what is on record, and runs nothing. With --check, the Markdown files\n" +
			"are verified too: that their links lead somewhere, and that the lessons explain and test the concepts they own.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := repo.Root()
			if err != nil {
				return err
			}
			if err := verify(root); err != nil {
				return err
			}
			if !check {
				return writePages(cmd.Context(), root, false)
			}
			return errors.Join(writePages(cmd.Context(), root, true), verifyTexts(root))
		},
	}
	command.Flags().BoolVar(&check, "check", false, "write nothing; fail if a page is stale, a link is broken or a concept is not explained")
	return command
}

// verify says what is wrong with the descriptors of the lessons.
func verify(root string) error {
	mistakes := slices.Concat(lesson.Verify(checks.Lessons(), root), checks.Unlisted(root), generated.Verify(checks.Lessons()))
	if len(mistakes) == 0 {
		return nil
	}
	return fmt.Errorf("the descriptors of the lessons, tests/checks/lessonNN, have mistakes:\n  %s", strings.Join(mistakes, "\n  "))
}

// verifyTexts says what is wrong with the Markdown files.
func verifyTexts(root string) error {
	untaught, err := concepts.Verify(root)
	if err != nil {
		return err
	}
	broken, err := markdown.Broken(os.DirFS(root))
	if err != nil {
		return err
	}
	if mistakes := append(untaught, broken...); len(mistakes) > 0 {
		return fmt.Errorf("the texts have mistakes:\n  %s", strings.Join(mistakes, "\n  "))
	}
	return nil
}

func writePages(ctx context.Context, root string, check bool) error {
	var wrong []error
	for page, derive := range map[string]func(root string, was []byte) ([]byte, error){
		"README.md":              withDerived,
		"docs/concepts.md":       func(root string, _ []byte) ([]byte, error) { return concepts.Page(root) },
		"docs/road.md":           func(string, []byte) ([]byte, error) { return road.Page() },
		"docs/mutation-score.md": func(string, []byte) ([]byte, error) { return mutation.Page(ctx) },
	} {
		file := filepath.Join(root, page)
		was, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		now, err := derive(root, was)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Errorf("%s: %w", page, err))
		case check && !bytes.Equal(was, now):
			wrong = append(wrong, fmt.Errorf("%s is not what it is generated from: run make generate", page))
		case !check:
			wrong = append(wrong, os.WriteFile(file, now, 0o644))
		}
	}
	return errors.Join(wrong...)
}

// withDerived returns the README with the table of lessons and the chart of the road in their places.
func withDerived(_ string, readme []byte) ([]byte, error) {
	readme, err := markdown.WithPart(readme, "lessons", []byte(table(checks.Lessons())))
	if err != nil {
		return nil, err
	}
	return road.WithChart(readme)
}

// table is the table of lessons.
func table(lessons []lesson.Lesson) string {
	text := "| | lesson | you make | difficulty | time |\n|---|---|---|---|---|\n"
	for _, l := range lessons {
		text += fmt.Sprintf("| %d | [%s](%s) | %s | %s | %s |\n", l.Number, l.Title, l.Text(), l.Makes, l.Difficulty, hours(l.Minutes))
	}
	return text
}

// hours is "1 h 30 min" for 90 minutes.
func hours(minutes int) string {
	var parts []string
	if h := minutes / 60; h > 0 {
		parts = append(parts, fmt.Sprintf("%d h", h))
	}
	if m := minutes % 60; m > 0 {
		parts = append(parts, fmt.Sprintf("%d min", m))
	}
	return strings.Join(parts, " ")
}
