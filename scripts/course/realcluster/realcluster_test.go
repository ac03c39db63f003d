package realcluster

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/mutants"
)

func TestNoVerdictIsLost(t *testing.T) {
	specs := exec.Command("sh", "-c", `echo '{"ID":"K1"}' >&3; echo '{"ID":"K2","Finding":{"What":"it failed"}}' >&3; exit 1`)
	var got []string
	wait, err := listen(specs, func(verdict e2e.Verdict) {
		what := verdict.ID
		if verdict.Finding != nil {
			what += ": " + verdict.Finding.What
		}
		got = append(got, what)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := specs.Run(); err == nil {
		t.Error("the exit code is lost")
	}
	wait()
	if diff := cmp.Diff([]string{"K1", "K2: it failed"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWhatCantBeJudgedOnARealCluster(t *testing.T) {
	for name, test := range map[string]struct {
		lesson int
		code   usage.Code
		check  string
		want   string
	}{
		"a check of other code":     {2, usage.Code{Own: true}, "K1", "about a controller of SequentialJobs, and lesson 2 makes an API"},
		"a check that there isn't":  {3, usage.Code{Own: true}, "K99", "there are K1 to K27"},
		"a check of a later lesson": {3, usage.Code{Own: true}, "K8", "about what lesson 5 adds"},
		"no code":                   {3, usage.Code{Code: judge.Code{Folder: t.TempDir()}, Typed: " IMPL=x"}, "", "no Go file"},
	} {
		of, err := usage.Find(test.lesson)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(of, test.code, test.check); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, test.want)
		}
	}
}

func TestWhichRulesHoldForALesson(t *testing.T) {
	for number, want := range map[int]string{
		1: "K9 K10 K11 K12",
		2: "K13 K14 K15 K16 K17",
		3: "K1 K2 K3 K4",
		5: "K1 K2 K3 K4 K5 K6 K7 K8",
		6: "K1 K2 K3 K4 K5 K6 K7 K8 K18 K19 K20 K21",
		8: "K1 K2 K3 K4 K5 K6 K7 K8 K18 K19 K20 K21 K22 K23",
	} {
		of, err := usage.Find(number)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rulesFor(of, ""), " "); got != want {
			t.Errorf("lesson %d: got %s, want %s", number, got, want)
		}
	}
}

func TestEachRuleHasAWrongVersion(t *testing.T) {
	all, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string]bool{}
	for _, mutant := range all {
		caught[mutant.OnCluster] = true
	}
	for _, rule := range e2e.Rules {
		if !caught[rule.ID] {
			t.Errorf("no wrong version has to be caught by %s", rule.ID)
		}
	}
}
