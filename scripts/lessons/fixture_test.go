package lessons

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// solutions are those of a small course of which lessons 3 to 5 are there.
var solutions = map[string]string{
	"solutions/03-reconcile/decide.go": `package main

import "slices"

// decide says which step is next.
func decide(steps, done []string) string {
	//exercise:begin order Find the step that is next.
	for _, step := range steps {
		if !slices.Contains(done, step) {
			return step
		}
	}
	//exercise:end
	return ""
}
`,
	"solutions/03-reconcile/main.go": `package main

import "fmt"

const limit = 3

func main() {
	fmt.Println("next:", decide([]string{"build", "test"}, nil), limit)
}
`,
	"solutions/03-reconcile/decide_test.go": `package main

import "testing"

func TestDecide(t *testing.T) {
	t.Parallel()
	if got := decide([]string{"build"}, nil); got != "build" {
		t.Error(got)
	}
}
`,
	"solutions/04-conditions/decide.go": `package main

import "slices"

// decide says which step is next.
func decide(steps, done []string) string {
	for _, step := range steps {
		if !slices.Contains(done, step) {
			return step
		}
	}
	return ""
}

// summary says how far the run is.
func summary(steps, done []string) string {
	//exercise:begin summary Say whether all is done.
	if decide(steps, done) == "" {
		return "True"
	}
	//exercise:end
	return "Unknown"
}
`,
	"solutions/04-conditions/main.go": `package main

import "fmt"

const limit = 3

func main() {
	fmt.Println("next:", decide([]string{"build", "test"}, nil), limit)
	fmt.Println("summary:", summary(nil, nil))
}
`,
	"solutions/05-observed-generation/decide.go": `package main

import "slices"

// decide says which step is next.
func decide(steps, done []string) string {
	for _, step := range steps {
		if !slices.Contains(done, step) {
			return step
		}
	}
	return ""
}

// summary says how far the run is.
func summary(steps, done []string) string {
	if decide(steps, done) == "" {
		return "True"
	}
	return "Unknown"
}
`,
	"solutions/05-observed-generation/main.go": `package main

import "fmt"

const limit = 3

func main() {
	fmt.Println("next:", decide([]string{"build", "test"}, nil), limit)
	//exercise:begin generation Print the generation too.
	fmt.Println("generation:", 1)
	//exercise:end
	fmt.Println("summary:", summary(nil, nil))
}
`,
}

// TestMain makes git ignore this machine's configuration, and a repository that a hook names.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// newSmallCourse returns a course with these solutions and their starters, all committed.
func newSmallCourse(t *testing.T) Course {
	t.Helper()
	c := newCourse(t)
	for file, text := range solutions {
		c.write(t, file, text)
	}
	c.commit(t)
	var out bytes.Buffer
	if err := c.WriteStarters(t.Context(), false, &out); err != nil {
		t.Fatal(err)
	}
	c.commit(t)
	return c
}

// commit commits all there is.
func (c Course) commit(t *testing.T) {
	t.Helper()
	c.write(t, ".gitignore", ".cache/\n")
	for _, args := range [][]string{
		{"init", "--quiet", "--template="},
		{"add", "--all"},
		{"-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "--quiet", "--allow-empty", "--message", "All there is"},
	} {
		command := exec.Command("git", append([]string{"-C", c.root}, args...)...)
		if said, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args[0], err, said)
		}
	}
}

// edit replaces a part of a file, which it has to have.
func (c Course) edit(t *testing.T, file, old, new string) {
	t.Helper()
	text := []byte(c.text(t, file))
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q:\n%s", file, old, text)
	}
	c.write(t, file, string(bytes.Replace(text, []byte(old), []byte(new), 1)))
}
