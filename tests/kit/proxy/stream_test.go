package proxy_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

const (
	fromStart = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	fromList  = "resourceVersion=10&allowWatchBookmarks=true"
)

func TestFramesAreRecorded(t *testing.T) {
	b := newBench(t)
	w := b.instance(1).watch(jobs, fromStart)
	s := b.server.next(t)
	if b.proxy.UpToDate(1) {
		t.Error("up to date before the initial state")
	}
	s.send(added("build", 5), initialEnd(8), modified("build", 9), bookmark(10))
	w.want("ADDED web-build@5", "BOOKMARK @8", "MODIFIED web-build@9", "BOOKMARK @10")
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })
	if b.proxy.UpToDate(2) {
		t.Error("an instance without watches is up to date")
	}
	s.end()
	if err := w.wantEnd(); err != nil {
		t.Errorf("the watch ended with %v", err)
	}
	b.eventually("ended", func() bool { return b.log.Run().Streams[0].Ended > 0 })

	run := b.log.Run()
	for i := range run.Frames {
		frame := &run.Frames[i]
		if frame.Received == 0 || frame.Delivered < frame.Received {
			t.Errorf("received %v, delivered %v", frame.Received, frame.Delivered)
		}
		frame.Received, frame.Delivered = 0, 0
	}
	name := history.Name{Namespace: "run", Name: "web-build"}
	want := []history.Frame{
		{Stream: 1, Moment: momentOf(t, "ADDED jobs web/build #1"), Type: "ADDED", Object: name, UID: "uid-build", ResourceVersion: 5, Initial: true},
		{Stream: 1, Type: "BOOKMARK", ResourceVersion: 8, Initial: true},
		{Stream: 1, Moment: momentOf(t, "MODIFIED jobs web/build #1"), Type: "MODIFIED", Object: name, UID: "uid-build", ResourceVersion: 9},
		{Stream: 1, Type: "BOOKMARK", ResourceVersion: 10},
	}
	if diff := cmp.Diff(want, run.Frames); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
	stream := run.Streams[0]
	if stream.UpToDate < stream.Opened || stream.Ended < stream.UpToDate || stream.Code != http.StatusOK || stream.Resource != "jobs" {
		t.Errorf("recorded %+v", stream)
	}
}

