package lessons

import (
	"strings"
	"testing"
)

func TestMistakesInExercisesAreNamedWithTheirLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want string
	}{
		"begin in an exercise": {
			text: "//exercise:begin a Do this.\n//exercise:begin b Do that.\n//exercise:end\n",
			want: `a.go:2: an exercise begins within "a", which began in line 1`,
		},
		"no end": {
			text: "package a\n//exercise:begin a Do this.\n//exercise:starter return\n",
			want: `a.go:2: the exercise "a" has no //exercise:end`,
		},
		"end without begin": {
			text: "package a\n\n//exercise:end\n",
			want: "a.go:3: //exercise:end is outside of an exercise",
		},
		"unknown directive": {
			text: "//exercise:begin a Do this.\n//exercise:hint That way.\n//exercise:end\n",
			want: "a.go:2: there is no //exercise:hint; there are begin, task, starter, import and end",
		},
		"unknown directive outside of an exercise": {
			text: "//exercise:hint That way.\n",
			want: "a.go:1: //exercise:hint is outside of an exercise",
		},
		"text after end": {
			text: "//exercise:begin a Do this.\n//exercise:end a\n",
			want: "a.go:2: there is text after //exercise:end",
		},
		"no name": {
			text: "//exercise:begin\n//exercise:end\n",
			want: "a.go:1: write //exercise:begin, a name like find-next, and the task",
		},
		"no task": {
			text: "//exercise:begin order \n//exercise:end\n",
			want: "a.go:1: write //exercise:begin, a name like find-next, and the task",
		},
		"a name that is none": {
			text: "//exercise:begin Find the step.\n//exercise:end\n",
			want: "a.go:1: write //exercise:begin, a name like find-next, and the task",
		},
		"task below the code": {
			text: "//exercise:begin a Do this.\nx()\n//exercise:task Do it well.\n//exercise:end\n",
			want: "a.go:3: //exercise:task comes right after //exercise:begin",
		},
		"code below the starter": {
			text: "//exercise:begin a Do this.\n//exercise:starter y()\nx()\n//exercise:end\n",
			want: "a.go:3: the solution's code comes before //exercise:starter",
		},
		"a space too many": {
			text: "// exercise:begin a Do this.\n",
			want: "a.go:1: write //exercise: without a space",
		},
		"after code": {
			text: "x() //exercise:end\n",
			want: "a.go:1: //exercise:… has to have a line of its own",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse("a.go", []byte(test.text))
			if err == nil || err.Error() != test.want {
				t.Errorf("parse: %v; want %s", err, test.want)
			}
		})
	}
}

func TestANameIsUsedOnceInALesson(t *testing.T) {
	t.Parallel()
	exercise := "package a\n\n//exercise:begin order Do this.\n//exercise:end\n"
	_, err := stripped("solutions/01-a", Files{"a.go": []byte(exercise), "b.go": []byte(exercise)})
	want := `solutions/01-a/b.go:3: the name "order" is used already, in solutions/01-a/a.go:3`
	if err == nil || err.Error() != want {
		t.Errorf("stripped: %v; want %s", err, want)
	}
}

func TestWhatIsLeftHasToBeGo(t *testing.T) {
	t.Parallel()
	text := "package a\n\nfunc a() int {\n//exercise:begin result Return it.\n}\n//exercise:end\n"
	_, err := starter("solutions/01-a", Files{"a.go": []byte(text)})
	if err == nil || !strings.HasPrefix(err.Error(), "solutions/01-a/a.go, without what marks its exercises, is no Go: ") {
		t.Errorf("starter: %v; want the file, and that it is no Go", err)
	}
}
