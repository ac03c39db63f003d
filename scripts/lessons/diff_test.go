package lessons

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fatih/color"
	"github.com/google/go-cmp/cmp"
)

func TestDiffLeadsToTheSolution(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.write(t, "lessons/03-reconcile/own.go", "package main\n")
	c.write(t, "lessons/03-reconcile/own_test.go", "package main\n")
	want := `--- lessons/03-reconcile/decide.go
+++ solutions/03-reconcile/decide.go
@@ -1,7 +1,13 @@
 package main
+
+import "slices"
 
 // decide says which step is next.
 func decide(steps, done []string) string {
-	// TODO(order): Find the step that is next.
+	for _, step := range steps {
+		if !slices.Contains(done, step) {
+			return step
+		}
+	}
 	return ""
 }
--- lessons/03-reconcile/own.go
+++ /dev/null
@@ -1,1 +0,0 @@
-package main
`
	if diff := cmp.Diff(want, c.mustDiff(t, 3)); diff != "" {
		t.Errorf("diff (-want +got):\n%s", diff)
	}
}

func TestDiffOfASolution(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	solution, err := c.stripped(c.lesson(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	put(t, c.Path("lessons/03-reconcile"), solution)
	if got, want := c.mustDiff(t, 3), "lessons/03-reconcile is the same as the solution.\n"; got != want {
		t.Errorf("diff says %q, want %q", got, want)
	}
	c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")
	wants(t, c.mustDiff(t, 3), "Note: solutions/03-reconcile is not as it was committed (main.go).", "-const limit = 3\n+const limit = 4\n")
}

func TestDiffIsColoured(t *testing.T) {
	plain := color.NoColor
	color.NoColor = false
	t.Cleanup(func() { color.NoColor = plain })
	lines := []string{"--- a", "+++ b", "@@ -1,2 +1,2 @@", "-removed", "+added", " the same"}
	seen := map[string]bool{}
	for _, line := range lines {
		shown := painted(line)
		if !strings.Contains(shown, line) {
			t.Errorf("%q is shown as %q", line, shown)
		}
		seen[strings.Replace(shown, line, "", 1)] = true
	}
	if len(seen) != 5 { // the first two are alike
		t.Errorf("%d ways to show a line, want 5", len(seen))
	}
}

func TestUnifiedDiffs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		from, to       string
		added, removed int
		want           string
	}{
		"a line in the middle": {
			from: "1\n2\n3\n4\n5\n6\n7\n8\n9\n", to: "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			added: 1, removed: 1,
			want: "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
		},
		"far apart": {
			from: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", to: "2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n",
			added: 1, removed: 1,
			want: "@@ -1,4 +1,3 @@\n-1\n 2\n 3\n 4\n@@ -8,3 +7,4 @@\n 8\n 9\n 10\n+11\n",
		},
		"from nothing": {
			to: "1\n", added: 1,
			want: "@@ -0,0 +1,1 @@\n+1\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := compare(lines([]byte(test.from)), lines([]byte(test.to)))
			want := Difference{Added: test.added, Removed: test.removed, Text: test.want}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("compare (-want +got):\n%s", diff)
			}
		})
	}
}

func (c Course) mustDiff(t *testing.T, number int) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.Diff(t.Context(), c.lesson(t, number), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestDiffBeginsWithWhatTheLessonAddsToTheOneBefore(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	wants(t, c.mustDiff(t, 4), "From solutions/03-reconcile to solutions/04-conditions:\n", "  decide.go", "+8 -0\n",
		"\nFrom lessons/04-conditions to solutions/04-conditions:\n--- lessons/04-conditions/decide.go\n")
}
