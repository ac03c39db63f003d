package history_test

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
)

func TestAuthorOfAChange(t *testing.T) {
	const ms = time.Millisecond
	write := func(verb, resource string, code int, version uint64, received time.Duration) []history.Request {
		return []history.Request{{ID: 1, Call: history.Call{Verb: verb, Resource: resource, Nth: 1}, Code: code, ResourceVersion: version, Received: received}}
	}
	shown := func(at time.Duration) []history.Frame { return []history.Frame{{ResourceVersion: 7, Received: at}} }
	for name, test := range map[string]struct {
		run  history.Run
		want int
	}{
		"nobody":                            {},
		"a write":                           {history.Run{Requests: write("update", "jobs", 200, 7, 40*ms)}, 1},
		"a write of the status":             {history.Run{Requests: write("patch", "jobs/status", 200, 7, 40*ms)}, 1},
		"a write, and its event":            {history.Run{Requests: write("update", "jobs", 200, 7, 40*ms), Frames: shown(45 * ms)}, 1},
		"a read":                            {history.Run{Requests: write("get", "jobs", 200, 7, 40*ms)}, 0},
		"a refused write":                   {history.Run{Requests: write("update", "jobs", 409, 7, 40*ms)}, 0},
		"a write of another kind":           {history.Run{Requests: write("update", "sequentialjobs", 200, 7, 40*ms)}, 0},
		"a write of another version":        {history.Run{Requests: write("update", "jobs", 200, 8, 40*ms)}, 0},
		"a write that came later":           {history.Run{Requests: write("patch", "jobs/status", 200, 7, 60*ms)}, 0},
		"a write after the event was there": {history.Run{Requests: write("patch", "jobs/status", 200, 7, 40*ms), Frames: shown(30 * ms)}, 0},
	} {
		got := 0
		if author := history.AuthorsOf(test.run).Of(history.Change{ResourceVersion: 7, Resource: "jobs", Seen: 50 * ms}); author != nil {
			got = author.ID
		}
		assert.Equal(t, name+": the request that made the change", got, test.want)
	}
}