func momentOf(t *testing.T, text string) history.Moment {
	moment, err := history.ParseMoment(text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

func TestOtherNamespacesAreNoise(t *testing.T) {
	b := newBench(t)
	w := b.instance(1).watch("/api/v1/configmaps", fromList)
	s := b.server.next(t)
	b.awaitQuiet()
	_, before := b.proxy.Busy()
	s.send(frame("ADDED", `{"metadata":{"name":"a","namespace":"other","resourceVersion":"11"}}`))
	w.want("ADDED a@11")
	if _, after := b.proxy.Busy(); after != before || len(b.log.Run().Frames) > 0 {
		t.Errorf("an object of another namespace is activity (%v), or recorded: %v", after != before, b.log.Run().Frames)
	}
}

func TestLeasesAreNoSignOfLife(t *testing.T) {
	b := newBench(t)
	b.instance(1).watch("/apis/coordination.k8s.io/v1/namespaces/run/leases", fromList)
	b.server.next(t)
	b.eventually("the watch is established", func() bool { return b.log.Run().Streams[0].Code == http.StatusOK })
	if b.proxy.UpToDate(1) {
		t.Error("a controller that watches leases only counts as up")
	}
}

func TestMoments(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	one.watch(jobs, fromList)
	first := b.server.next(t)
	one.watch(jobs, fromList)
	second := b.server.next(t)
	first.send(added("build", 11))
	b.awaitReceived(1)
	second.send(frame("ADDED", metadata("build", 11)), frame("MODIFIED", metadata("build", 12)))
	b.awaitReceived(3)
	first.send(modified("build", 12), modified("build", 13), deleted("build", 13))
	b.awaitReceived(6)
	again := b.instance(2)
	again.watch(jobs, fromStart)
	b.server.next(t).send(added("build", 13), added("ship", 14))
	b.awaitReceived(8)
	want := []string{
		"ADDED jobs web/build #1",
		"ADDED jobs web/build #1", "MODIFIED jobs web/build #1",
		"MODIFIED jobs web/build #1", "MODIFIED jobs web/build #2", "DELETED jobs web/build #1",
		"MODIFIED jobs web/build #2", "ADDED jobs web/ship #1",
	}
	if diff := cmp.Diff(want, b.moments()); diff != "" {
		t.Errorf("moments (-want +got):\n%s", diff)
	}
}

func TestHold(t *testing.T) {
	b := newBench(t)
	b.inject("hold: MODIFIED jobs web/build #1")
	one := b.instance(1)
	w := one.watch(jobs, fromList)
	s := b.server.next(t)
	other := one.watch(jobs, fromList)
	otherServer := b.server.next(t)
	unrelated := one.watch(sequences, fromList)
	unrelatedServer := b.server.next(t)

	s.send(added("build", 11), modified("build", 12), bookmark(13), modified("build", 14))
	w.want("ADDED web-build@11")
	b.awaitReceived(4)
	otherServer.send(added("ship", 15))
	b.awaitReceived(5)
	unrelatedServer.send(frame("ADDED", `{"kind":"SequentialJob","metadata":{"name":"web","namespace":"run","uid":"w","resourceVersion":"16"}}`))
	unrelated.want("ADDED web@16")
	b.awaitReceived(6)

	// Who begins anew gets what there is, and nothing more.
	fresh := one.watch(jobs, fromStart)
	freshServer := b.server.next(t)
	freshServer.send(added("build", 14), initialEnd(16), modified("build", 17))
	fresh.want("ADDED web-build@14", "BOOKMARK @16")
	// Who goes on from where it was gets nothing.
	again := one.watch(jobs, fromList)
	b.server.next(t).send(modified("build", 12))
	b.awaitReceived(10)

	b.awaitQuiet()
	for _, held := range []*watching{w, other, fresh, again} {
		held.wantNothing()
	}
	if !b.proxy.UpToDate(1) {
		t.Error("held watches that have begun are not up to date")
	}
	b.proxy.Heal()
	w.want("MODIFIED web-build@12", "BOOKMARK @13", "MODIFIED web-build@14")
	other.want("ADDED web-ship@15")
	fresh.want("MODIFIED web-build@17")
	again.want("MODIFIED web-build@12")
	s.send(modified("build", 18))
	w.want("MODIFIED web-build@18")

	var struck []int
	for _, frame := range b.log.Run().Frames {
		struck = append(struck, frame.Fault)
	}
	if want := []int{0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0}; !cmp.Equal(struck, want) {
		t.Errorf("the frames were struck by %v, want %v", struck, want)
	}
	if faults := b.log.Run().Faults; len(faults) != 1 || faults[0].Healed == 0 {
		t.Errorf("faults: %v", faults)
	}
}

func TestHoldAll(t *testing.T) {
	b := newBench(t)
	b.inject("hold all: ADDED jobs web/build #1")
	one := b.instance(1)
	first := one.watch(jobs, fromList)
	s := b.server.next(t)
	second := one.watch(sequences, fromList)
	other := b.server.next(t)
	s.send(added("build", 11))
	b.awaitReceived(1)
	other.send(frame("ADDED", `{"metadata":{"name":"web","namespace":"run","uid":"w","resourceVersion":"12"}}`))
	b.awaitReceived(2)
	b.awaitQuiet()
	first.wantNothing()
	second.wantNothing()
	b.proxy.Heal()
	first.want("ADDED web-build@11")
	second.want("ADDED web@12")
}

func TestHeldEventsAreDeliveredBeforeTheEnd(t *testing.T) {
	b := newBench(t)
	b.inject("hold: ADDED jobs web/build #1")
	w := b.instance(1).watch(jobs, fromList)
	s := b.server.next(t)
	s.send(added("build", 11))
	s.end()
	b.awaitReceived(1)
	b.proxy.Heal()
	w.want("ADDED web-build@11")
	if err := w.wantEnd(); err != nil {
		t.Errorf("the watch ended with %v", err)
	}
}

func TestCut(t *testing.T) {
	b := newBench(t)
	b.inject("cut: MODIFIED jobs web/build #1")
	one := b.instance(1)
	w := one.watch(jobs, fromList)
	b.server.next(t).send(added("build", 11), modified("build", 12))
	w.want("ADDED web-build@11")
	if w.wantEnd() == nil {
		t.Error("the watch ended as if the API server had ended it")
	}
	b.eventually("the watch is forgotten", func() bool { return b.log.Run().Streams[0].Ended > 0 })
	b.awaitQuiet()
	other := one.watch(sequences, fromList)
	b.server.next(t)
	b.eventually("another watch", func() bool { return b.log.Run().Streams[1].UpToDate > 0 })
	if b.proxy.UpToDate(1) {
		t.Error("up to date while a watch that was cut is not opened again")
	}
	other.stop()
	w = one.watch(jobs, "resourceVersion=11")
	b.server.next(t).send(modified("build", 12))
	w.want("MODIFIED web-build@12")
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })
	if fault := b.log.Run().Faults[0]; fault.Healed == 0 {
		t.Error("the cut is not over")
	}
}

