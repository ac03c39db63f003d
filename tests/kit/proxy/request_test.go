package proxy_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

const create = "create jobs web/build #1"

func TestFaultsOfACreate(t *testing.T) {
	tests := []struct {
		action   string
		reaches  bool // the API server
		returned int
		code     int
		killed   bool
	}{
		{action: "lose request"},
		{action: "lose reply", reaches: true, code: 200},
		{action: "answer 429", returned: 429},
		{action: "answer 500", returned: 500},
		{action: "answer 504", returned: 504},
		{action: "answer 403", returned: 403},
		{action: "answer 409", returned: 409},
		{action: "answer 422", returned: 422},
		{action: "answer 503 after commit", reaches: true, code: 200, returned: 503},
		{action: "write first", reaches: true, code: 200, returned: 200}, // there is no object yet
		{action: "crash before", killed: true},
		{action: "crash after commit", reaches: true, code: 200, killed: true},
		{action: "crash after reply", reaches: true, code: 200, returned: 200, killed: true},
	}
	for _, test := range tests {
		t.Run(test.action, func(t *testing.T) {
			b := newBench(t)
			b.inject(test.action + ": " + create)
			reply := b.instance(1).ask(http.MethodPost, jobs, job("build", 0))
			if test.killed {
				b.awaitKill(1)
			}
			b.awaitQuiet()
			assert.Equal(b, "the code that the controller receives", reply.code, test.returned)
			assert.Equal(b, "the API server is asked", len(b.server.lines()) > 0, test.reaches)
			request := b.log.Run().Requests[0]
			b.wantCalls(fmt.Sprintf("%s %d %d", create, test.code, test.returned))
			assert.Equal(b, "the fault that struck", request.Fault, 1)
			assert.Equal(b, "the controller receives a response", request.Answered > 0, test.returned > 0)
			assert.Equal(b, "it is committed", request.Committed > 0, test.reaches)
			b.wantOneFault(test.action + ": " + create)
			b.wantPending(0)
		})
	}
}

// On a connection that has been used before, net/http retries a read if the connection is cut before the response
// starts, so that the controller would not see the error.
func TestLostReadsReachTheController(t *testing.T) {
	for _, action := range []string{"lose request", "lose reply"} {
		t.Run(action, func(t *testing.T) {
			b := newBench(t)
			b.server.respond("GET "+jobs+"/web-build", job("build", 7))
			b.inject(action + ": get jobs web/build #2")
			one := b.instance(1)
			for range 3 {
				one.ask(http.MethodPost, jobs, job("build", 0))
			}
			one.ask(http.MethodGet, jobs+"/web-build", "")
			reply := one.ask(http.MethodGet, jobs+"/web-build", "")
			if reply.cut == nil {
				t.Errorf("no error, but %d %q", reply.code, reply.body)
			}
			b.awaitQuiet()
			assert.Equal(b, "number of requests", len(b.calls()), 5)
			if reply := one.ask(http.MethodGet, jobs+"/web-build", ""); reply.code != http.StatusOK || reply.cut != nil {
				t.Errorf("the next read: %d, %v", reply.code, reply.cut)
			}
		})
	}
}

func TestLostWritesAreNotRetried(t *testing.T) {
	b := newBench(t)
	b.inject("lose reply: write #2 of instance 1", "lose request: write #3 of instance 1",
		"lose reply: write #5 of instance 1", "lose request: write #6 of instance 1")
	one := b.instance(1)
	const put, patch, remove = http.MethodPut, http.MethodPatch, http.MethodDelete
	for i, method := range []string{put, put, patch, patch, remove, remove} {
		one.ask(http.MethodGet, jobs+"/web-build", "") // a connection that has been used before
		reply := one.ask(method, jobs+"/web-build", `{"metadata":{"name":"web-build"}}`)
		if lost := i%3 > 0; (reply.cut != nil) != lost {
			t.Errorf("%s number %d received %d, %v", method, i+1, reply.code, reply.cut)
		}
	}
	assert.Equal(b, "number of requests", len(b.calls()), 12)
}

