// Package checks lists the lessons. To add one, import its package here.
package checks

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	_ "example.com/controller-course/tests/checks/lesson01"
	_ "example.com/controller-course/tests/checks/lesson02"
	_ "example.com/controller-course/tests/checks/lesson03"
	_ "example.com/controller-course/tests/checks/lesson04"
	_ "example.com/controller-course/tests/checks/lesson05"
	_ "example.com/controller-course/tests/checks/lesson06"
	_ "example.com/controller-course/tests/checks/lesson07"
	_ "example.com/controller-course/tests/checks/lesson08"
	_ "example.com/controller-course/tests/checks/lesson09"
	_ "example.com/controller-course/tests/checks/lesson10"

	"example.com/controller-course/tests/lesson"
)

// Lessons returns the lessons in their order.
func Lessons() []lesson.Lesson { return lesson.All() }

// Of returns a lesson.
func Of(number int) (lesson.Lesson, error) { return lesson.Find(lesson.All(), number) }

// IsGenerated says whether a check plays generated runs.
func IsGenerated(id lesson.ID) bool {
	l, err := Of(id.Lesson())
	return err == nil && l.Taught.Check == id
}

var folders = map[string]*regexp.Regexp{
	"lessons":               regexp.MustCompile(`^(\d\d)-`),
	"solutions":             regexp.MustCompile(`^(\d\d)-`),
	"tests/checks":          regexp.MustCompile(`^lesson(\d\d)$`),
	"tests/mutants/lessons": regexp.MustCompile(`^(\d\d)$`),
}

// Unlisted names, in a sentence each, the folders of lessons that are not in the list above. Root is the
// repository's.
func Unlisted(root string) (mistakes []string) {
	for parent, pattern := range folders {
		entries, err := os.ReadDir(filepath.Join(root, parent))
		if err != nil {
			mistakes = append(mistakes, err.Error())
		}
		for _, entry := range entries {
			match := pattern.FindStringSubmatch(entry.Name())
			if match == nil || !entry.IsDir() {
				continue
			}
			number, err := strconv.Atoi(match[1])
			if err != nil {
				mistakes = append(mistakes, err.Error())
			}
			if _, err := Of(number); err != nil {
				mistakes = append(mistakes, fmt.Sprintf("there is a folder %s/%s, and no lesson %d: list it in tests/checks/checks.go", parent, entry.Name(), number))
			}
		}
	}
	slices.Sort(mistakes)
	return mistakes
}
