package workspace

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestConditions(t *testing.T) {
	const bucketReady, bindingReady = v1alpha1.ConditionBucketReady, v1alpha1.ConditionBindingReady
	for name, test := range map[string]struct {
		seen    *situation
		bucket  string // status and reason of BucketReady
		binding string
		ready   string
		says    string // what the message of Ready contains
		reason  string
	}{
		"new, without a store": {fresh().without("store"), "False NoStore", "Unknown Pending", "False NoStore", "NATS_URL", "the operator works without one"},
		"the store is down": {guarded().failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"Unknown StoreUnavailable", "Unknown Pending", "Unknown StoreUnavailable", "no", "nothing is known about the bucket"},
		"the store refuses": {guarded().failed(bucketReady, v1alpha1.ReasonStoreRefused),
			"False StoreRefused", "Unknown Pending", "False StoreRefused", "no", "the store has said so"},
		"created":                {guarded().there(), "True Ready", "Unknown Pending", "Unknown Pending", "Secret", "without a Secret nobody can use it"},
		"created, with a Secret": {guarded().there().withSecret(), "True Ready", "True Ready", "True Ready", "ws-1", "both are there"},
		"created, the Secret is refused": {guarded().there().failed(bindingReady, v1alpha1.ReasonSecretRefused),
			"True Ready", "False SecretRefused", "False SecretRefused", "no", "a quota"},
		"created, the Secret is another owner's": {guarded().there().otherSecret(),
			"True Ready", "False SecretConflict", "False SecretConflict", "files-workspace", "it is left alone"},
		"blank": {guarded().there(blank), "Unknown Pending", "Unknown Pending", "Unknown Pending", "about to be updated", "it has no anchor yet"},
		"emptied before it was recorded": {guarded().there(emptied),
			"Unknown Pending", "Unknown Pending", "Unknown Pending", "about to be updated", "it has no anchor any more, and nothing is lost"},
		"somebody else's bucket": {guarded().there(foreign),
			"False BucketConflict", "Unknown Pending", "False BucketConflict", "default/files", "False outranks Unknown"},
		"up to date": {ready(), "True Ready", "True Ready", "True Ready", "recorded", "nothing has changed"},
		"suspected, and the store does not respond": {ready().suspected().failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"True Ready", "True Ready", "True Ready", "recorded; Secret", "what was seen stays, as nothing is known to be wrong"},
		"found locked, and now the store does not respond": {ready().condition(bucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore).suspected().failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"False CannotRestore", "True Ready", "False CannotRestore", "recorded", "a look that fails says nothing new"},
		"new spec, found locked before, and now the store does not respond": {ready().condition(bucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore).generation(2).suspected().failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"False CannotRestore", "True Ready", "False CannotRestore", "recorded", "a new spec does not unseal it"},
		"new spec, the store is down": {ready().generation(2).failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"Unknown StoreUnavailable", "True Ready", "Unknown StoreUnavailable", "no", "the new capacity is not there yet"},
		"overfull": {ready().generation(2).there(overfull), "True Overfull", "True Ready", "True Overfull", "new ones are refused", "its files stay"},
		"drifted, and the store does not respond": {ready().suspected().there(differs("max_bytes")).failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"True Drifted", "True Ready", "True Drifted", "max_bytes", "the bucket can still be used"},
		"drifted, and the store refuses": {ready().suspected().there(differs("max_bytes")).failed(bucketReady, v1alpha1.ReasonStoreRefused),
			"False StoreRefused", "True Ready", "False StoreRefused", "no", "it does not become right by itself"},
		"drifted, disputed": {ready().suspected().there(differs("max_bytes")).truceUntil(noon.Add(time.Minute)),
			"False Disputed", "True Ready", "False Disputed", "12:01:00", "a user has to know who keeps changing it"},
		"locked":  {ready().suspected().there(locked), "False CannotRestore", "True Ready", "False CannotRestore", "sealed", "hands off"},
		"gone":    {ready().suspected().nothingThere(), "False ContentLost", "True Ready", "False ContentLost", "was deleted", "an empty bucket looks healthy"},
		"another": {ready().suspected().there(another), "False ContentLost", "True Ready", "False ContentLost", "in its place", "an empty bucket looks healthy"},
		"emptied": {ready().suspected().there(emptied), "False ContentLost", "True Ready", "False ContentLost", "were removed", "an empty bucket looks healthy"},
		"without its content, and without the anchor": {ready().suspected().there(blank), "False ContentLost", "True Ready", "False ContentLost", "were removed",
			"a store that has lost a bucket's only copy gives it an empty one, as old as the first"},
		"lost, and the operator has no store": {ready().condition(bucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost).without("store"),
			"False ContentLost", "True Ready", "False ContentLost", "recorded", "with a store again, nobody would know of the loss"},
		"the Secret was refused, and is not tried yet": {ready().without("secret").condition(bindingReady, metav1.ConditionFalse, v1alpha1.ReasonSecretRefused).secretRetryAfter(time.Second),
			"True Ready", "False SecretRefused", "False SecretRefused", "recorded", "until the next attempt, nothing has changed"},
		"the Secret could not be written": {ready().without("secret").condition(bindingReady, metav1.ConditionUnknown, v1alpha1.ReasonPending),
			"True Ready", "Unknown Pending", "Unknown Pending", "about to be written", "the bucket is ready"},
		"lost, and a bucket is there again": {ready().condition(bucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost).suspected().there(),
			"False ContentLost", "True Ready", "False ContentLost", "recorded", "never Ready again by itself"},
		"deleting, the store is down": {ready().deleting().failed(bucketReady, v1alpha1.ReasonStoreUnavailable),
			"Unknown StoreUnavailable", "True Ready", "Unknown StoreUnavailable", "can't go yet: no", "a deletion that waits says what for"},
		"deleting, without a store": {ready().deleting().without("store"), "False NoStore", "True Ready", "False NoStore", "can't go yet", "a deletion that waits says what for"},
		"deleting, looked, and the API server doesn't respond": {ready().deleting().there(),
			"Unknown Pending", "True Ready", "Unknown Pending", "can't go yet: spec.deletionPolicy is Delete", "the bucket is still there, and is not to stay"},
		"deleting, to be retained, not marked yet": {ready().retain().deleting().there(),
			"Unknown Pending", "True Ready", "Unknown Pending", "can't go yet: spec.deletionPolicy is Retain", "without its mark it would be swept"},
		"up to date, and the operator has no store any more": {ready().without("secret").without("store"),
			"False NoStore", "True Ready", "False NoStore", "NATS_URL", "nobody writes the Secret now, or has looked at it"},
		"deleting, done, others' finalizers stay": {ready().deleting().without("finalizer").nothingThere(),
			"False Deleted", "True Ready", "False Deleted", "gone", "the rest is others' business"},
		"deleting, retained, others' finalizers stay": {ready().retain().deleting().without("finalizer").there(kept),
			"False Retained", "True Ready", "False Retained", "stays", "the rest is others' business"},
	} {
		t.Run(name, func(t *testing.T) {
			status := assess(test.seen.facts)
			for conditionType, want := range map[string]string{bucketReady: test.bucket, bindingReady: test.binding, v1alpha1.ConditionReady: test.ready} {
				condition := meta.FindStatusCondition(status.Conditions, conditionType)
				if got := string(condition.Status) + " " + condition.Reason; got != want {
					t.Errorf("%s is %s, want %s, because %s", conditionType, got, want, test.reason)
				}
				if condition.ObservedGeneration != test.seen.object.Generation {
					t.Errorf("%s has observedGeneration %d, want %d", conditionType, condition.ObservedGeneration, test.seen.object.Generation)
				}
			}
			if got := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady).Message; !strings.Contains(got, test.says) {
				t.Errorf("Ready says %q, want something with %q", got, test.says)
			}
		})
	}
}

