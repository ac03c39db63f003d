package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestAssessWorkspace(t *testing.T) {
	unavailable := &problem{v1alpha1.ReasonStoreUnavailable, "no response"}
	for name, test := range map[string]struct {
		object       *v1alpha1.Workspace
		looked       bool
		bucket       *bucket
		truce        time.Time
		reapplied    bool
		secret       *corev1.Secret
		problem      *problem
		want         metav1.ConditionStatus
		wantReason   string
		wantConveyed int64 // 0 for no bucket in the status
		reason       string
	}{
		"new": {
			object: makeWorkspace(), want: metav1.ConditionUnknown, wantReason: v1alpha1.ReasonPending,
			reason: "all conditions are there from the first status on",
		},
		"all is there": {
			object: makeWorkspace(), looked: true, bucket: own(), secret: ownSecret(),
			want: metav1.ConditionTrue, wantReason: v1alpha1.ReasonReady, wantConveyed: 1,
			reason: "the store has said so",
		},
		"no Secret yet": {
			object: makeWorkspace(), looked: true, bucket: own(), want: metav1.ConditionUnknown, wantReason: v1alpha1.ReasonPending, wantConveyed: 1,
			reason: "programs could not use the bucket",
		},
		"up to date": {
			object: makeWorkspace(ready), secret: ownSecret(), want: metav1.ConditionTrue, wantReason: v1alpha1.ReasonReady, wantConveyed: 1,
			reason: "nothing has changed",
		},
		"another capacity, and the store does not respond": {
			object: makeWorkspace(ready, grown), secret: ownSecret(), problem: unavailable,
			want: metav1.ConditionUnknown, wantReason: v1alpha1.ReasonStoreUnavailable, wantConveyed: 1,
			reason: "the status is about the new generation, and the store does not have it",
		},
		"the bucket was deleted": {
			object: makeWorkspace(ready, grown), looked: true, secret: ownSecret(),
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonContentLost, wantConveyed: 1,
			reason: "files are lost",
		},
		"another owner's bucket": {
			object: makeWorkspace(), looked: true, bucket: own(ofAnother), want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonBucketConflict,
			reason: "a user has to act",
		},
		"another owner's Secret": {
			object: makeWorkspace(), looked: true, bucket: own(), secret: foreignSecret(),
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonSecretConflict, wantConveyed: 1,
			reason: "a user has to act",
		},
		"somebody sealed it": {
			object: makeWorkspace(ready), looked: true, bucket: own(sealed), secret: ownSecret(),
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonCannotRestore, wantConveyed: 1,
			reason: "nobody can put that back, so a user has to act",
		},
		"sealed, another capacity, and the store does not respond": {
			object: makeWorkspace(ready, foundSealed, grown), secret: ownSecret(), problem: unavailable,
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonCannotRestore, wantConveyed: 1,
			reason: "a new spec does not change what the last look has found",
		},
		"somebody created it again": {
			object: makeWorkspace(ready), looked: true, bucket: own(later), secret: ownSecret(),
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonContentLost, wantConveyed: 1,
			reason: "it has the settings and the mark, and no files",
		},
		"somebody emptied it": {
			object: makeWorkspace(ready), looked: true, bucket: own(emptied), secret: ownSecret(),
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonContentLost, wantConveyed: 1,
			reason: "an empty bucket looks like the one with the files",
		},
		"somebody keeps changing it": {
			object: makeWorkspace(ready), looked: true, bucket: own(shrunk), truce: noon.Add(time.Second), secret: ownSecret(),
			want: metav1.ConditionFalse, wantReason: v1alpha1.ReasonDisputed, wantConveyed: 1,
			reason: "users have to know why nobody puts the setting back",
		},
		"put back, and changed again": {
			object: makeWorkspace(ready), looked: true, bucket: own(shrunk), reapplied: true, secret: ownSecret(),
			want: metav1.ConditionTrue, wantReason: v1alpha1.ReasonReady, wantConveyed: 1,
			reason: "it was put back, and is again as soon as the reconcile is retried",
		},
		"another capacity, which somebody has changed already": {
			object: makeWorkspace(ready, grown), looked: true, bucket: own(shrunk), reapplied: true, secret: ownSecret(),
			want: metav1.ConditionUnknown, wantReason: v1alpha1.ReasonPending, wantConveyed: 1,
			reason: "the store has not had this spec when anybody looked",
		},
		"a suspect, and the store does not respond": {
			object: makeWorkspace(ready), secret: ownSecret(), problem: unavailable, want: metav1.ConditionTrue, wantReason: v1alpha1.ReasonReady, wantConveyed: 1,
			reason: "a store that does not respond says nothing about the bucket",
		},
		"going, and the store does not respond": {
			object: makeWorkspace(ready, going), problem: unavailable, want: metav1.ConditionUnknown, wantReason: v1alpha1.ReasonStoreUnavailable, wantConveyed: 1,
			reason: "the summary says what it waits for",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := workspaceFacts{now: noon, object: test.object, url: storeURL, cluster: here, looked: test.looked, bucket: test.bucket, truce: test.truce, reapplied: test.reapplied, secret: test.secret, problem: test.problem}
			status := assessWorkspace(seen)
			summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
			if summary.Status != test.want || summary.Reason != test.wantReason || summary.ObservedGeneration != test.object.Generation {
				t.Errorf("Ready is %+v, want %s with reason %s about generation %d: %s", summary, test.want, test.wantReason, test.object.Generation, test.reason)
			}
			conveyed := int64(0)
			if status.Bucket != nil {
				conveyed = status.Bucket.Generation
			}
			if conveyed != test.wantConveyed || status.ObservedGeneration != test.object.Generation {
				t.Errorf("generation %d is recorded as conveyed and %d as observed, want %d and %d: %s", conveyed, status.ObservedGeneration, test.wantConveyed, test.object.Generation, test.reason)
			}
		})
	}
}

// What is lost stays lost, even if a reconcile has not looked.
func TestLossIsFinal(t *testing.T) {
	object := makeWorkspace(ready, grown)
	object.Status = assessWorkspace(workspaceFacts{now: noon, object: object, url: storeURL, cluster: here, looked: true, secret: ownSecret()})
	status := assessWorkspace(workspaceFacts{now: noon, object: object, url: storeURL, cluster: here, secret: ownSecret(), problem: &problem{v1alpha1.ReasonStoreUnavailable, "no response"}})
	if condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionBucketReady); condition.Reason != v1alpha1.ReasonContentLost {
		t.Errorf("BucketReady is %+v, want the reason %s", condition, v1alpha1.ReasonContentLost)
	}
}
