package proxy_test

import (
	"net/http"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/proxy"
)

func prompt(options *proxy.Options) { options.Prompt, options.TakenIn = true, func(int) {} }

func TestAResponseWaitsForTheEventOfItsWrite(t *testing.T) {
	b := newBench(t, prompt)
	b.server.respond("POST "+jobs, job("build", 11))
	one := b.instance(1)
	w, s := one.open(jobs, fromList)
	answered := one.asking(http.MethodPost, jobs, job("build", 0))
	wantNone(t, answered)
	s.send(added("build", 11))
	w.want("ADDED web-build@11")
	reply, _ := receive(t, answered, "the response")
	assert.Equal(t, "the code", reply.code, http.StatusOK)
}

func TestAResponseWaitsForAWatchThatIsOpenedAgain(t *testing.T) {
	b := newBench(t, prompt)
	b.server.respond("POST "+jobs, job("build", 11))
	b.inject("cut: ADDED jobs web/build #1")
	one := b.instance(1)
	w, s := one.open(jobs, fromList)
	answered := one.asking(http.MethodPost, jobs, job("build", 0))
	s.send(added("build", 11))
	if w.wantEnd() == nil {
		t.Error("the watch was not cut")
	}
	wantNone(t, answered)
	again, server := one.open(jobs, fromList)
	wantNone(t, answered)
	server.send(added("build", 11))
	again.want("ADDED web-build@11")
	reply, _ := receive(t, answered, "the response")
	assert.Equal(t, "the code", reply.code, http.StatusOK)
}

func TestAResponseDoesNotWaitForAWatchThatIsHeld(t *testing.T) {
	b := newBench(t, prompt)
	b.server.respond("POST "+jobs, job("build", 11))
	b.inject("hold: ADDED jobs web/build #1")
	one := b.instance(1)
	_, s := one.open(jobs, fromList)
	answered := one.asking(http.MethodPost, jobs, job("build", 0))
	s.send(added("build", 11))
	reply, _ := receive(t, answered, "the response")
	assert.Equal(t, "the code", reply.code, http.StatusOK)
	assert.Equal(t, "number of held events that the client has", b.log.Run().Frames[0].Delivered, time.Duration(0))
}

// wantNone fails if a response comes too early. A proxy that is right never sends it.
func wantNone(t *testing.T, answered <-chan reply) {
	t.Helper()
	select {
	case <-answered:
		t.Fatal("the response came before the client's watch had shown what the request wrote")
	case <-time.After(100 * time.Millisecond):
	}
}
