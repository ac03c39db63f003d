package generated

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/lesson"
)

func everything() lesson.Taught {
	taught := lesson.Taught{Faults: Stale()}
	for _, name := range Verbs() {
		if name != "fault" {
			taught.Acts = append(taught.Acts, name)
		}
	}
	return taught
}

func TestEveryGeneratedRunCanBeReadAgain(t *testing.T) {
	met := map[string]bool{}
	for seed := range 500 {
		run := Of(everything(), seed)
		again, err := Parse(run.String())
		must.Succeed(t, err)
		if again.String() != run.String() || Of(everything(), seed).String() != run.String() {
			t.Errorf("the run of seed %d is %s, and then %s", seed, run, again)
		}
		for _, act := range run {
			name, _ := act.verb()
			met[name] = true
		}
	}
	for _, name := range Verbs() {
		if !met[name] {
			t.Errorf("no run has the act %s", name)
		}
	}
}

func TestEachExampleOfAnActCanBeRead(t *testing.T) {
	for name, verb := range verbs {
		if act := Act(verb.example); act.verify() != nil || !strings.HasPrefix(verb.example, name) {
			t.Errorf("the example of %s is %q: %v", name, act, act.verify())
		}
	}
}

func TestWhatCanNotBeReadIsNamed(t *testing.T) {
	for text, says := range map[string]string{
		"":                                "a run needs at least one act",
		"create web fetch; sing":          `"sing" is no act; the first word has to be one of abandon`,
		"create web":                      "it needs a name and steps",
		"create web fetch startAt=ship":   `"startAt=ship" is none of suspended`,
		"suspend":                         "the verb needs 1 word after it",
		"delete web slowly":               "may have background, foreground or orphan after it",
		"quota maybe":                     "a quota is on or off",
		"fault answer 500: every request": `an example: "fault answer 500: next 2 writes jobs web/build"`,
		"quickly complete web":            "only what users do can be done quickly",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want %s", text, err, says)
		}
	}
}