func TestWhatIsRecordedOfTheBucket(t *testing.T) {
	for name, test := range map[string]struct {
		seen   *situation
		want   int64 // the generation that was conveyed; 0 for no bucket
		reason string
	}{
		"not looked yet":                 {guarded(), 0, "nothing is known"},
		"created":                        {guarded().there(), 1, "it is as the spec asks for"},
		"blank":                          {guarded().there(blank), 0, "it has no anchor yet"},
		"emptied":                        {guarded().there(emptied), 0, "it has no anchor any more"},
		"it differs":                     {guarded().there(differs("max_bytes")), 0, "it is not as the spec asks for"},
		"somebody else's":                {guarded().there(foreign), 0, "it is not the Workspace's"},
		"new spec, conveyed":             {ready().generation(2).there(), 2, "it is as the spec asks for"},
		"new spec, the store is down":    {ready().generation(2).failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable), 1, "what was conveyed before stays recorded"},
		"another bucket in its place":    {ready().generation(2).there(another), 1, "a bucket that is not the one with the files"},
		"being deleted, with a new spec": {ready().generation(2).deleting().there(), 1, "nothing is conveyed any more"},
	} {
		t.Run(name, func(t *testing.T) {
			var got int64
			bucket := assess(test.seen.facts).Bucket
			if bucket != nil {
				got = bucket.Generation
			}
			if got != test.want {
				t.Errorf("status.bucket is %+v, want generation %d, because %s", bucket, test.want, test.reason)
			}
			if bucket != nil && !bucket.Created.Equal(new(metav1.NewMicroTime(noon))) {
				t.Errorf("status.bucket.created is %s", bucket.Created)
			}
		})
	}
}

