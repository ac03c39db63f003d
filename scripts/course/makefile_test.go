package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// dryRun returns what make would run for some goals.
func dryRun(t *testing.T, env []string, args ...string) string {
	t.Helper()
	command := exec.Command("make", append([]string{"-n", "-C", filepath.Join("..", ".."), "--no-print-directory"}, args...)...)
	command.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...) // without the options of a make that runs this test
	output, err := command.CombinedOutput()
	if err != nil {
		t.Errorf("make -n %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return string(output)
}

func TestMakefile(t *testing.T) {
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make on this machine")
	}
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}

	t.Run("has commands for each goal that help names", func(t *testing.T) {
		goals := regexp.MustCompile(`(?m)^(?:# )?([a-z0-9 -]+): .*## `).FindAllSubmatch(makefile, -1)
		if len(goals) < 40 {
			t.Fatalf("only %d goals found", len(goals))
		}
		for _, goal := range goals {
			args := append(strings.Fields(string(goal[1])), "FILE=node.tar")
			if said := dryRun(t, nil, args...); said == "" {
				t.Errorf("make %s runs nothing", goal[1])
			}
		}
	})

	t.Run("passes the file of the node image", func(t *testing.T) {
		for _, verb := range []string{"save", "load"} {
			want := "scripts/course.sh node-image " + verb + " \"node.tar\"\n"
			if diff := cmp.Diff(want, dryRun(t, nil, "node-image-"+verb, "FILE=node.tar")); diff != "" {
				t.Errorf("make node-image-%s (-want +got):\n%s", verb, diff)
			}
		}
	})

	t.Run("takes no option from the environment", func(t *testing.T) {
		listed := regexp.MustCompile(`(?m)^options := (.*)$`).FindSubmatch(makefile)
		if listed == nil {
			t.Fatal("the Makefile lists no options")
		}
		options := strings.Fields(string(listed[1]))
		for _, used := range regexp.MustCompile(`\$\(if \$\(([A-Z]+)\)`).FindAllSubmatch(makefile, -1) {
			if !slices.Contains(options, string(used[1])) {
				t.Errorf("the Makefile uses %s, which is not among its options", used[1])
			}
		}
		var env []string
		for _, option := range options {
			env = append(env, option+"=surprise")
		}
		for _, goal := range []string{"lesson-3 test", "lesson-3 test -e", "test", "campaign", "road", "explore", "mutants", "mutation", "e2e", "starters", "carry-forward"} {
			args := strings.Fields(goal)
			if diff := cmp.Diff(dryRun(t, nil, args...), dryRun(t, env, args...)); diff != "" {
				t.Errorf("make %s (-without +with options in the environment):\n%s", goal, diff)
			}
		}
	})

	t.Run("takes options from the command line", func(t *testing.T) {
		if said := dryRun(t, []string{"CHECK=9.9"}, "lesson-3", "test", "CHECK=3.2"); !strings.Contains(said, "--check '3.2'") {
			t.Errorf("CHECK=3.2 is not passed on:\n%s", said)
		}
	})
}
