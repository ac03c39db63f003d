package lessons

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/lesson"
)

func TestStarterAndStrippedSolution(t *testing.T) {
	t.Parallel()
	solution, err := read(filepath.Join("testdata", "solution"))
	if err != nil {
		t.Fatal(err)
	}
	for folder, derive := range map[string]func(string, Files) (Files, error){"starter": starter, "stripped": stripped} {
		t.Run(folder, func(t *testing.T) {
			got, err := derive("testdata/solution", solution.withoutTests())
			if err != nil {
				t.Fatal(err)
			}
			want, err := read(filepath.Join("testdata", folder))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
				t.Errorf("testdata/%s is not what was derived (-want +got):\n%s", folder, diff)
			}
		})
	}
}

// derivations are what is derived from a solution.
var derivations = map[string]func(Course, lesson.Lesson) (Files, error){"starter": Course.starter, "stripped": Course.stripped}

func TestTestsAreLeftOut(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	l := c.lesson(t, 3)
	put(t, c.Path(l.Solution()), Files{"a.go": []byte("package a\n"), "a_test.go": []byte("package a\n")})
	for name, derive := range derivations {
		got, err := derive(c, l)
		if err != nil || len(got) != 1 || got["a.go"] == nil {
			t.Errorf("%s: %v, %v; want a.go alone", name, texts(got), err)
		}
	}
}

func TestAnImportThatOnlyTheStarterNeeds(t *testing.T) {
	t.Parallel()
	const text = `package a

import "fmt"

func say() {
	//exercise:begin say Say it without a logger.
	fmt.Println()
	//exercise:starter logger.Println()
	//exercise:import logger "log"
	//exercise:end
}
`
	got, err := starter("", Files{"a.go": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	const want = `package a

import (
	logger "log"
)

func say() {
	// TODO(say): Say it without a logger.
	logger.Println()
}
`
	if diff := cmp.Diff(want, string(got["a.go"])); diff != "" {
		t.Errorf("starter (-want +got):\n%s", diff)
	}
	_, err = starter("solutions/01-a", Files{"a.go": []byte(strings.ReplaceAll(text, `logger "log"`, "logger log"))})
	if want := "solutions/01-a/a.go:6: //exercise:import logger log: write it as in an import declaration"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("starter: %v; want %s", err, want)
	}
}

func TestALessonWithoutASolution(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	for name, derive := range derivations {
		_, err := derive(c, c.lesson(t, 3))
		if err == nil || !strings.Contains(err.Error(), "there is no solution in solutions/03-reconcile") {
			t.Errorf("%s: %v; want that there is none", name, err)
		}
	}
}

func TestUnusedImportsGo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text, want string
		reason     string
	}{
		"one of two": {
			text:   "package a\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n\nvar _ = os.Args\n\n//exercise:begin a Print.\nvar _ = fmt.Sprint()\n\n//exercise:end\n",
			want:   "package a\n\nimport (\n\t\"os\"\n)\n\nvar _ = os.Args\n\n// TODO(a): Print.\n",
			reason: "only the exercise used fmt",
		},
		"the only one": {
			text:   "package a\n\nimport \"fmt\"\n\n//exercise:begin a Print.\nvar _ = fmt.Sprint()\n\n//exercise:end\n",
			want:   "package a\n\n// TODO(a): Print.\n",
			reason: "no import statement is left empty",
		},
		"a whole group": {
			text:   "package a\n\nimport (\n\t\"fmt\"\n\n\t// for its names\n\tb \"example.com/b/v2\" // a comment\n)\n\nvar _ = fmt.Sprint()\n\n//exercise:begin a Call it.\nvar _ = b.Call()\n\n//exercise:end\n",
			want:   "package a\n\nimport (\n\t\"fmt\"\n)\n\nvar _ = fmt.Sprint()\n\n// TODO(a): Call it.\n",
			reason: "comments go with their import",
		},
		"a field of that name": {
			text:   "package a\n\nimport \"example.com/client\"\n\ntype t struct{ client any }\n\nvar _ = t{client: nil}.client\n\n//exercise:begin a Call it.\nvar _ = client.Call()\n\n//exercise:end\n",
			want:   "package a\n\ntype t struct{ client any }\n\nvar _ = t{client: nil}.client\n\n// TODO(a): Call it.\n",
			reason: "a field is not the package of that name",
		},
		"a variable of that name": {
			text:   "package a\n\nimport \"example.com/client\"\n\nfunc f(client interface{ Get() }) {\n\tclient.Get()\n}\n\n//exercise:begin a Call it.\nvar _ = client.Call()\n\n//exercise:end\n",
			want:   "package a\n\nfunc f(client interface{ Get() }) {\n\tclient.Get()\n}\n\n// TODO(a): Call it.\n",
			reason: "a parameter is not the package of that name",
		},
		"for its effect": {
			text:   "package a\n\nimport _ \"embed\"\n\n//exercise:begin a Say something.\n//exercise:end\n",
			want:   "package a\n\nimport _ \"embed\"\n\n// TODO(a): Say something.\n",
			reason: "a blank import is always used",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := starter("", Files{"a.go": []byte(test.text)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got["a.go"])); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestAnImportNeedsANameThatItsPathDoesNotShow(t *testing.T) {
	t.Parallel()
	text := "package a\n\nimport \"example.com/client/v2\"\n\nvar _ = client.New()\n"
	_, err := starter("solutions/01-a", Files{"a.go": []byte(text)})
	if err == nil || !strings.Contains(err.Error(), `solutions/01-a/a.go: nothing uses "example.com/client/v2", or its name is another`) {
		t.Errorf("starter: %v; want an error that names the import", err)
	}
}

func texts(files Files) map[string]string {
	texts := map[string]string{}
	for name, text := range files {
		texts[name] = string(text)
	}
	return texts
}
