package hunt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
)

const (
	descriptor = `package lesson99

var pinned = []lesson.Check{
	{
		ID: "99.1", Title: "One", Why: "Because " + "of that.",
		Play: scene.Play(one),
	},
	generated.Check(lesson.Check{ID: "99.2", Title: "Two", Rules: running}, 7),
}

var running = []invariants.ID{invariants.I1}
`
	played = `package lesson99

// one is a check.
func one(s *scene.Scene) { shared(s); watcher{}.run() }

func shared(s *scene.Scene) { s.Start() }

func unused(s *scene.Scene) { s.Stop() }

type watcher struct{}

func (watcher) run() {}

func (watcher) String() string { return "a watcher" }
`
)

func TestAChecksHashIsOfWhatItLeadsTo(t *testing.T) {
	t.Parallel()
	before := hashesOf(t, descriptor, played)
	assert.Equal(t, "checks", len(before), 2)
	for name, test := range map[string]struct {
		find, replace string
		stale         []string
	}{
		"a title":                         {`"One"`, `"First"`, nil},
		"a reason":                        {`"of that."`, `"of this."`, nil},
		"a comment":                       {"// one is a check.\n", "", nil},
		"the layout":                      {"{ s.Start() }", "{\n\ts.Start()\n}", nil},
		"what no check leads to":          {"s.Stop()", "s.Kill()", nil},
		"what is played":                  {"shared(s);", "shared(s); shared(s);", []string{"99.1"}},
		"a function that it calls":        {"s.Start()", "s.Restart()", []string{"99.1"}},
		"a method":                        {"run() {}", "run() { panic(0) }", []string{"99.1"}},
		"a method that an interface asks": {`"a watcher"`, `"watcher"`, []string{"99.1"}},
		"a check's rules":                 {"invariants.I1", "invariants.I2", []string{"99.2"}},
		"a seed":                          {", 7)", ", 8)", []string{"99.2"}},
		"another check":                   {"generated.Check", "{ID: \"99.3\"},\n\tgenerated.Check", nil},
	} {
		t.Run(name, func(t *testing.T) {
			after := hashesOf(t, strings.Replace(descriptor, test.find, test.replace, 1), strings.Replace(played, test.find, test.replace, 1))
			var stale []string
			for _, id := range []string{"99.1", "99.2"} {
				if before[id] != after[id] {
					stale = append(stale, id)
				}
			}
			assert.Equal(t, "stale", strings.Join(stale, " "), strings.Join(test.stale, " "))
		})
	}
}

// hashesOf are the hashes of the checks in a package with these files.
func hashesOf(t *testing.T, files ...string) map[string]string {
	t.Helper()
	folder := t.TempDir()
	for i, text := range files {
		if err := os.WriteFile(filepath.Join(folder, []string{"lesson.go", "play.go"}[i]), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	declared, entries, err := declarations(folder)
	if err != nil {
		t.Fatal(err)
	}
	hashes := map[string]string{}
	for id, entry := range entries {
		texts, err := reached(declared, entry)
		if err != nil {
			t.Fatal(err)
		}
		hashes[id] = hash(strings.Join(texts, "\n"))
	}
	return hashes
}
