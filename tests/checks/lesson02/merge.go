package lesson02

import (
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

// mergesLists has two writers apply an entry each, and the first one apply its own once more.
func mergesLists(s *play) {
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
		object := s.there(s.Object(crds.Full, `metadata: {name: `+name+`}`))
		s.apply(name, list.name, "one", list.one)
		s.apply(name, list.name, "other", list.other)
		s.apply(name, list.name, "one", list.again)
		merged, err := s.Get(s.Context(), object.GetName())
		s.Must(err)
		if lost := crds.Lost(crds.Parse(list.both), merged.Object); len(lost) > 0 {
			s.Find("Two programs applied one entry of %s each:\n%s\n%s\nWhat came of it is not what both have applied:\n%s", list.name,
				crds.Quoted(list.again), crds.Quoted(list.other), crds.Quoted(strings.Join(lost, "\n")))
		}
	}
}

// apply applies a status as a program does that owns nothing but what it writes, and never insists.
func (s *play) apply(object, list, program, status string) {
	err := s.ApplyStatus(s.Context(), s.Object(`metadata: {name: `+object+`}`, status), program)
	if refusal := s.refusal(err); refusal != nil {
		s.Find("Two programs, called one and other, each apply an entry of %s, server-side. When %s applies\n%s\nthe API server says:\n%s", list,
			program, crds.Quoted(status), crds.Quoted(refusal.Message))
	}
}
