package lesson02

import (
	"fmt"

	"example.com/controller-course/tests/checks/crds"
)

// mergesLists has two programs apply an entry each, and the first one apply its own again.
func mergesLists(s *crds.Scene) {
	for _, list := range []struct{ name, one, other, again, both string }{
		{
			name:  "status.steps",
			one:   `status: {steps: [{name: build, state: Running}]}`,
			other: `status: {steps: [{name: test, state: Pending}]}`,
			again: `status: {steps: [{name: build, state: Succeeded}]}`,
			both:  `status: {steps: [{name: build, state: Succeeded}, {name: test, state: Pending}]}`,
		},
		{
			name:  "status.conditions",
			one:   `status: {conditions: [{type: Succeeded, status: Unknown, reason: Running, message: It runs., lastTransitionTime: "2030-01-01T00:00:00Z"}]}`,
			other: `status: {conditions: [{type: example.com/Paid, status: "True", reason: Paid, message: It is paid., lastTransitionTime: "2030-01-01T00:00:00Z"}]}`,
			again: `status: {conditions: [{type: Succeeded, status: "True", reason: Done, message: It is done., lastTransitionTime: "2030-01-01T00:01:00Z"}]}`,
			both:  `status: {conditions: [{type: Succeeded, status: "True"}, {type: example.com/Paid, status: "True"}]}`,
		},
	} {
		name := "merged-" + list.name
		there(s, name, crds.Full)
		for _, write := range []struct{ program, status string }{{"billing", list.one}, {"audit", list.other}, {"billing", list.again}} {
			refusal := s.ApplyStatus(s.Object(`metadata: {name: `+name+`}`, write.status), write.program)
			if refusal != nil {
				s.Find("Two programs, named billing and audit, each apply an entry of %s server-side. When %s applies\n%s\nthe API server says:\n%s",
					list.name, write.program, crds.Quoted(write.status), crds.Quoted(refusal.Message))
			}
		}
		kept(s, crds.Parse(list.both), s.Get(name).Object, fmt.Sprintf("Two programs each applied an entry of %s:\n%s\n%s\n"+
			"The list does not contain both", list.name, crds.Quoted(list.again), crds.Quoted(list.other)))
	}
}
