package proxy_test

import (
	"net/http"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
)

const (
	fromStart = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
	fromList  = "resourceVersion=10&allowWatchBookmarks=true"
)

func TestFramesAreRecorded(t *testing.T) {
	b := newBench(t)
	w, s := b.instance(1).open(jobs, fromStart)
	assert.Equal(t, "whether it is up to date before the initial state", b.proxy.UpToDate(1), false)
	s.send(added("build", 5), initialEnd(8), modified("build", 9), bookmark(10))
	w.want("ADDED web-build@5", "BOOKMARK @8", "MODIFIED web-build@9", "BOOKMARK @10")
	b.awaitUp(1)
	assert.Equal(t, "whether an instance without watches is up to date", b.proxy.UpToDate(2), false)
	s.end()
	must.Succeed(t, w.wantEnd())
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
	assert.Equal(b, "frames", run.Frames, want)
	stream := run.Streams[0]
	if stream.UpToDate < stream.Opened || stream.Ended < stream.UpToDate || stream.Code != http.StatusOK || stream.Resource != "jobs" {
		t.Errorf("recorded %+v", stream)
	}
}

func momentOf(t *testing.T, text string) history.Moment {
	moment, err := history.ParseMoment(text)
	must.Succeed(t, err)
	return moment
}

func TestOtherNamespacesAreNoise(t *testing.T) {
	b := newBench(t)
	w, s := b.instance(1).open("/api/v1/configmaps", fromList)
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
	b.instance(1).open("/apis/coordination.k8s.io/v1/namespaces/run/leases", fromList)
	b.eventually("the watch is established", func() bool { return b.log.Run().Streams[0].Code == http.StatusOK })
	assert.Equal(t, "whether a controller that watches leases only is up to date", b.proxy.UpToDate(1), false)
}

func TestMoments(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	_, first := one.open(jobs, fromList)
	_, second := one.open(jobs, fromList)
	first.send(added("build", 11))
	b.awaitReceived(1)
	second.send(frame("ADDED", metadata("build", 11)), frame("MODIFIED", metadata("build", 12)))
	b.awaitReceived(3)
	first.send(modified("build", 12), modified("build", 13), deleted("build", 13))
	b.awaitReceived(6)
	_, again := b.instance(2).open(jobs, fromStart)
	again.send(added("build", 13), added("ship", 14))
	b.awaitReceived(8)
	assert.Equal(b, "moments", b.moments(), []string{
		"ADDED jobs web/build #1",
		"ADDED jobs web/build #1", "MODIFIED jobs web/build #1",
		"MODIFIED jobs web/build #1", "MODIFIED jobs web/build #2", "DELETED jobs web/build #1",
		"MODIFIED jobs web/build #2", "ADDED jobs web/ship #1",
	})
}

func TestHold(t *testing.T) {
	b := newBench(t)
	b.inject("hold: MODIFIED jobs web/build #1")
	one := b.instance(1)
	w, s := one.open(jobs, fromList)
	other, otherServer := one.open(jobs, fromList)
	unrelated, unrelatedServer := one.open(sequences, fromList)

	s.send(added("build", 11), modified("build", 12), bookmark(13), modified("build", 14))
	w.want("ADDED web-build@11")
	b.awaitReceived(4)
	otherServer.send(added("ship", 15))
	b.awaitReceived(5)
	unrelatedServer.send(frame("ADDED", `{"kind":"SequentialJob","metadata":{"name":"web","namespace":"run","uid":"w","resourceVersion":"16"}}`))
	unrelated.want("ADDED web@16")
	b.awaitReceived(6)

	// A client that starts a new watch gets the current state, and no later events.
	fresh, freshServer := one.open(jobs, fromStart)
	freshServer.send(added("build", 14), initialEnd(16), modified("build", 17))
	fresh.want("ADDED web-build@14", "BOOKMARK @16")
	// A client that continues a watch gets no events.
	again, againServer := one.open(jobs, fromList)
	againServer.send(modified("build", 12))
	b.awaitReceived(10)

	b.awaitQuiet()
	for _, held := range []*watching{w, other, fresh, again} {
		held.wantNothing()
	}
	assert.Equal(t, "whether a controller whose watches began before they were held is up to date", b.proxy.UpToDate(1), true)
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
	assert.Equal(b, "the faults that struck the frames", struck, []int{0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0})
	b.wantOneFault("hold: MODIFIED jobs web/build #1")
}

