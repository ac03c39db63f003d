package main

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestRetries(t *testing.T) {
	var retries retries
	object := makeObject()
	object.UID = "first"
	if due := retries.due(object); !due.IsZero() {
		t.Errorf("nothing was refused, and the next attempt is due at %s", due)
	}
	for _, want := range []time.Duration{firstRetry, 2 * firstRetry, 4 * firstRetry} {
		if got := retries.add(object, noon).Sub(noon.Time); got != want {
			t.Errorf("the next attempt is due after %s, want %s", got, want)
		}
	}
	for range 100 {
		retries.add(object, noon)
	}
	if got := retries.due(object).Sub(noon.Time); got != lastRetry {
		t.Errorf("after a hundred refusals, the next attempt is due after %s, want %s", got, lastRetry)
	}

	next := makeObject()
	next.UID = "second"
	if due := retries.due(next); !due.IsZero() {
		t.Errorf("another object of this name waits until %s", due)
	}
	if got := retries.add(next, noon).Sub(noon.Time); got != firstRetry {
		t.Errorf("the first wait of another object of this name is %s, want %s", got, firstRetry)
	}
	retries.forget(client.ObjectKeyFromObject(next))
	if due := retries.due(next); !due.IsZero() {
		t.Errorf("its Job was created, and it still waits until %s", due)
	}
}

// The zero reconciler has no client, so it can't ask the API server for anything.
func TestARefusedJobIsNotAskedForTooEarly(t *testing.T) {
	seen := facts{now: noon, object: makeObject(), retryAt: metav1.NewTime(noon.Add(time.Second))}
	after, err := (&reconciler{}).createJob(t.Context(), seen, &seen.object.Spec.Steps[0])
	if err != nil || after.refusal != nil {
		t.Errorf("createJob returned the refusal %v and the error %v, want neither: it is too early to know", after.refusal, err)
	}
}

func TestRequeueAfterARefusal(t *testing.T) {
	for name, test := range map[string]struct {
		deadline, retryIn, want time.Duration
		reason                  string
	}{
		"the deadline comes first": {time.Second, time.Minute, time.Second, "nobody waits longer than that"},
		"the retry comes first":    {time.Hour, time.Minute, time.Minute, "the API server may accept the Job then"},
		"it is due already":        {time.Hour, -time.Minute, time.Hour, "this reconcile has tried again"},
	} {
		object := limited(test.deadline, started(0, makeObject()))
		seen := facts{now: noon, object: object, retryAt: metav1.NewTime(noon.Add(test.retryIn))}
		if got := requeueAfter(seen, object.Status); got != test.want {
			t.Errorf("%s: requeued after %s, want %s: %s", name, got, test.want, test.reason)
		}
	}
	if seen := (facts{now: noon, object: makeObject(), retryAt: metav1.NewTime(noon.Add(time.Minute))}); requeueAfter(seen, seen.object.Status) != time.Minute {
		t.Error("without a deadline, only the retry is left to wait for")
	}
}