func TestMissedDelete(t *testing.T) {
	b := newBench(t)
	b.inject("hold, cut, 410: DELETED jobs web/build #1")
	one := b.instance(1)
	w := one.watch(jobs, fromList)
	s := b.server.next(t)
	untouched := one.watch(sequences, fromList)
	b.server.next(t)
	s.send(added("build", 11), deleted("build", 12), added("build", 13))
	w.want("ADDED web-build@11")
	b.awaitReceived(3)
	b.awaitQuiet()
	w.wantNothing()
	b.proxy.Heal()
	if w.wantEnd() == nil {
		t.Error("the watch ended as if the API server had ended it")
	}
	b.eventually("the cut", func() bool { return !b.proxy.UpToDate(1) })

	w = one.watch(jobs, "resourceVersion=11")
	w.want("ERROR 410")
	if err := w.wantEnd(); w.code != http.StatusOK || err != nil {
		t.Errorf("the watch from before: %d, %v", w.code, err)
	}
	if b.proxy.UpToDate(1) {
		t.Error("up to date after 410")
	}
	w = one.watch(jobs, "resourceVersion=11")
	b.server.next(t).send(modified("build", 14))
	w.want("MODIFIED web-build@14")
	untouched.wantNothing()
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })
}

func TestCrashAtEvent(t *testing.T) {
	b := newBench(t)
	b.inject("crash at: ADDED jobs web/build #1")
	one := b.instance(1)
	w := one.watch(jobs, fromList)
	s := b.server.next(t)
	other := one.watch(jobs, fromList)
	otherServer := b.server.next(t)
	s.send(added("build", 11))
	w.want("ADDED web-build@11")
	b.awaitKill(1)
	w.wantEnd()
	// Nothing more reaches a process that is being killed.
	otherServer.send(added("build", 11))
	b.awaitReceived(2)
	b.awaitQuiet()
	other.wantNothing()
	frames := b.log.Run().Frames
	if frames[0].Delivered == 0 || frames[0].Fault != 1 || frames[1].Delivered != 0 {
		t.Errorf("frames: %+v", frames)
	}
}

func TestNative(t *testing.T) {
	b := newBench(t, func(options *proxy.Options) { options.Native = true })
	b.inject("answer 500: " + create)
	one := b.instance(1)
	if reply := one.ask(http.MethodPost, jobs, job("build", 0)); reply.code != http.StatusInternalServerError {
		t.Errorf("told %d", reply.code)
	}
	if reply := one.ask(http.MethodPost, jobs, job("build", 0)); reply.code != http.StatusOK {
		t.Errorf("told %d", reply.code)
	}
	all := b.server.all()
	if accept := all[0].header.Get("Accept"); accept != "application/vnd.kubernetes.protobuf, */*" {
		t.Errorf("the API server was asked for %s", accept)
	}
	w := one.watch(jobs, fromStart)
	s := b.server.next(t)
	s.send("not an event")
	w.want("not an event")
	if b.proxy.UpToDate(1) {
		t.Error("up to date before the initial state")
	}
	s.send("k8s.io/initial-events-end")
	w.want("k8s.io/initial-events-end")
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(1) })
}
