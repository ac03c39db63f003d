package history_test

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
)

func TestAChangeIsDatedByTheFirstSignOfIt(t *testing.T) {
	const ms = time.Millisecond
	written := history.Request{Call: history.Call{Verb: "update"}, Code: 200, ResourceVersion: 7, Committed: 20 * ms}
	refused := history.Request{Call: history.Call{Verb: "update"}, Code: 409, ResourceVersion: 7, Committed: 10 * ms}
	read := history.Request{Call: history.Call{Verb: "get"}, Code: 200, ResourceVersion: 7, Committed: 10 * ms}
	for name, test := range map[string]struct {
		run  history.Run
		want time.Duration
	}{
		"the observer alone":                 {history.Run{}, 50 * ms},
		"the response to the write":          {history.Run{Requests: []history.Request{written}}, 20 * ms},
		"neither a refused write nor a read": {history.Run{Requests: []history.Request{refused, read}}, 50 * ms},
		"the controller's event":             {history.Run{Frames: []history.Frame{{ResourceVersion: 7, Received: 30 * ms}}}, 30 * ms},
		"a later event":                      {history.Run{Frames: []history.Frame{{ResourceVersion: 7, Received: 60 * ms}}}, 50 * ms},
		"an event of another change":         {history.Run{Frames: []history.Frame{{ResourceVersion: 8, Received: 30 * ms}}}, 50 * ms},
	} {
		log := history.NewLog()
		log.Write(func(run *history.Run) {
			*run = test.run
			run.Changes = []history.Change{{ResourceVersion: 7, Seen: 50 * ms}}
		})
		assert.Equal(t, name+": the date of the change", log.Run().Changes[0].Seen, test.want)
	}
}
