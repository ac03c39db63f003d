package proxy_test

import (
	"net/http"
	"slices"
	"testing"

	"example.com/controller-course/tests/kit/assert"
)

const staleStart = "start stale at: ADDED jobs web/build #1"

// injectStale injects a fault, and shows a first instance the state that the next one must start with.
func (b *bench) injectStale(fault string) {
	b.Helper()
	b.inject(fault)
	_, s := b.instance(1).open(jobs, fromStart)
	s.send(added("build", 11), initialEnd(11))
	b.awaitUp(1)
}

func TestStaleStart(t *testing.T) {
	b := newBench(t)
	b.injectStale(staleStart)

	second := b.instance(2)
	assert.Equal(b, "the response to the watch", second.watch(jobs, fromStart).code, http.StatusUnprocessableEntity)
	b.wantPending(1)
	second.ask(http.MethodGet, jobs+"?limit=500&resourceVersion=0", "")
	second.ask(http.MethodGet, jobs, "")
	b.wantPending(0)
	b.wantAsked("GET "+jobs+"?watch=true&"+fromStart,
		"GET "+jobs+"?limit=500&resourceVersion=11&resourceVersionMatch=Exact", "GET "+jobs)
	w, s := second.open(jobs, "resourceVersion=11")
	s.send(modified("build", 12))
	b.awaitReceived(3)
	b.awaitQuiet()
	w.wantNothing()
	b.awaitUp(2)
	b.proxy.Heal()
	w.want("MODIFIED web-build@12")
	s.send(modified("build", 13))
	w.want("MODIFIED web-build@13")

	live, _ := second.open(jobs, fromStart)
	assert.Equal(b, "the response to a watch afterwards", live.code, http.StatusOK)
	b.wantOneFault(staleStart)
}

func TestStaleStartIsForLaterInstances(t *testing.T) {
	b := newBench(t)
	first, running := b.instance(1), b.instance(2)
	running.ask(http.MethodGet, sequences+"?resourceVersion=0", "") // it has started before the fault is injected
	b.inject(staleStart)
	_, s := first.open(jobs, fromStart)
	s.send(added("build", 11), initialEnd(11))
	b.awaitReceived(2)
	for _, one := range []*instance{first, running} {
		assert.Equal(b, "the response to the watch", one.watch(jobs, fromStart).code, http.StatusOK)
		one.ask(http.MethodGet, jobs+"?resourceVersion=0", "")
	}
	b.wantPending(1)
	if lines := b.server.lines(); slices.Contains(lines, "GET "+jobs+"?resourceVersion=11&resourceVersionMatch=Exact") {
		t.Errorf("it struck: %q", lines)
	}
}

func TestAStaleKindLeavesOthersAlone(t *testing.T) {
	b := newBench(t)
	b.injectStale("start with stale kind at: ADDED jobs web/build #1")

	second := b.instance(2)
	other, _ := second.open(sequences, fromStart)
	assert.Equal(b, "the response to the watch of another resource", other.code, http.StatusOK)
	assert.Equal(b, "the response to the watch", second.watch(jobs, fromStart).code, http.StatusUnprocessableEntity)
	second.ask(http.MethodGet, jobs+"?resourceVersion=0", "")
	b.wantPending(0)
}

func TestWhatIsDisarmedDoesNotStrike(t *testing.T) {
	b := newBench(t)
	b.injectStale(staleStart)
	if faults := b.proxy.Disarm(); len(faults) != 1 || faults[0].String() != staleStart {
		t.Errorf("disarmed: %v", faults)
	}
	next, _ := b.instance(2).open(jobs, fromStart)
	assert.Equal(b, "the response to the next instance's watch", next.code, http.StatusOK)
	b.wantPending(0)
}