func TestConflict(t *testing.T) {
	b := newBench(t)
	b.inject("write first: update sequentialjobs/status web #1")
	b.instance(1).ask(http.MethodPut, sequences+"/web/status", `{"kind":"SequentialJob","metadata":{"name":"web"}}`)
	b.wantAsked("PATCH "+sequences+"/web", "PUT "+sequences+"/web/status")
	assert.Equal(b, "the conflicting write", b.server.all()[0].body,
		`{"metadata":{"annotations":{"proxy.controller-course.example.com/conflict":"1"}}}`)
}

func TestConditionFirst(t *testing.T) {
	b := newBench(t)
	b.inject("write condition first: update sequentialjobs/status web #1")
	b.instance(1).ask(http.MethodPut, sequences+"/web/status", `{"kind":"SequentialJob","metadata":{"name":"web"}}`)
	b.wantAsked("PATCH "+sequences+"/web/status", "PUT "+sequences+"/web/status")
	assert.Contains(b, "the write before", b.server.all()[0].body, `"path":"/status/conditions/-"`, proxy.ForeignCondition)
}

func TestReplaceFirst(t *testing.T) {
	b := newBench(t)
	b.inject("replace first: update jobs web/build #1")
	b.instance(1).ask(http.MethodPut, jobs+"/web-build", job("build", 0))
	asked := b.server.lines()
	assert.Equal(b, "the first request", asked[0], "GET "+jobs+"/web-build")
	assert.Equal(b, "the last request", asked[len(asked)-1], "PUT "+jobs+"/web-build")
}

func TestCommitLate(t *testing.T) {
	b := newBench(t)
	b.inject("commit late: " + create)
	cut := b.instance(1).asking(http.MethodPost, jobs, job("build", 0))
	b.awaitKill(1)
	b.awaitQuiet()
	b.instance(2).ask(http.MethodGet, sequences, "")
	b.wantAsked("GET " + sequences)
	b.proxy.Heal()
	b.awaitQuiet()
	if reply := <-cut; reply.cut == nil {
		t.Error("the killed controller received a response")
	}
	b.wantCalls("create jobs web/build #1 200 0", "list sequentialjobs - #1 200 200")
	run := b.log.Run()
	if run.Requests[0].Committed < run.Requests[1].Committed || run.Faults[0].Healed < run.Requests[0].Committed {
		t.Errorf("the late request committed at %v, the other at %v, and the fault healed at %v",
			run.Requests[0].Committed, run.Requests[1].Committed, run.Faults[0].Healed)
	}
}

func TestArriveLate(t *testing.T) {
	b := newBench(t)
	b.inject("arrive late: " + create)
	one := b.instance(1)
	late := one.asking(http.MethodPost, jobs, job("build", 0))
	b.eventually("the fault has struck", func() bool { return len(b.log.Run().Faults) == 1 })
	b.awaitQuiet()
	one.ask(http.MethodGet, sequences, "")
	b.wantAsked("GET " + sequences)
	b.proxy.Answer()
	assert.Equal(b, "the code that the controller receives", (<-late).code, http.StatusOK)
	b.wantAsked("GET "+sequences, "POST "+jobs)
	b.wantCalls("create jobs web/build #1 200 200", "list sequentialjobs - #1 200 200")
}

func TestResponseAfterHeal(t *testing.T) {
	b := newBench(t)
	b.inject("answer late: " + create)
	one := b.instance(1)
	late := one.asking(http.MethodPost, jobs, job("build", 0))
	b.eventually("the API server has done it", func() bool {
		run := b.log.Run()
		return len(run.Requests) == 1 && run.Requests[0].Committed > 0
	})
	b.awaitQuiet()
	one.ask(http.MethodGet, sequences, "")
	assert.Equal(b, "when it receives the response before Heal", b.log.Run().Requests[0].Answered, time.Duration(0))
	b.proxy.Heal()
	assert.Equal(b, "the code that the controller receives", (<-late).code, http.StatusOK)
	b.awaitQuiet()
	run := b.log.Run()
	if run.Requests[0].Answered < run.Requests[1].Answered || run.Faults[0].Healed < run.Requests[0].Answered {
		t.Errorf("the late response came at %v, the other at %v, and the fault healed at %v",
			run.Requests[0].Answered, run.Requests[1].Answered, run.Faults[0].Healed)
	}
}

