package performance

import (
	"testing"
	"time"

	"example.com/controller-course/scripts/course/report"
)

func TestSpread(t *testing.T) {
	var all []report.Times
	for _, n := range []time.Duration{3, 1, 2} {
		all = append(all, report.Times{Own: n * time.Second})
	}
	if got := spread(all, func(t report.Times) time.Duration { return t.Own }); got != "2.0 s (1.0 to 3.0)" {
		t.Errorf("got %q", got)
	}
	if got := spread(all, func(t report.Times) time.Duration { return t.Building }); got != "" {
		t.Errorf("of what took no time: %q", got)
	}
}
