package invariants_test

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
)

func TestQuiet(t *testing.T) {
	// from is rest from the moment that a story has reached.
	from := func(s *story) invariants.Options {
		return invariants.Options{Rest: []invariants.Interval{{From: s.now() + 1, To: time.Hour}}}
	}
	write := history.Request{Call: call("update", "sequentialjobs/status", "web"), Code: 200, ResourceVersion: 3}
	atRest := func(requests ...history.Request) test {
		s := newStory().asks(write)
		options := from(s)
		for _, request := range requests {
			s.asks(request)
		}
		return test{story: s, options: options}
	}
	restarted := func(request history.Request) test {
		test := atRest()
		test.story.crash().start()
		test.story.asks(request)
		return test
	}
	wants := func(test test, want ...string) test {
		test.want = want
		return test
	}

	runTests(t, "I9", map[string]test{
		"nothing":                     atRest(),
		"a read":                      atRest(history.Request{Call: call("get", "sequentialjobs", "web"), Code: 200}),
		"a lease":                     atRest(history.Request{Call: history.Call{Verb: "update", Resource: "leases", Object: "ours"}, Code: 200}),
		"an event about a lease":      atRest(history.Request{Call: call("create", "events", "ours"), Code: 201}),
		"a review of a token":         atRest(history.Request{Call: history.Call{Verb: "create", Resource: "tokenreviews", Object: "?"}, Code: 201}),
		"writes, and rest afterwards": {story: newStory().asks(write), options: invariants.Options{Rest: []invariants.Interval{{From: time.Minute, To: time.Hour}}}},
		"a write after the rest":      {story: newStory().asks(write), options: invariants.Options{Rest: []invariants.Interval{{From: 1, To: 2}}}},
		"no rest":                     {story: newStory().asks(write)},

		"a get of an event": atRest(history.Request{Call: call("get", "events", "web"), Code: 200}),

		"a write":               wants(atRest(write), "update sequentialjobs/status web #1."),
		"writes":                wants(atRest(write, write, write), "update sequentialjobs/status web #1 and 2 times more."),
		"a write that failed":   wants(atRest(history.Request{Call: call("update", "sequentialjobs/status", "web"), Code: 409}), "update sequentialjobs/status"),
		"a write that got lost": wants(atRest(history.Request{Call: call("create", "jobs", "web/build")}), "create jobs web/build"),
		"an event that is late": atRest(history.Request{Call: call("patch", "events", "web"), Code: 200}),
		"an event of a process that was started at rest": wants(restarted(history.Request{Call: call("patch", "events", "web"), Code: 200}), "patch events web"),
	})
}
