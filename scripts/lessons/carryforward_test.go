package lessons

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/lesson"
)

func TestAChangeIsCarriedForward(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")
	c.edit(t, "solutions/03-reconcile/decide.go", "Find the step", "Look for the step") // which is lesson 3's alone
	c.edit(t, "solutions/03-reconcile/decide.go", "for _, step := range steps {", "for _, step := range steps { // in their order")
	c.write(t, "solutions/03-reconcile/new.go", "package main\n")
	said := c.mustCarryForward(t, 3)

	for _, slug := range []string{"04-conditions", "05-observed-generation"} {
		wants(t, c.text(t, "solutions/"+slug+"/main.go"), "limit = 4")
		wants(t, c.text(t, "solutions/"+slug+"/decide.go"), "// in their order")
		wants(t, c.text(t, "solutions/"+slug+"/new.go"), "package main")
		wants(t, said, "solutions/"+slug+"/decide.go\nsolutions/"+slug+"/main.go\nsolutions/"+slug+"/new.go\n")
	}
	wants(t, c.text(t, "solutions/04-conditions/decide.go"), "//exercise:begin summary")
	wants(t, c.text(t, "solutions/05-observed-generation/main.go"), "//exercise:begin generation")
	if strings.Contains(c.text(t, "solutions/05-observed-generation/decide.go"), "exercise:") {
		t.Error("an exercise has been carried")
	}
	wants(t, said, "Now run make starters")
	wants(t, c.mustCarryForward(t, 3), "Nothing was to be carried")
}

func TestCarryingForwardStopsAtTheFirstConflict(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, "solutions/04-conditions/main.go", "limit = 3", "limit = 30")
	c.edit(t, "solutions/05-observed-generation/main.go", "limit = 3", "limit = 30")
	c.commit(t)
	c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")

	err := c.CarryForward(t.Context(), c.lesson(t, 3), head, &bytes.Buffer{})
	if err == nil {
		t.Fatal("no conflict")
	}
	wants(t, err.Error(), "the change to solutions/03-reconcile does not fit into solutions/04-conditions", "solutions/04-conditions/main.go: ", "make carry-forward FROM=4")
	conflict := c.text(t, "solutions/04-conditions/main.go")
	wants(t, conflict, "<<<<<<< solutions/04-conditions\nconst limit = 30\n=======\nconst limit = 4\n>>>>>>> solutions/03-reconcile\n")
	wants(t, c.text(t, "solutions/05-observed-generation/main.go"), "limit = 30")

	for _, from := range []int{3, 4} { // before it is resolved
		err := c.CarryForward(t.Context(), c.lesson(t, from), head, &bytes.Buffer{})
		if err == nil || !strings.Contains(err.Error(), "solutions/04-conditions/main.go:5 has conflicts from an earlier merge") {
			t.Errorf("from %d: %v; want that there are conflicts", from, err)
		}
	}
	before, _, _ := strings.Cut(conflict, "<<<<<<<")
	_, after, _ := strings.Cut(conflict, ">>>>>>> solutions/03-reconcile\n")
	c.write(t, "solutions/04-conditions/main.go", before+"const limit = 40\n"+after)
	c.mustCarryForward(t, 4)
	wants(t, c.text(t, "solutions/05-observed-generation/main.go"), "limit = 40")
}

func TestCarryingForwardFromAnOlderCommit(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")
	c.commit(t)
	wants(t, c.mustCarryForward(t, 3), "or nothing differs from HEAD (SINCE=HEAD~1 names an older commit).")
	if err := c.CarryForward(t.Context(), c.lesson(t, 3), "HEAD~1", &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	wants(t, c.text(t, "solutions/05-observed-generation/main.go"), "limit = 4")
}

func TestCarryingForwardWhatWasNeverCommitted(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.commit(t)
	c.make(t, "solutions/04-conditions")
	c.write(t, "solutions/03-reconcile/a.go", "package main\n")
	err := c.CarryForward(t.Context(), c.lesson(t, 3), head, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "solutions/03-reconcile is not in HEAD") {
		t.Errorf("carryForward: %v; want that there is nothing to compare with", err)
	}
}

// TestARealChangeIsCarriedForward renames something in a copy of the course's own solution 3, and adds a
// file to it.
func TestARealChangeIsCarriedForward(t *testing.T) {
	t.Parallel()
	const old, renamed = "gracePeriod", "timeToEnd"
	here := thisRepository(t)
	changed := here.lesson(t, 3)
	c := Course{t.TempDir(), here.lessons}
	var later []lesson.Lesson
	for _, l := range here.lessons[2:] {
		files, err := here.readSolution(l)
		if err != nil {
			t.Fatal(err)
		}
		put(t, c.Path(l.Solution()), files)
		if l.Continues > 0 {
			later = append(later, l)
		}
	}
	c.commit(t)
	before := map[string]Files{}
	for _, l := range later {
		starter, err := c.starter(l)
		if err != nil {
			t.Fatal(err)
		}
		before[l.Slug] = starter
	}

	main := changed.Solution() + "/main.go"
	c.write(t, main, strings.ReplaceAll(c.text(t, main), old, renamed))
	c.write(t, changed.Solution()+"/clock.go", "package main\n")
	c.mustCarryForward(t, 3)

	for _, l := range later {
		want := before[l.Slug]
		if !bytes.Contains(want["main.go"], []byte(old)) {
			t.Fatalf("%s has no %s that could be renamed", l.Slug, old)
		}
		want["main.go"] = bytes.ReplaceAll(want["main.go"], []byte(old), []byte(renamed))
		want["clock.go"] = []byte("package main\n")
		got, err := c.starter(l)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
			t.Errorf("the starter of %s has changed elsewhere (-want +got):\n%s", l.Slug, diff)
		}
	}
	if _, err := os.Stat(c.Path(later[0].Solution(), "clock.go")); err != nil {
		t.Error(err)
	}
}

func (c Course) mustCarryForward(t *testing.T, from int) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.CarryForward(t.Context(), c.lesson(t, from), head, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
