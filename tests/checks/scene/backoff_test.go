package scene

import (
	"math/rand/v2"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
)

const ms = time.Millisecond

// doubled are pauses of which each is twice as long as the one before.
func doubled(first time.Duration, n int) pauses {
	var all pauses
	for range n {
		all = append(all, first)
		first *= 2
	}
	return all
}

// constant are pauses that are equal but for what requests take.
func constant(pause time.Duration, n int) pauses {
	var all pauses
	for i := range n {
		all = append(all, pause+time.Duration(i%3)*ms)
	}
	return all
}

func TestPauses(t *testing.T) {
	for name, test := range map[string]struct {
		pauses     pauses
		grow, stay bool
	}{
		"none":                                   {},
		"client-go's":                            {pauses: doubled(5*ms, 8), grow: true},
		"from a second on":                       {pauses: doubled(time.Second, 4), grow: true},
		"too few to tell":                        {pauses: doubled(5*ms, 3)},
		"a tenth of a second each time":          {pauses: constant(100*ms, 8), stay: true},
		"a second each time":                     {pauses: constant(time.Second, 5), stay: true},
		"grown, and at a limit that is too low":  {pauses: append(doubled(ms, 6), constant(50*ms, 8)...), stay: true},
		"no pauses":                              {pauses: constant(ms, 20)},
		"grown, and at their limit":              {pauses: append(doubled(5*ms, 8), constant(time.Second, 4)...)},
		"client-go's on a busy machine":          {pauses: pauses{285 * ms, 310 * ms, 402 * ms, 330 * ms, 290 * ms, 455 * ms, 520 * ms, 674 * ms}},
		"client-go's on a busy machine, later":   {pauses: pauses{290 * ms, 455 * ms, 520 * ms, 674 * ms, 1300 * ms, 2700 * ms}, grow: true},
		"a single long one is the machine's":     {pauses: append(constant(100*ms, 6), 900*ms)},
		"rationed processors make them as equal": {pauses: pauses{100 * ms, 100 * ms, 101 * ms, 100 * ms, 100 * ms, 200 * ms}},
	} {
		assert.Equal(t, name+": whether they grow", test.pauses.grow(), test.grow)
		assert.Equal(t, name+": whether they stay", test.pauses.stay(), test.stay)
	}
}

// Load adds something to each pause. However much that is, pauses that double are never taken for constant ones,
// and are seen to grow in the end.
func TestLoadIsNotBlamed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		first := time.Duration(1+random.IntN(50)) * ms
		load := time.Duration(1+random.IntN(1500)) * ms
		var seen pauses
		grown := false
		for _, pause := range doubled(first, 16) {
			seen = append(seen, pause+time.Duration(random.Int64N(int64(load))))
			if seen.stay() {
				t.Fatalf("from %s on, with up to %s of load: %s seem constant", first, load, seen)
			}
			if grown = seen.grow() && seen.long(); grown {
				break
			}
		}
		if !grown {
			t.Fatalf("from %s on, with up to %s of load: %s don't seem to grow", first, load, seen)
		}
	}
}

func TestPausesBetween(t *testing.T) {
	got := pausesBetween([]history.Request{
		{Received: 10 * ms, Answered: 20 * ms}, {Received: 25 * ms}, {Received: 40 * ms, Answered: 41 * ms},
	})
	assert.Equal(t, "pauses from a response, or from a try that got none", got, pauses{5 * ms, 15 * ms})
}