func TestALateResponseIsReleasedAlone(t *testing.T) {
	b := newBench(t)
	b.inject("answer late: "+create, "hold: ADDED jobs web/build #1")
	one := b.instance(1)
	w, s := one.open(jobs, fromStart)
	s.send(added("build", 5), initialEnd(8))
	late := one.asking(http.MethodPost, jobs, job("build", 0))
	b.eventually("both faults have struck", func() bool { return len(b.log.Run().Faults) == 2 })
	b.awaitQuiet()
	b.proxy.Answer()
	assert.Equal(b, "the code that the controller receives", (<-late).code, http.StatusOK)
	assert.Equal(b, "when the event is delivered before Heal", b.log.Run().Frames[0].Delivered, time.Duration(0))
	b.proxy.Heal()
	w.want("ADDED web-build@5", "BOOKMARK @8")
}

func TestADeadProcessSendsNoMoreRequests(t *testing.T) {
	b := newBench(t)
	b.server.respond("POST "+jobs, job("build", 7))
	committing := b.server.delay("POST " + jobs)
	b.inject("crash after commit: " + create)
	one := b.instance(1)
	crashed := one.asking(http.MethodPost, jobs, job("build", 0))
	b.eventually("the request is on its way", func() bool { return len(b.server.lines()) == 1 })
	later := one.asking(http.MethodGet, sequences+"/web", "")
	close(committing)
	b.awaitKill(1)
	if reply := <-crashed; reply.cut == nil {
		t.Error("the killed controller received a response")
	}
	_ = b.proxy.Close()
	if reply := <-later; reply.cut == nil {
		t.Errorf("a process that is being killed received %d", reply.code)
	}
	b.wantAsked("POST " + jobs)
}

func TestNthWriteOfAnInstance(t *testing.T) {
	b := newBench(t)
	b.inject("answer 500: write #2 of instance 2")
	for n := 1; n <= 2; n++ {
		one := b.instance(n)
		var codes []int
		for _, path := range []string{jobs, "/api/v1/namespaces/run/events", "/apis/coordination.k8s.io/v1/namespaces/run/leases", jobs} {
			codes = append(codes, one.ask(http.MethodPost, path, job("build", 0)).code)
			one.ask(http.MethodGet, sequences, "")
		}
		assert.Equal(b, fmt.Sprintf("the codes that instance %d receives", n), codes, []int{200, 200, 200, []int{200, 500}[n-1]})
	}
}

// The verb does not matter. Reads do not count, nor do other objects and other resources.
func TestTheNextWritesToAnObject(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	one.ask(http.MethodPost, jobs, job("build", 0))
	b.inject("answer 500: next 2 writes jobs web/build", "answer 429: next 1 writes sequentialjobs/status web")
	const put, patch, status, web = http.MethodPut, http.MethodPatch, sequences + "/web/status", `{"metadata":{"name":"web"}}`
	var codes []int
	for _, request := range [][3]string{
		{http.MethodPost, jobs, job("build", 0)}, {http.MethodGet, jobs + "/web-build", ""}, {put, jobs + "/web-ship", job("ship", 0)},
		{put, sequences + "/web", web}, {patch, status, web}, {patch, jobs + "/web-build", job("build", 0)},
		{put, jobs + "/web-build", job("build", 0)}, {put, status, web},
	} {
		codes = append(codes, one.ask(request[0], request[1], request[2]).code)
	}
	assert.Equal(b, "the code that the controller receives", codes, []int{500, 200, 200, 200, 429, 500, 200, 200})
	var struck []string
	for _, fault := range b.log.Run().Faults {
		struck = append(struck, fault.String())
	}
	assert.Equal(b, "what struck", struck, []string{
		"answer 500: create jobs web/build #2", "answer 429: patch sequentialjobs/status web #1", "answer 500: patch jobs web/build #1",
	})
	b.wantPending(0)
}

// A controller may never read like this, so nobody waits until such a fault has struck.
func TestTheNextReadsOfAKind(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	b.inject("answer 500: next 2 reads jobs", "answer 504: next 1 reads sequentialjobs")
	b.wantPending(0)
	var codes []int
	for _, request := range [][3]string{
		{http.MethodPost, jobs, job("build", 0)}, {http.MethodGet, jobs + "/web-build", ""}, {http.MethodGet, jobs, ""}, {http.MethodGet, jobs, ""},
	} {
		codes = append(codes, one.ask(request[0], request[1], request[2]).code)
	}
	assert.Equal(b, "what the controller receives", codes, []int{200, 500, 500, 200})
}

