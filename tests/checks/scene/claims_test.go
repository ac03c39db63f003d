package scene

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/stage"
)

func TestACheckClaimsWhatIsBrokenInItsTimeOnly(t *testing.T) {
	s := &Scene{Stage: &stage.Stage{Log: history.NewLog()}}
	found := func(check finding.Check, what string) finding.Finding {
		return finding.Finding{Check: check, What: what, At: s.Log.Now()}
	}
	before := found("I2", "before")
	untilHere := s.FromHere()
	findings := []finding.Finding{before, found("I1", "two Jobs"), found("I3", "two Jobs"), found("start", "a program's")}
	untilHere()
	findings = append(findings, found("I3", "after"))

	var got []string
	for _, f := range s.claim(findings) {
		got = append(got, string(f.Check)+": "+f.What)
	}
	want := []string{"I2: before", ": two Jobs", "start: a program's", "I3: after"}
	assert.Equal(t, "claim", got, want)
}
