package controller

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// oneJob is a client that knows at most one Job, and nothing else.
type oneJob struct {
	client.Client
	job   *batchv1.Job // nil for none
	reads int
}

func (c *oneJob) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	c.reads++
	if c.job == nil || key != client.ObjectKeyFromObject(c.job) {
		return apierrors.NewNotFound(batchv1.Resource("jobs"), key.Name)
	}
	c.job.DeepCopyInto(into.(*batchv1.Job))
	return nil
}

func TestObserve(t *testing.T) {
	const created = types.UID("uid-of-web-build")
	creates := func(e *expectations, object *v1alpha1.SequentialJob) {
		e.expectJob(object, makeJob("build").version("200").obj(), noon)
		e.recordCreation(object, makeJob("build").version("200").obj())
	}
	shown := func(e *expectations, object *v1alpha1.SequentialJob) {
		creates(e, object)
		e.jobStale(object, makeJob("build").version("200").obj())
	}
	claimed := func() *objectBuilder { return makeObject("web").steps("build", "test").claimed("build") }

	for name, test := range map[string]struct {
		object        *objectBuilder
		did           func(*expectations, *v1alpha1.SequentialJob)
		cached, live  *jobBuilder
		after         time.Duration // since noon
		wantStale     time.Duration // until when to requeue; 0 for not stale
		wantJob       types.UID
		wantCreated   types.UID
		wantUnwatched bool
		wantLiveReads int
		wantAction    action
		reason        string
	}{
		"claimed, nothing created": {
			object: claimed(), wantAction: createJob,
			reason: "if it exists after all, the create request will say so, so it needs no live read",
		},
		"claimed, created by an earlier process": {
			object: claimed(), cached: makeJob("build"), wantJob: created, wantAction: doNothing,
			reason: "the Job itself says whose it is",
		},
		"created, not shown yet": {
			object: claimed(), did: creates, after: 4 * time.Second, wantStale: expectationsTimeout - 4*time.Second,
			reason: "the cache may just be slow",
		},
		"created, never shown, gone": {
			object: claimed(), did: creates, after: expectationsTimeout,
			wantCreated: created, wantLiveReads: 1, wantAction: doNothing,
			reason: "created and deleted while the watch was down: it must not be created again",
		},
		"created, never shown, there": {
			object: claimed(), did: creates, after: expectationsTimeout, live: makeJob("build"),
			wantJob: created, wantCreated: created, wantUnwatched: true, wantLiveReads: 1, wantAction: doNothing,
			reason: "a user removed its label",
		},
		"created and shown": {
			object: claimed(), did: creates, cached: makeJob("build").version("200"),
			wantJob: created, wantCreated: created, wantAction: doNothing,
			reason: "only the status is missing",
		},
		"created and shown, then gone": {
			object: claimed(), did: shown,
			wantCreated: created, wantLiveReads: 1, wantAction: doNothing,
			reason: "it vanished before the status recorded it: never a silent rerun",
		},
		"created and shown, gone from the cache only": {
			object: claimed(), did: shown, live: makeJob("build"),
			wantJob: created, wantCreated: created, wantUnwatched: true, wantLiveReads: 1, wantAction: doNothing,
			reason: "that a Job vanished is final, so the API server has the last word",
		},
		"created, then replaced": {
			object: claimed(), did: creates, cached: makeJob("build").uid("other").version("300"),
			wantJob: "other", wantCreated: created, wantAction: doNothing,
			reason: "the other one is not the step's, though the status has no UID to tell it by",
		},
		"the step before was created by this process": {
			object: makeObject("web").steps("build", "test").claimed("test"), did: shown, wantAction: createJob,
			reason: "each step has a Job of its own",
		},
		"created for an earlier object of the name": {
			object: claimed(), did: func(e *expectations, _ *v1alpha1.SequentialJob) { wroteForPredecessor(e) }, wantAction: createJob,
			reason: "what was done for an object says nothing of the next one of that name",
		},
		"finished": {
			object: claimed().succeeded("True", v1alpha1.ReasonAllStepsSucceeded, ""), did: creates, wantAction: doNothing,
			reason: "a finished run has no current step",
		},
		"finished, and a Job that was created later": {
			object: claimed().succeeded("False", v1alpha1.ReasonDeadlineExceeded, ""), cached: makeJob("build"), wantJob: created, wantAction: stopJob,
			reason: "a request of a process that is no longer the leader may be done at any time, and a finished run has no active Job",
		},
		"finished, and its own Job": {
			object: makeObject("web").steps("build").running("build").succeeded("False", v1alpha1.ReasonStepFailed, ""), cached: makeJob("build"), wantAction: doNothing,
			reason: "the status knows how it ended, and the cache is stale",
		},
		"finished, and a second Job in place of its own": {
			object: makeObject("web").steps("build").running("build").succeeded("False", v1alpha1.ReasonDeadlineExceeded, ""), cached: makeJob("build").uid("other"), wantJob: "other", wantAction: stopJob,
			reason: "no step runs twice",
		},
		"finished, and a late Job that is going": {
			object: claimed().succeeded("False", v1alpha1.ReasonDeadlineExceeded, ""), cached: makeJob("build").deleting(), wantAction: doNothing,
			reason: "it was stopped",
		},
		"finished, and a late Job that was just stopped": {
			object: claimed().succeeded("False", v1alpha1.ReasonDeadlineExceeded, ""), cached: makeJob("build").version("200"),
			did: func(e *expectations, object *v1alpha1.SequentialJob) {
				e.expectDeletion(object, makeJob("build").version("200").obj(), noon)
			},
			wantAction: doNothing,
			reason:     "the cache does not show its deletion yet, and a second request would be refused",
		},
		"finished, and a late Job that has finished": {
			object: claimed().succeeded("False", v1alpha1.ReasonDeadlineExceeded, ""), cached: makeJob("build").complete(), wantAction: doNothing,
			reason: "there is nothing left to stop",
		},
		"finished, and somebody else's Job": {
			object: claimed().succeeded("False", v1alpha1.ReasonDeadlineExceeded, ""), cached: makeJob("build").ownedByAnother(), wantAction: doNothing,
			reason: "the name of a Job doesn't say whose it is",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := test.object.obj()
			cache, live := &oneJob{}, &oneJob{}
			if test.cached != nil {
				cache.job = test.cached.obj()
			}
			if test.live != nil {
				live.job = test.live.obj()
			}
			r := &Reconciler{Client: cache, Live: live, Clock: testclock.NewFakePassiveClock(noon.Add(test.after))}
			if test.did != nil {
				test.did(&r.expectations, object)
			}
			seen, err := r.observe(t.Context(), object)

			if test.wantStale != 0 {
				if stale, ok := errors.AsType[*staleError](err); !ok || stale.requeueAfter != test.wantStale {
					t.Fatalf("observe() = %v, want to be requeued after %v: %s", err, test.wantStale, test.reason)
				}
				return
			}
			if err != nil {
				t.Fatalf("observe() = %v: %s", err, test.reason)
			}
			var job types.UID
			if seen.job != nil {
				job = seen.job.UID
			}
			if job != test.wantJob || seen.created != test.wantCreated || seen.unwatched != test.wantUnwatched {
				t.Errorf("job %q, created %q, unwatched %t; want %q, %q, %t: %s", job, seen.created, seen.unwatched, test.wantJob, test.wantCreated, test.wantUnwatched, test.reason)
			}
			if live.reads != test.wantLiveReads {
				t.Errorf("%d live reads, want %d: %s", live.reads, test.wantLiveReads, test.reason)
			}
			if got := decide(seen); got != test.wantAction {
				t.Errorf("decide() = %q, want %q: %s", got, test.wantAction, test.reason)
			}
		})
	}
}