func TestEventBetween(t *testing.T) {
	for name, test := range map[string]struct {
		before, after *situation
		want          string
	}{
		"nothing new":           {ready(), ready(), ""},
		"ready":                 {guarded(), ready(), "Normal Ready"},
		"still waiting":         {fresh(), guarded().there(), ""},
		"lost":                  {ready(), ready().suspected().nothingThere(), "Warning ContentLost"},
		"the store is down":     {guarded(), guarded().failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable), "Warning StoreUnavailable"},
		"without a store":       {fresh(), fresh().without("store"), "Warning NoStore"},
		"its bucket is deleted": {ready(), ready().deleting().without("finalizer").nothingThere(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			after := assess(test.after.facts)
			kind, reason, message := eventBetween(&test.before.object.Status, &after)
			if got := strings.TrimSpace(kind + " " + reason); got != test.want {
				t.Errorf("got %q (%s), want %q", got, message, test.want)
			}
		})
	}
}

func TestRequeueAfter(t *testing.T) {
	for name, test := range map[string]struct {
		seen   *situation
		want   time.Duration
		reason string
	}{
		"up to date":             {ready(), 0, "notifications and the look at all buckets tell of changes"},
		"somebody else's bucket": {guarded().there(foreign), lookAgain, "nobody tells when it goes"},
		"another's Secret":       {guarded().there().otherSecret(), lookAgain, "it is not watched"},
		"locked":                 {ready().there(locked), lookAgain, "somebody may unlock it"},
		"disputed":               {ready().there(differs("max_bytes")).truceUntil(noon.Add(7 * time.Second)), 7 * time.Second, "then it may be put back"},
		"lost":                   {ready().nothingThere(), 0, "it is final"},
		"Secret refused":         {ready().without("secret").secretRetryAfter(time.Second), time.Second, "a refusal has a pace of its own"},
		"Secret refused, the bucket is somebody else's": {ready().there(foreign).without("secret").secretRetryAfter(time.Second), time.Second, "the soonest moment counts"},
		"being deleted": {ready().deleting().there(foreign), 0, "the finalizer is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := requeueAfter(test.seen.facts); got != test.want {
				t.Errorf("requeueAfter() = %s, want %s, because %s", got, test.want, test.reason)
			}
		})
	}
}

func TestPauses(t *testing.T) {
	var p pauses
	now := noon
	for i, want := range []time.Duration{0, 0, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		truce := p.record("1", now, restoring)
		got := max(0, truce.Sub(now))
		if got != want {
			t.Errorf("after %d restores the truce lasts %s, want %s", i+1, got, want)
		}
		now = now.Add(got)
	}
	for range 20 {
		now = p.record("1", now, restoring)
	}
	if got := p.until("1", restoring).Sub(now); got > 0 {
		t.Errorf("a truce lasts until %s after the last one", got)
	}
	if got := p.record("1", now, restoring).Sub(now); got != restoring.Longest {
		t.Errorf("the longest truce lasts %s, want %s", got, restoring.Longest)
	}
	if got := p.record("1", now.Add(time.Hour), restoring); !got.IsZero() {
		t.Errorf("after a calm the truce lasts until %s, want none", got)
	}
	if got := p.until("2", restoring); !got.IsZero() {
		t.Errorf("another bucket has a truce until %s", got)
	}
	for i, want := range []time.Duration{5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond} {
		if got := p.record("3", now, asking).Sub(now); got != want {
			t.Errorf("after %d refusals the next attempt comes after %s, want %s", i+1, got, want)
		}
	}
	if p.forget("3"); !p.until("3", asking).IsZero() {
		t.Error("what was refused is still waited for, although it has been accepted since")
	}
}
