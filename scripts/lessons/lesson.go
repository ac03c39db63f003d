// Package lessons knows the course's lessons: which ones there are, how a learner's starter is derived
// from a solution, and what can be done with the learner's files.
package lessons

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// Lesson is one lesson of the course.
type Lesson struct {
	Number   int
	Slug     string // as in "03-reconcile", the name of its folders
	Title    string // from the first heading of its README.md
	Folder   string // where its texts are, and the code that the learner changes
	Solution string // where its solution is
}

// All returns the lessons in their order.
func All() ([]Lesson, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	return course(root).all()
}

// Find returns a lesson. If there is none with that number, the error tells which ones there are.
func Find(number int) (Lesson, error) {
	root, err := repo.Root()
	if err != nil {
		return Lesson{}, err
	}
	return course(root).find(number)
}

// Code is what the learner has written so far.
func (l Lesson) Code() (Files, error) { return read(l.Folder) }

// A course is a repository with lessons: its root folder.
type course string

// parents are the folders that have one folder for each lesson.
var parents = []string{"solutions", "lessons"}

var slugs = regexp.MustCompile(`^([0-9]{2})-[a-z0-9]+(-[a-z0-9]+)*$`)

// all finds the lessons by their folders. One of the two is enough: somebody may have put the
// solutions away.
func (c course) all() ([]Lesson, error) {
	found := map[string]bool{}
	for _, parent := range parents {
		folders, err := os.ReadDir(c.path(parent))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look which lessons there are: %w", err)
		}
		for _, folder := range folders {
			if folder.IsDir() && slugs.MatchString(folder.Name()) {
				found[folder.Name()] = true
			}
		}
	}
	var all []Lesson
	for slug := range found {
		lesson, err := c.lesson(slug)
		if err != nil {
			return nil, err
		}
		all = append(all, lesson)
	}
	slices.SortFunc(all, func(a, b Lesson) int { return strings.Compare(a.Slug, b.Slug) })
	for i := 1; i < len(all); i++ {
		if all[i-1].Number == all[i].Number {
			return nil, fmt.Errorf("%s and %s have the same number", all[i-1].Slug, all[i].Slug)
		}
	}
	return all, nil
}

func (c course) lesson(slug string) (Lesson, error) {
	number, err := strconv.Atoi(slugs.FindStringSubmatch(slug)[1])
	if err != nil {
		return Lesson{}, err
	}
	lesson := Lesson{Number: number, Slug: slug, Folder: c.path("lessons", slug), Solution: c.path("solutions", slug)}
	lesson.Title, err = title(filepath.Join(lesson.Folder, readmeFile))
	return lesson, err
}

var firstHeading = regexp.MustCompile(`(?m)^# (?:Lesson [0-9]+: )?(.+)$`)

// title returns the first heading of a text without "Lesson 3: ", or nothing where there is no text yet.
func title(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	heading := firstHeading.FindSubmatch(text)
	if heading == nil {
		return "", nil
	}
	return string(heading[1]), nil
}

func (c course) find(number int) (Lesson, error) {
	all, err := c.all()
	if err != nil {
		return Lesson{}, err
	}
	var known []string
	for _, lesson := range all {
		if lesson.Number == number {
			return lesson, nil
		}
		known = append(known, lesson.Slug)
	}
	if len(known) == 0 {
		return Lesson{}, fmt.Errorf("there is no lesson %d: %s has no lessons at all", number, c)
	}
	return Lesson{}, fmt.Errorf("there is no lesson %d; there are %s", number, strings.Join(known, ", "))
}

// path returns where something is.
func (c course) path(elements ...string) string {
	return filepath.Join(append([]string{string(c)}, elements...)...)
}

// short is a path as it is shown: from the root of the repository.
func (c course) short(path string) string {
	short, err := filepath.Rel(string(c), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(short)
}
