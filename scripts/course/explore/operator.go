package explore

import (
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// complete stands for the finished operator: a controller that must live with a stale cache, and that says how runs end.
var complete = lesson.Lesson{Kind: lesson.Controller, Reports: true}

var operatorsRule = lesson.Check{
	ID: "explore", Title: "Whatever happens, each SequentialJob ends as it must",
	Why: "Production brings combinations that nobody has thought of. A run that breaks a rule, or that never ends, wakes up somebody " +
		"at night.",
	Rules: allRules(),
}

func allRules() (all []invariants.ID) {
	for _, rule := range invariants.Rules {
		all = append(all, rule.ID)
	}
	return all
}

// operator is the code of the finished operator.
func operator() (usage.Code, error) {
	root, err := repo.Root()
	return usage.Code{Code: judge.Code{Folder: root + "/sequentialjob"}}, err
}