// apiServer is a client of an API server that holds one SequentialJob, or nil for none, and its Jobs, and of a cache
// that is never stale.
type apiServer struct {
	client.Client
	object  *v1alpha1.SequentialJob
	jobs    map[string]*batchv1.Job
	creates int
	lost    int // how many status writes are still to fail
}

func (s *apiServer) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	switch into := into.(type) {
	case *v1alpha1.SequentialJob:
		if s.object != nil {
			s.object.DeepCopyInto(into)
			return nil
		}
	case *batchv1.Job:
		if job := s.jobs[key.Name]; job != nil {
			job.DeepCopyInto(into)
			return nil
		}
	}
	return apierrors.NewNotFound(batchv1.Resource("jobs"), key.Name)
}

func (s *apiServer) Create(_ context.Context, object client.Object, _ ...client.CreateOption) error {
	job := object.(*batchv1.Job)
	if s.jobs[job.Name] != nil {
		return apierrors.NewAlreadyExists(batchv1.Resource("jobs"), job.Name)
	}
	s.creates++
	job.UID, job.ResourceVersion = types.UID("uid-of-"+job.Name), "200"
	s.jobs[job.Name] = job.DeepCopy()
	return nil
}

func (s *apiServer) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
	job := object.(*batchv1.Job)
	s.jobs[job.Name] = job.DeepCopy()
	return nil
}

