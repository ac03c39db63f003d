package invariants_test

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/must"
)

// A run in which everything goes as it should violates nothing.
func TestCheckOfAGoodRun(t *testing.T) {
	s := newStory().
		says("build Pending").creates("build").says("build Running").shows("web-build", complete).
		says("build Succeeded", "test Pending").runs("test").says("test Succeeded", "deploy Pending").runs("deploy").
		says("deploy Succeeded", "Succeeded=True")
	violations, err := invariants.Check(s.run, end, invariants.Options{})
	if err != nil || len(violations) != 0 {
		t.Errorf("Check() = %v, %v, want none", violations, err)
	}
}

func TestCheckReportsInOrder(t *testing.T) {
	s := newStory().creates("build").creates("test").says("test Succeeded").creates("test web-test-2")
	violations, err := invariants.Check(s.run, end, invariants.Options{})
	must.Succeed(t, err)
	var ids []invariants.ID
	for _, violation := range violations {
		ids = append(ids, violation.Invariant)
	}
	assert.Equal(t, "what is violated", ids, []invariants.ID{"I1", "I2", "I6", "I1", "I2", "I3"})
	shows := []uint64{s.run.Changes[1].ResourceVersion, s.run.Changes[2].ResourceVersion}
	assert.Equal(t, "the changes that show it", violations[0].Changes, shows)
	assert.Equal(t, "the requests that asked for it", violations[0].Requests, []int{2})
}

func TestCheckStopsAtTheFrontier(t *testing.T) {
	s := newStory().creates("build")
	frontier := s.version
	s.creates("test")
	violations, err := invariants.Check(s.run, frontier, invariants.Options{Only: []invariants.ID{"I1"}})
	if err != nil || len(violations) != 0 {
		t.Errorf("Check() = %v, %v, want none", violations, err)
	}
}

func TestCheckOfWhatCannotBeJudged(t *testing.T) {
	for name, test := range map[string]struct {
		run  history.Run
		only invariants.ID
	}{
		"an invariant that there isn't":           {newStory().run, "I99"},
		"a Job created that nobody can tell":      {newStory().asks(request("create", "jobs", "web/build", 201)).run, "I3"},
		"an object that went but had not come":    {newStory().begin().remove("web").withoutFirst().run, "I1"},
		"an object that is not what it should be": {newStory().withStatus("none").run, "I1"},
	} {
		t.Run(name, func(t *testing.T) {
			if violations, err := invariants.Check(test.run, end, invariants.Options{Only: []invariants.ID{test.only}}); err == nil {
				t.Errorf("Check() = %v, want an error", violations)
			}
		})
	}
}

func (s *story) withoutFirst() *story {
	s.run.Changes = s.run.Changes[1:]
	return s
}

func (s *story) withStatus(status any) *story {
	s.run.Changes[0].Object.Object["status"] = status
	return s
}

func TestRulesAreSentences(t *testing.T) {
	for _, rule := range invariants.Rules {
		if rule.Title == "" || rule.Why == "" || rule.Why[len(rule.Why)-1] != '.' {
			t.Errorf("%s does not say what it is and why: %q, %q", rule.ID, rule.Title, rule.Why)
		}
	}
}
