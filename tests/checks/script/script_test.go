package script

import (
	"strings"
	"testing"
)

func TestAPanicOfTheCheckIsTheJudgesOwnError(t *testing.T) {
	t.Parallel()
	outcome, err := Play(func() {
		var nobody *Outcome
		nobody.NotJudged = "unreachable"
	})
	if len(outcome.Findings) > 0 || outcome.NotJudged != "" {
		t.Errorf("the check has the outcome %+v, want none", outcome)
	}
	for _, want := range []string{"a mistake in the course and not in your code", "nil pointer", "script_test.go"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not contain %q: %v", want, err)
		}
	}
}
