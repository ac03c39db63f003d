package finding_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

func TestUnowned(t *testing.T) {
	owned := func(apiVersion string) *unstructured.Unstructured {
		one := job("web-build")
		one.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: apiVersion, Kind: "SequentialJob", Name: "web", Controller: new(true)}})
		return one
	}
	created := request(1, 1, "create", "jobs", "web/build", "web-build", 380*ms, 201, 201, 101)
	for name, test := range map[string]struct {
		object  *unstructured.Unstructured
		created history.Request
		want    bool
	}{
		"without the API group":             {owned("v1alpha1"), created, true},
		"without an owner":                  {job("web-build"), created, true},
		"right":                             {owned("batch.example.com/v1alpha1"), created, false},
		"not created by the controller":     {job("web-build"), request(1, 1, "get", "jobs", "web/build", "web-build", 380*ms, 200, 200, 101), false},
		"of a request that made no Job yet": {job("web-build"), request(1, 1, "create", "jobs", "web/build", "web-build", 380*ms, 500, 500, 0), false},
	} {
		run := history.Run{Requests: []history.Request{test.created}, Changes: []history.Change{change(101, "ADDED", 385*ms, "jobs", test.object)}}
		assert.Equal(t, name, finding.Unowned(run) != nil, test.want)
	}
}

func TestDeletions(t *testing.T) {
	deletion := func(code int) history.Request {
		return request(1, 1, "delete", "jobs", "web/build", "web-build", 380*ms, code, code, 0)
	}
	many := request(1, 1, "deletecollection", "jobs", history.None, "", 380*ms, 200, 200, 0)
	own := request(1, 1, "delete", "sequentialjobs", "web", "web", 380*ms, 200, 200, 0)
	for name, test := range map[string]struct {
		request history.Request
		want    []string
	}{
		"a Job":               {deletion(200), []string{"Your controller itself deleted Job web-build, at 0.380 s."}},
		"many":                {many, []string{"Your controller itself deleted Jobs, at 0.380 s (deletecollection jobs)."}},
		"refused":             {deletion(409), nil},
		"of another resource": {own, nil},
	} {
		var got []string
		for _, cause := range finding.Deletions(history.Run{Requests: []history.Request{test.request}}) {
			got = append(got, cause.What)
			assert.Equal(t, name+": its requests", cause.Requests, []int{1})
			assert.Equal(t, name+": its moment", cause.At, 380*ms)
		}
		assert.Equal(t, name, got, test.want)
	}
}

func TestFinalizers(t *testing.T) {
	const finalizer = "example.com/mine"
	with := func(deleted bool, finalizers ...string) *unstructured.Unstructured {
		one := job("web-build")
		one.SetFinalizers(finalizers)
		if deleted {
			one.SetDeletionTimestamp(&metav1.Time{Time: time.Unix(1, 0)})
		}
		return one
	}
	mine := []string{"Job web-build is being deleted, and stays until its finalizer example.com/mine is removed. Your controller set this " +
		"finalizer, at 0.380 s (create jobs web-build), and has not removed it."}
	for name, test := range map[string]struct {
		first, then *unstructured.Unstructured
		event       string
		want        []string
	}{
		"set, and never removed":     {with(false, finalizer), with(true, finalizer), "MODIFIED", mine},
		"not being deleted":          {with(false, finalizer), with(false, finalizer), "MODIFIED", nil},
		"removed":                    {with(false, finalizer), with(true, "other"), "MODIFIED", nil},
		"gone":                       {with(false, finalizer), with(true, finalizer), "DELETED", nil},
		"set by another client":      {with(false), with(true, finalizer), "MODIFIED", nil},
		"of the garbage collector's": {with(false, metav1.FinalizerDeleteDependents), with(true, metav1.FinalizerDeleteDependents), "MODIFIED", nil},
	} {
		var got []string
		for _, cause := range finding.Finalizers(history.Run{
			Requests: []history.Request{request(1, 1, "create", "jobs", "web/build", "web-build", 380*ms, 201, 201, 101)},
			Changes:  []history.Change{change(101, "ADDED", 385*ms, "jobs", test.first), change(102, test.event, 500*ms, "jobs", test.then)},
		}) {
			got = append(got, cause.What)
			assert.Equal(t, name+": its requests", cause.Requests, []int{1})
		}
		assert.Equal(t, name, got, test.want)
	}
}

