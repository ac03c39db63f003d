package proxy_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const staleStart = "start stale at: ADDED jobs web/build #1"

func TestStaleStart(t *testing.T) {
	b := newBench(t)
	b.inject(staleStart)
	first := b.instance(1)
	first.watch(jobs, fromStart)
	b.server.next(t).send(added("build", 11), initialEnd(11))
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })

	second := b.instance(2)
	refused := second.watch(jobs, fromStart)
	if refused.code != http.StatusUnprocessableEntity || len(b.proxy.Pending()) != 1 {
		t.Fatalf("the watch was answered with %d; pending: %v", refused.code, b.proxy.Pending())
	}
	second.ask(http.MethodGet, jobs+"?limit=500&resourceVersion=0", "")
	second.ask(http.MethodGet, jobs, "")
	if pending := b.proxy.Pending(); len(pending) != 0 {
		t.Errorf("pending after the list: %v", pending)
	}
	want := []string{
		"GET " + jobs + "?limit=500&resourceVersion=11&resourceVersionMatch=Exact",
		"GET " + jobs,
	}
	if lines := b.server.lines(); !cmp.Equal(lines[1:], want) {
		t.Errorf("asked %q, want %q", lines[1:], want)
	}
	w := second.watch(jobs, "resourceVersion=11")
	s := b.server.next(t)
	s.send(modified("build", 12))
	b.awaitReceived(3)
	b.awaitQuiet()
	w.wantNothing()
	if !b.proxy.UpToDate(2) {
		t.Error("a controller that begins with an old state is not up to date")
	}
	b.proxy.Heal()
	w.want("MODIFIED web-build@12")
	s.send(modified("build", 13))
	w.want("MODIFIED web-build@13")

	if live := second.watch(jobs, fromStart); live.code != http.StatusOK {
		t.Errorf("a watch afterwards: %d", live.code)
	}
	b.server.next(t)
	faults := b.log.Run().Faults
	if len(faults) != 1 || faults[0].String() != staleStart || faults[0].Healed == 0 {
		t.Errorf("faults: %v", faults)
	}
}

func TestStaleStartIsForLaterInstances(t *testing.T) {
	b := newBench(t)
	first, running := b.instance(1), b.instance(2)
	running.ask(http.MethodGet, sequences+"?resourceVersion=0", "") // it has begun before the fault is there
	b.inject(staleStart)
	first.watch(jobs, fromStart)
	b.server.next(t).send(added("build", 11), initialEnd(11))
	b.awaitReceived(2)
	for _, one := range []*instance{first, running} {
		if w := one.watch(jobs, fromStart); w.code != http.StatusOK {
			t.Errorf("told %d", w.code)
		}
		one.ask(http.MethodGet, jobs+"?resourceVersion=0", "")
	}
	if len(b.proxy.Pending()) != 1 || slices.ContainsFunc(b.server.lines(), func(line string) bool {
		return line == "GET "+jobs+"?resourceVersion=11&resourceVersionMatch=Exact"
	}) {
		t.Errorf("it struck: %q", b.server.lines())
	}
}

func TestAStaleKindLeavesOthersAlone(t *testing.T) {
	b := newBench(t)
	b.inject("start with stale kind at: ADDED jobs web/build #1")
	b.instance(1).watch(jobs, fromStart)
	b.server.next(t).send(added("build", 11), initialEnd(11))
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })

	second := b.instance(2)
	const others = "/apis/batch.example.com/v1alpha1/namespaces/run/sequentialjobs"
	if watch := second.watch(others, fromStart); watch.code != http.StatusOK {
		t.Errorf("the watch of another resource was answered with %d", watch.code)
	}
	b.server.next(t)
	if refused := second.watch(jobs, fromStart); refused.code != http.StatusUnprocessableEntity {
		t.Errorf("the watch was answered with %d", refused.code)
	}
	second.ask(http.MethodGet, jobs+"?resourceVersion=0", "")
	if pending := b.proxy.Pending(); len(pending) != 0 {
		t.Errorf("pending after the list: %v", pending)
	}
}

func TestWhatIsDisarmedDoesNotStrike(t *testing.T) {
	b := newBench(t)
	b.inject(staleStart)
	b.instance(1).watch(jobs, fromStart)
	b.server.next(t).send(added("build", 11), initialEnd(11))
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })
	if faults := b.proxy.Disarm(); len(faults) != 1 || faults[0].String() != staleStart {
		t.Errorf("disarmed: %v", faults)
	}
	if watch := b.instance(2).watch(jobs, fromStart); watch.code != http.StatusOK {
		t.Errorf("the next instance's watch was answered with %d", watch.code)
	}
	b.server.next(t)
	if pending := b.proxy.Pending(); len(pending) != 0 {
		t.Errorf("still pending: %v", pending)
	}
}
