package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/checks"
)

// typed runs a command as a user types it, and returns both outputs.
func typed(t *testing.T, args ...string) (code int, out, stderr string) {
	t.Helper()
	root := newRootCmd()
	root.SetArgs(args)
	var said, complained bytes.Buffer
	root.SetOut(&said)
	code = run(t.Context(), root, &complained)
	return code, said.String(), complained.String()
}

func TestWhatCannotBeMeant(t *testing.T) {
	empty := t.TempDir()
	text := filepath.Join(empty, "text")
	if err := os.WriteFile(text, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	const lessons = "there is no lesson 99; there are 01-control-loop, 02-api, 03-reconcile"
	for _, test := range []struct{ args, says string }{
		{"lesson", "accepts 1 arg"},
		{"lesson three", `"three" is not the number of a lesson`},
		{"lesson 99", lessons},
		{"lesson test 99", lessons},
		{"lesson text 99", lessons},
		{"lesson carry 99", lessons},
		{"lesson test three", `"three" is not the number of a lesson`},
		{"lesson test 3 4", "accepts 1 arg"},
		{"lesson test 3 --check 99.9", "lesson 3 has no check 99.9; it has 3.1, 3.2,"},
		{"lesson test 4 --check 3.2", "check 3.2 is one of lesson 3: make lesson-3 test CHECK=3.2 IMPL=lessons/04-conditions"},
		{"lesson test 4 --impl x --check 3.2", "make lesson-3 test CHECK=3.2 IMPL='x'"},
		{"lesson test 4 --check 1.2", "check 1.2 is one of lesson 1: make lesson-1 test CHECK=1.2\n"},
		{"lesson hint 4 --check 3.2", "check 3.2 is one of lesson 3: make lesson-3 hint CHECK=3.2"},
		{"lesson watch 3 --check 99.9", "lesson 3 has no check 99.9"},
		{"lesson hint 3 --check 99.9", "lesson 3 has no check 99.9"},
		{"lesson finding 3 --check 99.9", "lesson 3 has no check 99.9; it has 3.1, 3.2,"},
		{"lesson finding 3 --check 4.2", "check 4.2 is one of lesson 4: make lesson-4 finding CHECK=4.2"},
		{"lesson finding 99", lessons},
		{"lesson test 3 --impl a --bin b", "[bin impl] were all set"},
		{"lesson test 3 --wrong L3-99", "lesson 3 has no wrong version L3-99; docs/kill-matrix.md lists them, L3-01 to "},
		{"lesson test 3 --wrong L5-18", "lesson 3 has no wrong version L5-18"},
		{"lesson test 3 --impl " + empty + "/missing", "/missing; it has to hold a Go package"},
		{"lesson test 3 --impl " + empty, "there is no Go file in "},
		{"lesson test 3 --bin " + text, "there is no program " + text},
		{"lesson test 2 --bin " + os.Args[0], "lesson 2 makes an API, and no program"},
		{"lesson watch 3 --world all", "make lesson-3 watch takes no WORLD; it takes CHECK, IMPL\n"},
		{"lesson text 3 --check 3.2", "make lesson-3 text takes no CHECK\n"},
		{"lesson 3 --check 3.2", "make lesson-3 takes no CHECK\n"},
		{"lesson explore 3 --check 3.2", "make lesson-3 explore takes no CHECK; it takes BIN, FOR, IMPL, PLAN, SEED, WORLD, WRONG\n"},
		{"lesson e2e 3 --bin a --world all", "make lesson-3 e2e takes no BIN; it takes CHECK, IMPL, WRONG\n"},
		{"solution test 3 --impl a", "make solution-3 test takes no IMPL; it takes CHECK, WORLD\n"},
		{"explore --seed x", "SEED=x can't be understood: it takes a number\n"},
		{"explore --for x", "FOR=x can't be understood: it takes a duration such as 5m\n"},
		{"lesson run 2", "lesson 2 makes an API, and no controller"},
		{"lesson campaign 2", "lesson 2 makes no controller of SequentialJobs"},
		{"lesson campaign 3 --plan a --smoke", "[plan smoke] were all set"},
		{"lesson campaign 3 --plan nonsense", `PLAN: "nonsense" is no plan such as`},
		{"campaign --scenario nonsense", "SCENARIO: "},
		{"campaign --bin " + text, "there is no program " + text},
		{"campaign --impl " + empty, "there is no Go file in "},
		{"solution", "make solution-3 test"},
		{"solution 3", "make solution-3 test"},
		{"solution test 99", lessons},
		{"mutation --lesson 99", lessons},
		{"carry-forward --from 99", lessons},
		{"mutants --share 0", "SHARE=0: a share is one in so many, 1 or more"},
		{"mutants --only L99-01", "there is no mutant L99-01"},
		{"e2e --share 0", "SHARE=0: a share is one in so many, 1 or more"},
		{"mutation --only nonsense", `"nonsense" is not the ID of a mutant`},
		{"mutation --only L3:nonsense", "there is no mutant L3:nonsense that can be built"},
		{"mutation --sample 5", `"5" is no part of all mutants`},
		{"mutation --only L3:a --lesson 3", "[lesson only] were all set"},
		{"progress nonsense", "unknown command"},
	} {
		t.Run(test.args, func(t *testing.T) {
			code, _, stderr := typed(t, strings.Fields(test.args)...)
			if code != exitUsage || !strings.Contains(stderr, test.says) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit code %d, stderr %q; want %d, one line, and %q", code, stderr, exitUsage, test.says)
			}
		})
	}
}

func TestTextOfEachLesson(t *testing.T) {
	for _, l := range checks.Lessons() {
		number := fmt.Sprint(l.Number)
		code, out, stderr := typed(t, "lesson", "text", number)
		if code != 0 || !strings.HasPrefix(out, "# Lesson "+number+": ") || strings.Contains(out, "<!--") || strings.Contains(out, "<details>") {
			t.Errorf("lesson %s: exit code %d, stderr %q, text %.40q", number, code, stderr, out)
		}
	}
}

func TestHelpNamesEachVerbOfALesson(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	lesson, _, err := newRootCmd().Find([]string{"lesson"})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range lesson.Commands() {
		if !bytes.Contains(makefile, []byte(" "+command.Name()+": ## ")) {
			t.Errorf("make help does not name %s", command.Name())
		}
	}
}