func TestHoldAll(t *testing.T) {
	b := newBench(t)
	b.inject("hold all: ADDED jobs web/build #1")
	one := b.instance(1)
	first, s := one.open(jobs, fromList)
	second, other := one.open(sequences, fromList)
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
	w, s := b.instance(1).open(jobs, fromList)
	s.send(added("build", 11))
	s.end()
	b.awaitReceived(1)
	b.proxy.Heal()
	w.want("ADDED web-build@11")
	must.Succeed(t, w.wantEnd())
}

func TestCut(t *testing.T) {
	b := newBench(t)
	b.inject("cut: MODIFIED jobs web/build #1")
	one := b.instance(1)
	w, s := one.open(jobs, fromList)
	s.send(added("build", 11), modified("build", 12))
	w.want("ADDED web-build@11")
	if w.wantEnd() == nil {
		t.Error("the watch ended as if the API server had ended it")
	}
	b.eventually("the watch is forgotten", func() bool { return b.log.Run().Streams[0].Ended > 0 })
	b.awaitQuiet()
	other, _ := one.open(sequences, fromList)
	b.eventually("another watch", func() bool { return b.log.Run().Streams[1].UpToDate > 0 })
	assert.Equal(t, "whether it is up to date before it opens the watch that was cut again", b.proxy.UpToDate(1), false)
	other.stop()
	w, s = one.open(jobs, "resourceVersion=11")
	s.send(modified("build", 12))
	w.want("MODIFIED web-build@12")
	b.awaitUp(1)
	b.wantOneFault("cut: MODIFIED jobs web/build #1")
}

func TestMissedDelete(t *testing.T) {
	b := newBench(t)
	b.inject("hold, cut, 410: DELETED jobs web/build #1")
	one := b.instance(1)
	w, s := one.open(jobs, fromList)
	untouched, _ := one.open(sequences, fromList)
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
	assert.Equal(t, "whether it is up to date after 410", b.proxy.UpToDate(1), false)
	w, s = one.open(jobs, "resourceVersion=11")
	s.send(modified("build", 14))
	w.want("MODIFIED web-build@14")
	untouched.wantNothing()
	b.awaitUp(1)
}

func TestCrashAtEvent(t *testing.T) {
	b := newBench(t)
	b.inject("crash at: ADDED jobs web/build #1")
	one := b.instance(1)
	w, s := one.open(jobs, fromList)
	other, otherServer := one.open(jobs, fromList)
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
	for _, code := range []int{http.StatusInternalServerError, http.StatusOK} {
		assert.Equal(b, "the code that the controller receives", one.ask(http.MethodPost, jobs, job("build", 0)).code, code)
	}
	assert.Equal(b, "the form that is asked for", b.server.all()[0].header.Get("Accept"), "application/vnd.kubernetes.protobuf, */*")
	w, s := one.open(jobs, fromStart)
	s.send("not an event")
	w.want("not an event")
	assert.Equal(t, "whether it is up to date before the initial state", b.proxy.UpToDate(1), false)
	s.send("k8s.io/initial-events-end")
	w.want("k8s.io/initial-events-end")
	b.awaitUp(1)
}

func TestAWatchWhoseInitialStateIsHeldIsWaitedForNoLonger(t *testing.T) {
	b := newBench(t)
	b.inject("hold: ADDED jobs web/build #1")
	w, s := b.instance(1).open(jobs, fromStart)
	assert.Equal(t, "whether it is up to date before the initial state", b.proxy.UpToDate(1), false)
	s.send(added("build", 5), initialEnd(8))
	b.awaitUp(1)
	b.proxy.Heal()
	w.want("ADDED web-build@5", "BOOKMARK @8")
	b.awaitUp(1)
}
