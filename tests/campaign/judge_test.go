package campaign

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

func TestHowLongAControllerWasWaitedFor(t *testing.T) {
	const enough, now = 4 * time.Second, time.Minute
	struck := func(at, healed time.Duration) history.Run {
		return history.Run{Faults: []history.Strike{{ID: 1, Struck: at, Healed: healed}}}
	}
	for name, test := range map[string]struct {
		run  history.Run
		want string
	}{
		"nothing was done to it":     {history.Run{}, "With no fault active for 4 s, "},
		"a fault long ago":           {struck(time.Second, 2*time.Second), "With no fault active for 4 s, "},
		"a fault a moment ago":       {struck(time.Second, 58*time.Second), "With no fault active for 2 s, "},
		"a fault that is active":     {struck(time.Second, 0), "For 4 s nothing new reached your controller, and "},
		"something else a while ago": {history.Run{Stimuli: []history.Stimulus{{At: 57 * time.Second}}}, "With no fault active for 3 s, "},
	} {
		if got := finding.Waited(test.run, waited(test.run, enough, now)); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
