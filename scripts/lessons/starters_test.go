package lessons

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestStartersAreDerivedAndChecked(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	wants(t, c.text(t, decideFile), "\t// TODO(order): Find the step that is next.\n\treturn \"\"")
	if _, err := os.Stat(c.Path("lessons/03-reconcile/decide_test.go")); err == nil {
		t.Error("a starter has tests")
	}
	if err := c.CheckStarters(); err != nil {
		t.Errorf("starters are not fresh after they were written: %v", err)
	}
	wants(t, c.mustWriteStarters(t, false), "Everything is as the solutions give it.")

	c.edit(t, "solutions/03-reconcile/decide.go", "Find the step", "Look for the step")
	c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")
	err := c.CheckStarters()
	if err == nil {
		t.Fatal("nothing is found to differ")
	}
	wants(t, err.Error(), "run make starters", "  lessons/03-reconcile/decide.go\n", "  lessons/03-reconcile/main.go")
	if strings.Contains(err.Error(), "lessons/05") {
		t.Errorf("lesson 5 is said to differ: %v", err)
	}

	for _, task := range []string{"Look for", "Search for"} { // twice between two commits
		c.edit(t, "solutions/03-reconcile/decide.go", "exercise:begin order ", "exercise:begin order "+task+": ")
		wants(t, c.mustWriteStarters(t, false), "lessons/03-reconcile/decide.go\n")
		wants(t, c.text(t, decideFile), "// TODO(order): "+task+": ")
	}
	if err := c.CheckStarters(); err != nil {
		t.Error(err)
	}
}

func TestStartersDoNotWriteOverALearnersWork(t *testing.T) {
	t.Parallel()
	for name, save := range map[string]func(*testing.T, Course){
		"not committed": func(*testing.T, Course) {},
		"committed":     func(t *testing.T, c Course) { c.commit(t) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newSmallCourse(t)
			c.edit(t, decideFile, `return ""`, `return "mine"`)
			c.write(t, "lessons/05-observed-generation/own.go", "package main\n")
			save(t, c)
			c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")

			err := c.WriteStarters(t.Context(), false, &bytes.Buffer{})
			if err == nil {
				t.Fatal("starters were written")
			}
			wants(t, err.Error(), "nothing was written", "  lessons/03-reconcile/decide.go\n", "  lessons/05-observed-generation/own.go\n", "FORCE=1")
			if strings.Contains(err.Error(), "main.go") {
				t.Errorf("it refuses to derive what nobody has changed: %v", err)
			}
			wants(t, c.text(t, decideFile), "mine")
			wants(t, c.text(t, "lessons/03-reconcile/main.go"), "limit = 3")

			c.mustWriteStarters(t, true)
			if err := c.CheckStarters(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(c.Path("lessons/05-observed-generation/own.go")); err == nil {
				t.Error("a file that the solution does not have is still there")
			}
		})
	}
}

func TestStartersGoWithTheirSolutionsFiles(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	if err := os.Remove(c.Path("solutions/05-observed-generation/decide.go")); err != nil {
		t.Fatal(err)
	}
	c.mustWriteStarters(t, false)
	if _, err := os.Stat(c.Path("lessons/05-observed-generation/decide.go")); err == nil {
		t.Error("a file that the solution does not have any more is still there")
	}
}

func (c Course) mustWriteStarters(t *testing.T, force bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.WriteStarters(t.Context(), force, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
