package patience_test

import (
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/patience"
)

func TestClock(t *testing.T) {
	const ms = time.Millisecond
	asleep := func(used time.Duration) patience.Look { return patience.Look{Used: used} }
	runnable := func(used time.Duration) patience.Look { return patience.Look{Used: used, Runnable: true} }
	type looks []patience.Look
	for name, test := range map[string]struct {
		looks looks // every 50 ms
		since time.Duration
		want  time.Duration
	}{
		"no look":                                  {},
		"asleep all the time":                      {looks{{}, {}, {}, {}}, 0, 150 * ms},
		"from a later moment":                      {looks{{}, {}, {}, {}}, 50 * ms, 100 * ms},
		"from between two looks":                   {looks{{}, {}, {}, {}}, 60 * ms, 50 * ms},
		"from after the last look":                 {looks{{}, {}}, 60 * ms, 0},
		"on a processor all the time":              {looks{runnable(0), runnable(50 * ms), runnable(100 * ms)}, 0, 100 * ms},
		"on several processors, no more passes":    {looks{runnable(0), runnable(200 * ms), runnable(400 * ms)}, 0, 100 * ms},
		"waiting for a processor most of the time": {looks{runnable(0), runnable(0), runnable(10 * ms), runnable(10 * ms)}, 0, 10 * ms},
		"asleep after it has worked":               {looks{runnable(0), runnable(0), asleep(10 * ms), asleep(10 * ms)}, 0, 100 * ms},
		"another process, which has used nothing":  {looks{asleep(500 * ms), runnable(0), asleep(10 * ms)}, 0, 50 * ms},
		"waiting for a response":                   {looks{{}, {Blocked: true}, {Blocked: true}, {}}, 0, 50 * ms},
		"not looked at for long":                   {looks{{}, {At: 10 * time.Second}}, 0, 100 * ms},
	} {
		var clock patience.Clock
		for i, look := range test.looks {
			look.At = max(look.At, time.Duration(i)*50*ms)
			clock.Look(look)
		}
		assert.Equal(t, name+": the time it has had", clock.Since(test.since), test.want)
	}
}
