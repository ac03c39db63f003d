package finding_test

import (
	"errors"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/process"
)

// program is a controller's process that has ended, or has printed something.
type program process.Outcome

func (p program) Outcome() process.Outcome { return process.Outcome(p) }

func TestFindingsOfPrograms(t *testing.T) {
	printed := []string{"starting", "unable to start"}
	running := []history.Process{{Instance: 1, Started: 10 * ms}}
	for name, test := range map[string]struct {
		got   finding.Finding
		check finding.Check
		what  string
	}{
		"does not compile": {
			finding.NotCompiled(&process.BuildError{Dir: "lessons/03", Output: "lessons/03/main.go:4:2: undefined: x\nlessons/03/main.go:5:2: undefined: y"}),
			"build", "The controller in lessons/03 does not compile. The compiler says, with file:line:column:\n" +
				"  lessons/03/main.go:4:2: undefined: x\n  lessons/03/main.go:5:2: undefined: y",
		},
		"has marks of carry": {
			finding.NotCompiled(&process.BuildError{Dir: "lessons/04", Output: "lessons/04/main.go:4:1: syntax error: unexpected <<, expected }"}),
			"build", "The controller in lessons/04 does not compile. The compiler says, with file:line:column:\n" +
				"  lessons/04/main.go:4:1: syntax error: unexpected <<, expected }\n" +
				"Marks of carry (<<<<<<<, =======, >>>>>>>) are still there. Above ======= is your code, below it our code for the lesson. " +
				"It may have new lines without a TODO: keep whatever your code doesn't do yet, and remove the marks. make lesson-4 lists all of them, for lesson 4.",
		},
		"is no program": {
			finding.NotCompiled(&process.BuildError{Dir: "lessons/02-api", Output: "-buildmode=exe requires exactly one main package"}),
			"build", "The package in lessons/02-api is not a package main, so it can't be built as a program.",
		},
		"ends immediately": {
			finding.Ended(program{How: "exit code 1", ExitCode: 1, LastLines: printed}, false),
			"start", "Your controller exited by itself before its watches had synced (exit code 1). Its last output:\n  starting\n  unable to start",
		},
		"ends immediately, as if all was well": {
			finding.Ended(program{How: "exit code 0", LastLines: []string{""}}, false),
			"start", "Your controller exited by itself before its watches had synced (exit code 0). It printed nothing.\n" +
				"Exit code 0 means that main returned. It has to wait there until the process is asked to stop.",
		},
		"ends later": {
			finding.Ended(program{How: "exit code 1", ExitCode: 1, LastLines: printed}, true),
			"end", "Your controller exited by itself while it was working (exit code 1). Its last output:\n  starting\n  unable to start",
		},
		"panics": {
			finding.Ended(program{
				How: "panic: boom", ExitCode: 2, LastLines: printed, Panic: &process.Panic{Message: "panic: boom\nand more", Where: "lessons/03/main.go:7"},
			}, true),
			"panic", "Your controller panicked in lessons/03/main.go:7, and the process exited:\n  panic: boom\n  and more",
		},
		"ends after a panic that it survived": {
			finding.Ended(program{
				How: "exit code 1", ExitCode: 1, LastLines: []string{"bye"}, Panic: &process.Panic{Message: "panic: boom", Recovered: true},
			}, true),
			"end", "Your controller exited by itself while it was working (exit code 1). Its last output:\n  bye",
		},
		"panics in Reconcile": {
			finding.Panicked(process.Panic{Message: "panic: boom", Recovered: true}),
			"panic", "Your controller panicked, in Reconcile. controller-runtime recovered it and retries; the code after that line never runs:\n  panic: boom",
		},
		"watches nothing": {
			finding.NoWatch(history.Run{Processes: running}, program{LastLines: printed}),
			"watch", "Your controller runs, but it has opened no watch. Its last output:\n  starting\n  unable to start",
		},
		"watches what is not there": {
			finding.NoWatch(history.Run{Processes: running, Streams: []history.Stream{
				{ID: 1, Instance: 1, Resource: "jobs", UpToDate: 20 * ms, Code: 200},
				{ID: 2, Instance: 1, Resource: "sequentialjobs", Code: 404},
				{ID: 3, Instance: 1, Resource: "sequentialjobs", Code: 404},
			}}, program{}),
			"watch", "Your controller runs, but not all of its watches have received their initial state: sequentialjobs (response 404). It printed nothing.",
		},
		"is refused its watches": {
			finding.NoWatch(history.Run{Processes: running, Streams: []history.Stream{{ID: 1, Instance: 1, Resource: "jobs", Opened: 20 * ms, Code: 403}}}, program{}),
			"rbac", "The API server refused these requests, because your controller's role does not allow them:\n  watch jobs (once)\n" +
				"If your controller needs them, add these markers above its code:\n  // +kubebuilder:rbac:groups=batch,resources=jobs,verbs=watch",
		},
		"ignores SIGTERM": {
			finding.IgnoresSigterm(&process.SigtermError{Patience: 10 * time.Second, Log: "x"}),
			"stop", "Your controller received SIGTERM, was still running 10 s later, and was killed.",
		},
		"does not stop for another reason": {
			finding.IgnoresSigterm(errors.New("it is a teapot")), "stop", "it is a teapot",
		},
		"prints too much": {
			finding.LogFull(program{LogFull: true, LastLines: printed}),
			"log", "Your controller printed so much that its log was cut. Its last output:\n  starting\n  unable to start",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.got.Check != test.check || test.got.Title == "" || test.got.Why == "" {
				t.Errorf("check %q, want %q; title %q, why %q", test.got.Check, test.check, test.got.Title, test.got.Why)
			}
			assert.Equal(t, "What", test.got.What, test.what)
		})
	}
}
