package invariants_test

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/history"
)

func TestQuiet(t *testing.T) {
	write := request("update", "sequentialjobs/status", "web", 200)
	write.ResourceVersion = 3
	unnumbered := func(verb, resource string) history.Request {
		r := request(verb, resource, "ours", 200)
		r.Call.Nth = 0
		return r
	}
	// atRest has requests sent when there was nothing to do.
	atRest := func(requests ...history.Request) *story {
		s := newStory().asks(write)
		s.rests(s.now()+1, time.Hour)
		for _, request := range requests {
			s.asks(request)
		}
		return s
	}

	runTests(t, "I9", map[string]test{
		"nothing":                     holds(atRest()),
		"a read":                      holds(atRest(request("get", "sequentialjobs", "web", 200))),
		"a lease":                     holds(atRest(unnumbered("update", "leases"))),
		"an event about a lease":      holds(atRest(request("create", "events", "ours", 201))),
		"a review of a token":         holds(atRest(unnumbered("create", "tokenreviews"))),
		"writes, and rest afterwards": holds(newStory().asks(write).rests(time.Minute, time.Hour)),
		"a write after the rest":      holds(newStory().asks(write).rests(1, 2)),
		"no rest":                     holds(newStory().asks(write)),

		"a get of an event":     holds(atRest(request("get", "events", "web", 200))),
		"an event that is late": holds(atRest(request("patch", "events", "web", 200))),

		"a purge of a bucket": breaks(atRest(request("purge", "buckets", "web", 200)), "purge buckets web #1"),

		"a write": breaks(atRest(write), "update sequentialjobs/status web #1."),
		"writes":  breaks(atRest(write, write, write), "update sequentialjobs/status web #1 and 2 more times."),
		"a write that failed": breaks(atRest(request("update", "sequentialjobs/status", "web", 409)),
			"update sequentialjobs/status"),
		"a write that got lost": breaks(atRest(request("create", "jobs", "web/build", 0)), "create jobs web/build"),
		"an event of a process that was started at rest": breaks(atRest().crash().start().asks(request("patch", "events", "web", 200)),
			"patch events web"),
	})
}