// A read of one object is a get of it, and no list.
func TestTheNextReadsOfAnObject(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	one.ask(http.MethodPost, jobs, job("build", 0))
	b.inject("answer 500: next 1 reads jobs web/build")
	var codes []int
	for _, path := range []string{jobs, jobs + "/web-build", jobs + "/web-build"} {
		codes = append(codes, one.ask(http.MethodGet, path, "").code)
	}
	assert.Equal(b, "what the controller receives", codes, []int{200, 500, 200})
}

func TestParseFault(t *testing.T) {
	for _, line := range []string{
		"lose reply: " + create, "hold, cut, 410: DELETED jobs web/build #1", "crash after commit: write #3 of instance 2",
		"answer 500: next 2 writes sequentialjobs/status web", "answer 504: next 1 reads jobs", "answer 500: next 2 reads jobs web/build",
	} {
		if fault, err := proxy.ParseFault(line); err != nil || fault.String() != line {
			t.Errorf("ParseFault(%q) = %s, %v", line, fault, err)
		}
	}
	for _, line := range []string{
		"etcd stops", "answer 418: " + create, "answer 500: create jobs", "hold: write #1 of instance 1", "answer 500: write #1",
		"answer 500: next 0 writes jobs web/build", "answer 500: next 2 writes jobs", "answer 500: next 0 reads jobs",
	} {
		if fault, err := proxy.ParseFault(line); err == nil {
			t.Errorf("ParseFault(%q) = %s, want an error", line, fault)
		}
	}
}

func TestRefusalsAreRecorded(t *testing.T) {
	b := newBench(t)
	b.server.respond("POST "+jobs, `{"kind":"Status","reason":"AlreadyExists","message":"`+strings.Repeat("x", 400)+`","details":{"uid":"u"}}`)
	b.instance(1).ask(http.MethodPost, jobs, job("build", 0))
	request := b.log.Run().Requests[0]
	if request.Reason != "AlreadyExists" || len(request.Message) != 300 || request.UID != "u" || request.ResourceVersion != 0 {
		t.Errorf("recorded %+v", request)
	}
}

func TestARoleThatDoesNotAllowIt(t *testing.T) {
	b := newBench(t)
	b.inject("answer 403 by role: next 1 writes jobs web/build")
	got := b.instance(1).ask(http.MethodPost, jobs, job("build", 0))
	want := `jobs.batch is forbidden: User \"controller\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"run\"`
	if got.code != http.StatusForbidden || !strings.Contains(got.body, want) {
		t.Errorf("got %d %q, want 403 with %q", got.code, got.body, want)
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	one.ask(http.MethodGet, "/apis/batch/v1", "")
	one.ask(http.MethodPost, jobs, strings.Replace(job("build", 0), `"name":"web-build"`, `"generateName":"web-"`, 1))
	got := b.log.Run().Requests
	for i := range got {
		got[i].Received, got[i].Committed, got[i].Answered = 0, 0, 0
	}
	assert.Equal(b, "requests", got, []history.Request{{
		ID: 1, Instance: 1, Call: history.Call{Verb: "create", Resource: "jobs", Object: "web/build", Nth: 1}, Group: "batch",
		Object: history.Name{Namespace: "run", Name: "web-102"}, UID: "uid-web-102", ResourceVersion: 102, Code: 200, Returned: 200,
	}})
}

func TestBusy(t *testing.T) {
	b := newBench(t)
	wait := b.server.delay("GET " + sequences)
	one := b.instance(1)
	done := one.asking(http.MethodGet, sequences, "")
	b.eventually("busy", func() bool { busy, _ := b.proxy.Busy(); return busy })
	close(wait)
	<-done
	b.awaitQuiet()
	_, before := b.proxy.Busy()
	one.ask(http.MethodPut, "/apis/coordination.k8s.io/v1/namespaces/run/leases/l", `{"metadata":{"name":"l"}}`)
	one.ask(http.MethodGet, "/api/v1/namespaces/other/configmaps/c", "")
	if _, after := b.proxy.Busy(); after != before {
		t.Error("leases and other namespaces count as activity")
	}
}
