package proxy_test

import (
	"context"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/proxy"
)

func TestWhatIsKeptIsReleasedOnce(t *testing.T) {
	var kept proxy.Kept
	first, second := kept.Keep(), kept.Keep()
	assert.Equal(t, "how many continue", kept.Release(), 2)
	later := kept.Keep()
	for _, released := range []chan struct{}{first, second} {
		assert.Equal(t, "whether it was released", proxy.AwaitRelease(t.Context(), released), true)
	}
	closed, end := context.WithCancel(t.Context())
	end()
	assert.Equal(t, "whether one that came later was released", proxy.AwaitRelease(closed, later), false)
	assert.Equal(t, "how many continue after that", kept.Release(), 1)
	assert.Equal(t, "how many are left", kept.Release(), 0)
}

func TestAProxyThatClosesWaitsForNoEnd(t *testing.T) {
	killed := false
	proxy.AwaitEnd(t.Context(), func() { killed = true })
	assert.Equal(t, "whether the process was killed", killed, true)

	closed, end := context.WithCancel(t.Context())
	end()
	never := make(chan struct{})
	defer close(never)
	proxy.AwaitEnd(closed, func() { <-never })
}
