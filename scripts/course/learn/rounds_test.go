package learn

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/lesson"
)

func TestASampleHasOneCheckForEachWorld(t *testing.T) {
	all := []lesson.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}, {ID: "3.4"}}
	others := worlds.Of(lesson.Controller)[1:]
	for seed, want := range map[uint64]string{0: "3.1 3.2 3.3", 2: "3.1 3.3 3.4", 5: "3.2 3.3 3.4"} {
		r := round{worlds: others, sample: true}
		var got []string
		met := map[string]bool{}
		chosen := r.of(all, seed)
		world := judge.Spread(chosen, r.worlds, seed)
		for _, check := range chosen {
			got = append(got, string(check.ID))
			met[world(check).Name] = true
		}
		if strings.Join(got, " ") != want || len(met) != len(others) {
			t.Errorf("with the seed %d it plays %s in %d worlds, want %s in %d", seed, got, len(met), want, len(others))
		}
	}
}

func TestARoundPlaysWhatItsWorldsConcern(t *testing.T) {
	all := []lesson.Check{{ID: "2.1"}, {ID: "2.2"}, {ID: "2.3"}, {ID: "2.4"}}
	for _, sample := range []bool{false, true} {
		r := round{worlds: worlds.Of(lesson.API)[1:], sample: sample}
		var got []string
		for _, check := range r.of(all, 1) {
			got = append(got, string(check.ID))
		}
		want := "2.2 2.4"
		if sample {
			want = "2.4"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("it plays %s, want %s; a sample: %t", got, want, sample)
		}
	}
}

func TestRounds(t *testing.T) {
	for name, test := range map[string]struct {
		request request
		kind    lesson.Kind
		rounds  int
		fails   string
	}{
		"a controller":         {request{}, lesson.Controller, 2, ""},
		"one check":            {request{check: "3.1"}, lesson.Controller, 1, ""},
		"an API":               {request{}, lesson.API, 2, ""},
		"a seed":               {request{world: "generated-7", check: "2.4"}, lesson.API, 1, ""},
		"a seed for nothing":   {request{world: "generated-7", check: "2.1"}, lesson.API, 0, "makes no difference to check 2.1, only to [2.2 2.4 2.5]"},
		"one world":            {request{world: "odd"}, lesson.Controller, 1, ""},
		"all worlds":           {request{world: "all"}, lesson.Controller, 4, ""},
		"a world of no lesson": {request{world: "flat"}, lesson.Controller, 0, "there is plain, crowded, odd, hard, and WORLD=all is every one of them"},
	} {
		rounds, err := test.request.rounds(test.kind)
		if len(rounds) != test.rounds || (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: %d rounds, error %v; want %d, %q", name, len(rounds), err, test.rounds, test.fails)
		}
	}
}
