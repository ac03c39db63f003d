package finding_test

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

func TestARequestWithoutANameIsToldByWhatIsKnown(t *testing.T) {
	for object, want := range map[history.Logical]string{
		"web/fetch": "create jobs web/fetch → 422",
		"?/?":       "create jobs (no name yet) → 422",
		"?":         "create jobs (no name yet) → 422",
	} {
		run := history.Run{Requests: []history.Request{request(1, 1, "create", "jobs", object, "", 20*ms, 422, 422, 0)}}
		if got := finding.Excerpt(run, 0, 5); !strings.Contains(got, want) {
			t.Errorf("Excerpt of a request about %s: %q, want %q in it", object, got, want)
		}
	}
}
