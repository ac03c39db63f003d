package lesson

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"example.com/controller-course/tests/kit/must"
)

// anything is a play for every kind of code.
type anything struct{}

func (anything) Judges(Kind) bool { return true }

// nothing is a play for no kind of code.
type nothing struct{}

func (nothing) Judges(Kind) bool { return false }

func first() Lesson {
	return Lesson{
		Number: 1, Slug: "01-one", Title: "One", Makes: "a thing", Kind: Controller, Difficulty: Easy, Minutes: 30,
		Checks: []Check{{ID: "1.1", Play: anything{}}},
	}
}

func second() Lesson {
	l := first()
	l.Number, l.Slug, l.Checks = 2, "02-two", []Check{{ID: "2.1", Play: anything{}}}
	return l
}

func TestVerifyNamesEachMistake(t *testing.T) {
	for name, test := range map[string]struct {
		change func(first, second *Lesson)
		want   string
	}{
		"nothing wrong": {func(_, _ *Lesson) {}, ""},
		"two lessons of one number": {
			func(_, two *Lesson) { two.Number, two.Slug = 1, "01-two" },
			"01-one and 01-two are both lesson 1; each lesson needs a number of its own",
		},
		"a gap": {
			func(_, two *Lesson) { two.Number, two.Slug, two.Checks[0].ID = 3, "03-three", "3.1" },
			"03-three is lesson 3, and there is no lesson 2; lessons are numbered from 1, without gaps",
		},
		"a slug without a folder": {
			func(one, _ *Lesson) { one.Slug = "01-eins" },
			`lesson 1 has the slug "01-eins", and there is no folder lessons/01-eins`,
		},
		"a slug of another number": {
			func(one, _ *Lesson) { one.Slug = "03-three" },
			`lesson 1 has the slug "03-three"; it should look like 01-name-of-it`,
		},
		"no difficulty": {
			func(one, _ *Lesson) { one.Difficulty = "" },
			"lesson 1 lacks its title, what it makes, its minutes or its difficulty",
		},
		"held to a lesson that there is not": {
			func(_, two *Lesson) { two.HeldTo = []int{7} },
			"lesson 2 continues lesson 7, or is held to its checks; that has to be an earlier lesson that makes a controller of SequentialJobs too",
		},
		"continues a lesson of another kind": {
			func(one, two *Lesson) { one.Kind, two.Continues = API, 1 },
			"lesson 2 continues lesson 1, or is held to its checks; that has to be an earlier lesson that makes a controller of SequentialJobs too",
		},
		"no checks": {func(one, _ *Lesson) { one.Checks = nil }, "lesson 1 has no checks"},
		"a check of another lesson": {
			func(one, _ *Lesson) { one.Checks[0].ID = "9.1" },
			"lesson 1 lists check 9.1, which belongs to lesson 9 by its ID",
		},
		"a check of no lesson": {
			func(one, _ *Lesson) { one.Checks[0].ID = "first" },
			`lesson 1 has a check with the ID "first"; it should look like 1.1`,
		},
		"a check twice": {
			func(one, _ *Lesson) { one.Checks = append(one.Checks, one.Checks[0]) },
			"lesson 1 lists check 1.1 twice",
		},
		"a check for other code": {
			func(one, _ *Lesson) { one.Checks[0].Play = nothing{} },
			"check 1.1 can't be played: lesson 1 makes a controller of SequentialJobs",
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for _, slug := range []string{"01-one", "02-two", "03-three", "01-two"} {
				for _, folder := range []string{"lessons", "solutions"} {
					must.Succeed(t, os.MkdirAll(filepath.Join(root, folder, slug), 0o755))
				}
			}
			one, two := first(), second()
			test.change(&one, &two)
			mistakes := Verify([]Lesson{one, two}, root)
			if test.want == "" && len(mistakes) > 0 || test.want != "" && !slices.Contains(mistakes, test.want) {
				t.Errorf("got %q\nwant %q", mistakes, test.want)
			}
		})
	}
}