func (s *apiServer) Status() client.SubResourceWriter { return statusWriter{server: s} }

type statusWriter struct {
	client.SubResourceWriter
	server *apiServer
}

func (w statusWriter) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
	if w.server.lost > 0 {
		w.server.lost--
		return apierrors.NewInternalError(errors.New("etcd"))
	}
	// As the API server does: nothing but the status is taken, and the whole object is returned.
	patched := object.(*v1alpha1.SequentialJob)
	patched.Status.DeepCopyInto(&w.server.object.Status)
	w.server.object.DeepCopyInto(patched)
	return nil
}

// newProcess returns a Reconciler that has just started.
func (s *apiServer) newProcess() *Reconciler {
	return &Reconciler{Client: s, Live: s, Recorder: events.NewFakeRecorder(100), Clock: testclock.NewFakePassiveClock(noon.Add(time.Minute))}
}

func (s *apiServer) reconcile(t *testing.T, r *Reconciler, wantErr bool) {
	t.Helper()
	if _, err := r.reconcile(t.Context(), s.object.DeepCopy()); (err != nil) != wantErr {
		t.Fatalf("reconcile() = %v, want an error: %t", err, wantErr)
	}
}

// Only creating or adopting the Job records its creation here.
func TestJobThatVanishesBeforeItIsRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		adopted    bool // it was there, from a create whose response had been lost, and the cache did not show it
		restart    bool
		wantCreate int
		want       []string
		reason     string
	}{
		"created": {
			wantCreate: 1, want: []string{"build Failed JobDeleted web-build"},
			reason: "it may have had an effect: never a silent rerun",
		},
		"adopted": {
			adopted: true, wantCreate: 0, want: []string{"build Failed JobDeleted web-build"},
			reason: "it may have had an effect: never a silent rerun",
		},
		"created by a process that is no more": {
			restart: true, wantCreate: 2, want: []string{"build Running web-build"},
			reason: "nothing is left that could tell of it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{object: makeObject("web").steps("build").claimed("build").obj(), jobs: map[string]*batchv1.Job{}, lost: 1}
			r := server.newProcess()
			if test.adopted {
				server.jobs["web-build"] = makeJob("build").obj()
				if _, err := r.createJob(t.Context(), facts{now: r.Clock.Now(), object: server.object.DeepCopy()}); err != nil {
					t.Fatal(err)
				}
			} else {
				server.reconcile(t, r, true)
			}
			delete(server.jobs, "web-build")
			server.lost = 0
			if test.restart {
				r = server.newProcess()
			} else if _, err := r.reconcile(t.Context(), server.object.DeepCopy()); !isStale(err) {
				t.Fatalf("reconcile() = %v: the cache may just be slow to show the Job", err)
			}
			r.Clock = testclock.NewFakePassiveClock(noon.Add(time.Hour))
			for range 3 {
				server.reconcile(t, r, false)
			}
			if server.creates != test.wantCreate {
				t.Errorf("%d Jobs created, want %d: %s", server.creates, test.wantCreate, test.reason)
			}
			if diff := cmp.Diff(test.want, outlineOf(server.object.Status).Steps); diff != "" {
				t.Errorf("%s; steps (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestSuspendingAStrayDoesNotMakeItTheStepsJob(t *testing.T) {
	server := &apiServer{object: makeObject("web").steps("build").claimed("build").obj(), jobs: map[string]*batchv1.Job{}, lost: 2}
	process := server.newProcess()
	server.reconcile(t, process, true) // creates web-build; the status write fails
	server.jobs["web-build"] = makeJob("build").uid("other").version("300").obj()
	server.object = (&objectBuilder{server.object}).suspend().obj()
	server.reconcile(t, process, true) // the status write fails again
	server.reconcile(t, process, false)
	if uid := server.object.Status.Steps[0].JobUID; uid != "uid-of-web-build" {
		t.Errorf("jobUID = %q: another Job has been adopted", uid)
	}
}

func TestJobThatWasSeenIsNotCreatedAgain(t *testing.T) {
	server := &apiServer{object: makeObject("web").steps("build").claimed("build").obj(), jobs: map[string]*batchv1.Job{"web-build": makeJob("build").obj()}, lost: 1}
	process := server.newProcess()
	server.reconcile(t, process, true) // sees what its predecessor created; the status write fails
	delete(server.jobs, "web-build")
	server.reconcile(t, process, false)
	if server.creates != 0 {
		t.Errorf("%d Jobs were created for a step that has had its Job", server.creates)
	}
}

func TestAJobThatWasReadIsNotSeenInAnOlderState(t *testing.T) {
	cache, live := &oneJob{}, &oneJob{job: makeJob("build").version("300").obj()}
	object := makeObject("web").steps("build").claimed("build").obj()
	r := &Reconciler{Client: cache, Live: live, Clock: testclock.NewFakePassiveClock(noon.Add(expectationsTimeout))}
	r.expectations.expectJob(object, makeJob("build").version("200").obj(), noon)
	r.expectations.recordCreation(object, makeJob("build").version("200").obj())
	for _, test := range []struct {
		cached string // the version of the Job that the cache shows
		reads  int
	}{{"100", 1}, {"200", 2}, {"300", 2}, {"400", 2}} {
		cache.job = makeJob("build").version(test.cached).obj()
		seen, err := r.observe(t.Context(), object)
		if err != nil {
			t.Fatal(err)
		}
		if older(seen.job.ResourceVersion, "300") || live.reads != test.reads {
			t.Errorf("the cache shows version %s: version %s is used, after %d live reads, want %d", test.cached, seen.job.ResourceVersion, live.reads, test.reads)
		}
	}
}

func TestAJobIsConfirmedOnceEvenIfItsObjectIsKnown(t *testing.T) {
	live := &oneJob{job: makeJob("build").version("200").obj()}
	r := &Reconciler{Live: live}
	object := makeObject("web").steps("build").claimed("build").obj()
	r.expectations.expectObject(object) // confirm has read it
	write := func(cached string) error {
		seen := facts{now: noon, object: object, job: makeJob("build").version(cached).obj()}
		return r.confirmJob(t.Context(), seen, v1alpha1.SequentialJobStatus{})
	}
	if err := write("100"); !isStale(err) {
		t.Errorf("confirmJob() = %v: the cache shows an old state of the Job", err)
	}
	r.expectations = expectations{}
	r.expectations.expectObject(object)
	live.reads = 0
	for range 2 {
		if err := write("200"); err != nil {
			t.Errorf("confirmJob() = %v: the cache shows the current state", err)
		}
	}
	if live.reads != 1 {
		t.Errorf("%d live reads, want one: what is confirmed stays so", live.reads)
	}
}
