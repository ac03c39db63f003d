package lesson

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

var slugs = regexp.MustCompile(`^([0-9]{2})-[a-z0-9]+(-[a-z0-9]+)*$`)

// Verify says what is wrong with the descriptors of a course, in a sentence each; nothing where all is right. Root
// is the repository's.
func Verify(lessons []Lesson, root string) (mistakes []string) {
	wrong := func(format string, args ...any) { mistakes = append(mistakes, fmt.Sprintf(format, args...)) }
	known, checks := map[int]Lesson{}, map[ID]int{}
	for i, l := range lessons {
		if other, twice := known[l.Number]; twice {
			wrong("%s and %s are both lesson %d; each lesson needs a number of its own", other.Slug, l.Slug, l.Number)
			continue
		}
		known[l.Number] = l
		if l.Number != i+1 {
			wrong("%s is lesson %d, and there is no lesson %d; lessons are numbered from 1, without gaps", l.Slug, l.Number, i+1)
		}
		if match := slugs.FindStringSubmatch(l.Slug); match == nil || match[1] != fmt.Sprintf("%02d", l.Number) {
			wrong("lesson %d has the slug %q; it should look like %02d-name-of-it", l.Number, l.Slug, l.Number)
		}
		for _, folder := range []string{l.Folder(), l.Solution()} {
			if info, err := os.Stat(filepath.Join(root, folder)); err != nil || !info.IsDir() {
				wrong("lesson %d has the slug %q, and there is no folder %s", l.Number, l.Slug, folder)
			}
		}
		if l.Title == "" || l.Makes == "" || l.Minutes <= 0 || l.Difficulty == "" {
			wrong("lesson %d lacks its title, what it makes, its minutes or its difficulty", l.Number)
		}
		for _, number := range append(slices.Clone(l.HeldTo), l.Continues) {
			earlier, found := known[number]
			if number != 0 && (!found || number == l.Number || earlier.Kind != l.Kind) {
				wrong("lesson %d continues lesson %d, or is held to its checks; that has to be an earlier lesson that makes %s too", l.Number, number, l.Kind)
			}
		}
		if len(l.Checks) == 0 {
			wrong("lesson %d has no checks", l.Number)
		}
		for _, check := range l.Checks {
			switch of := check.ID.Lesson(); {
			case of == 0:
				wrong("lesson %d has a check with the ID %q; it should look like %d.1", l.Number, check.ID, l.Number)
			case of != l.Number:
				wrong("lesson %d lists check %s, which belongs to lesson %d by its ID", l.Number, check.ID, of)
			case checks[check.ID] > 0:
				wrong("lesson %d lists check %s twice", l.Number, check.ID)
			case check.Play == nil || !check.Play.Judges(l.Kind):
				wrong("check %s can't be played: lesson %d makes %s", check.ID, l.Number, l.Kind)
			}
			checks[check.ID]++
		}
	}
	return mistakes
}
