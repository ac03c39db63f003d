package explore

import (
	"testing"
	"time"

	"example.com/controller-course/scripts/course/usage"
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
