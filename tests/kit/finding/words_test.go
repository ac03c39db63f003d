package finding_test

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
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
		assert.Contains(t, "the excerpt of a request about "+string(object), finding.Excerpt(run, 0, 5), want)
	}
}
