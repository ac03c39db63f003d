package explore

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/judge"
)

func TestWhatIsWorthRecording(t *testing.T) {
	for name, test := range map[string]struct {
		chosen flags
		want   bool
	}{
		"an hour":          {flags{seed: 1, limit: time.Hour}, true},
		"half an hour":     {flags{seed: 1, limit: 30 * time.Minute}, true},
		"a minute":         {flags{seed: 1, limit: time.Minute}, false},
		"until it is over": {flags{seed: 1}, false},
		"another seed":     {flags{seed: 2, limit: time.Hour}, false},
		"one world":        {flags{seed: 1, limit: time.Hour, choose: usage.Flags{World: "plain"}}, false},
		"one plan":         {flags{seed: 1, limit: time.Hour, plan: "create web"}, false},
	} {
		if got := test.chosen.whole(); got != test.want {
			t.Errorf("%s: %t, want %t", name, got, test.want)
		}
	}
}

func TestRunsThatWereNotJudgedAreNoSuccess(t *testing.T) {
	judged, unclear := judge.Verdict{}, judge.Verdict{NotJudged: "the API server is gone"}
	for name, test := range map[string]struct {
		runs      []judge.Verdict
		notJudged string // a part of what it says; empty for a success
		says      string
	}{
		"none":              {nil, "no run was played", ""},
		"not one judged":    {[]judge.Verdict{unclear, unclear}, "none could be judged: the API server is gone", ""},
		"one not judged":    {[]judge.Verdict{judged, unclear}, "", "No finding in 1 run in 0s, from seed 1 on (1 more could not be judged)."},
		"all of them right": {[]judge.Verdict{judged, judged}, "", "No finding in 2 runs in 0s, from seed 1 on."},
	} {
		tally := &tally{out: io.Discard, first: 1, began: time.Now(), covered: map[string]int{}}
		for _, run := range test.runs {
			tally.Done(run)
		}
		var out strings.Builder
		err := tally.conclude(&out, nil)
		_, notJudged := errors.AsType[usage.NotJudged](err)
		if notJudged != (test.notJudged != "") || notJudged && !strings.Contains(err.Error(), test.notJudged) || !strings.HasPrefix(out.String(), test.says) {
			t.Errorf("%s: %v, %q", name, err, out.String())
		}
	}
}