func TestUnanswered(t *testing.T) {
	const sentence = "The last event (MODIFIED sequentialjobs web) reached your controller at 0.500 s. It has sent no request since."
	const filtered = " It is the event of your controller's own status write. Either a predicate filters it, as " +
		"GenerationChangedPredicate does, and no reconcile followed. Or that reconcile found nothing to do, and " +
		"asked for no later one with RequeueAfter."
	wrote := request(1, 1, "patch", "sequentialjobs/status", "web", "web", 480*ms, 200, 200, 102)
	created := request(1, 1, "create", "jobs", "web/build", "web-build", 420*ms, 201, 201, 103)
	for name, test := range map[string]struct {
		instance int
		requests []history.Request
		want     string
	}{
		"an event":                 {1, []history.Request{created}, sentence},
		"its own write":            {1, []history.Request{wrote}, sentence + filtered},
		"a lease since":            {1, []history.Request{created, request(2, 1, "update", "leases", "lock", "lock", 600*ms, 200, 200, 104)}, sentence},
		"a read since":             {1, []history.Request{created, request(2, 1, "list", "jobs", history.None, "", 600*ms, 200, 200, 104)}, ""},
		"another instance's since": {1, []history.Request{created, request(2, 2, "list", "jobs", history.None, "", 600*ms, 200, 200, 104)}, sentence},
		"never a write":            {1, []history.Request{request(1, 1, "list", "jobs", history.None, "", 420*ms, 200, 200, 104)}, ""},
		"no event at all":          {2, []history.Request{request(1, 2, "create", "jobs", "web/build", "web-build", 420*ms, 201, 201, 103)}, ""},
	} {
		run := history.Run{
			Requests: test.requests,
			Streams:  []history.Stream{{ID: 1, Instance: 1, Resource: "sequentialjobs"}},
			Frames: []history.Frame{
				event(1, "ADDED", "sequentialjobs", "web", "web", 101, 400*ms, 400*ms, 0),
				event(1, "MODIFIED", "sequentialjobs", "web", "web", 102, 499*ms, 500*ms, 0),
				{Stream: 1, Type: "BOOKMARK", Received: 900 * ms, Delivered: 900 * ms},
				event(1, "MODIFIED", "sequentialjobs", "web", "web", 104, 950*ms, 0, 1), // held back
			},
		}
		assert.Equal(t, name, finding.Unanswered(run, test.instance), test.want)
	}
}

func TestRepeated(t *testing.T) {
	refused := request(1, 1, "update", "jobs", "web/build", "web-build", 400*ms, 409, 409, 0)
	read := request(2, 1, "get", "jobs", "web/build", "web-build", 410*ms, 200, 200, 102)
	wrote := request(3, 1, "update", "jobs", "web/build", "web-build", 420*ms, 200, 200, 103)
	const sentence = "Your controller had sent update jobs web-build before, at 0.400 s, and received 409 Conflict. It then read web-build " +
		"again, at 0.410 s, and sent the write again. But the object had changed, so it must decide again, not only write again."
	for name, test := range map[string]struct {
		edit func(refused, read *history.Request)
		want string
	}{
		"after a conflict":          {func(_, _ *history.Request) {}, sentence},
		"after another error":       {func(refused, _ *history.Request) { refused.Returned = 500 }, ""},
		"not read":                  {func(_, read *history.Request) { read.Object.Name = "web" }, ""},
		"a read that failed":        {func(_, read *history.Request) { read.Returned = 500 }, ""},
		"another write":             {func(refused, _ *history.Request) { refused.Call.Verb = "patch" }, ""},
		"of another process":        {func(refused, _ *history.Request) { refused.Instance = 2 }, ""},
		"read before, not after it": {func(refused, read *history.Request) { refused.ID, read.ID = 2, 1 }, ""},
	} {
		refused, read := refused, read
		test.edit(&refused, &read)
		run := history.Run{Requests: []history.Request{refused, read, wrote}}
		made := change(103, "MODIFIED", 425*ms, "jobs", job("web-build"))
		assert.Equal(t, name, finding.Repeated(run, made), test.want)
	}
	run := history.Run{Processes: []history.Process{{Instance: 1}}, Requests: []history.Request{refused, read, wrote}}
	assert.Equal(t, "a change of another client", finding.Repeated(run, change(110, "MODIFIED", 425*ms, "jobs", job("web-build"))), "")
	assert.Equal(t, "Explain", finding.Explain(run, []int{3}, nil), "0.420 s: update jobs web-build → 200 OK. "+sentence)
}
