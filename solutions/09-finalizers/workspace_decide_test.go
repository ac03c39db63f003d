package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestDecideWorkspace(t *testing.T) {
	unavailable := &problem{v1alpha1.ReasonStoreUnavailable, "no response"}
	edited, enriched := ownSecret(), ownSecret()
	edited.Data[v1alpha1.BindingURL] = []byte("nats://elsewhere:4222")
	enriched.Data["NOTE"] = []byte("ours")
	for name, test := range map[string]struct {
		object  *v1alpha1.Workspace
		looked  bool
		bucket  *bucket
		secret  *corev1.Secret
		problem *problem
		refusal string        // of the Secret, in this reconcile
		retryIn time.Duration // until the Secret may be tried again
		want    workspaceAction
		reason  string
	}{
		"new":                         {object: makeWorkspace(unfinalized), want: addFinalizer, reason: "nothing may be outside that only a deleted object knows of"},
		"with the finalizer":          {object: makeWorkspace(), want: look, reason: "an earlier process may have created the bucket"},
		"no bucket":                   {object: makeWorkspace(), looked: true, want: createBucket, reason: "the store says that there is none"},
		"the bucket is there":         {object: makeWorkspace(), looked: true, bucket: own(), want: createSecret, reason: "programs need it"},
		"another owner's bucket":      {object: makeWorkspace(), looked: true, bucket: own(ofAnother), want: nothingToDo, reason: "it is not ours to use or to change"},
		"a foreign Secret":            {object: makeWorkspace(), looked: true, bucket: own(), secret: foreignSecret(), want: nothingToDo, reason: "it is not ours to change"},
		"the store has not responded": {object: makeWorkspace(), problem: unavailable, want: nothingToDo, reason: "the next attempt comes later"},

		"up to date":            {object: makeWorkspace(ready), secret: ownSecret(), want: nothingToDo, reason: "the status says all that has to be known"},
		"the Secret is gone":    {object: makeWorkspace(ready), want: createSecret, reason: "an event told of it, and the store need not be asked"},
		"the Secret was edited": {object: makeWorkspace(ready), secret: edited, want: updateSecret, reason: "programs would use another store"},
		"others' entries":       {object: makeWorkspace(ready), secret: enriched, want: nothingToDo, reason: "it has all that a program needs"},
		"the Secret is gone, and the store has not responded": {object: makeWorkspace(ready, grown), problem: unavailable, want: createSecret, reason: "programs use the bucket as it is"},
		"the Secret is refused":                               {object: makeWorkspace(ready), refusal: "exceeded quota", want: nothingToDo, reason: "it is tried again later"},
		"the Secret was refused":                              {object: makeWorkspace(ready), retryIn: time.Second, want: nothingToDo, reason: "the event of a status write must not bring the next attempt"},
		"another capacity":                                    {object: makeWorkspace(ready, grown), secret: ownSecret(), want: look, reason: "the store does not know of it yet"},
		"another capacity, looked":                            {object: makeWorkspace(ready, grown), looked: true, bucket: own(), secret: ownSecret(), want: updateBucket, reason: "the bucket has the one before"},
		"the bucket was deleted":                              {object: makeWorkspace(ready, grown), looked: true, secret: ownSecret(), want: nothingToDo, reason: "an empty bucket would look like the one with the files"},
		"the bucket was replaced":                             {object: makeWorkspace(ready, grown), looked: true, bucket: own(later), secret: ownSecret(), want: nothingToDo, reason: "it does not have the files"},
		"another owner took the name":                         {object: makeWorkspace(ready, grown), looked: true, bucket: own(ofAnother), secret: ownSecret(), want: nothingToDo, reason: "it is not ours to change"},

		"going":                              {object: makeWorkspace(ready, going), want: look, reason: "what is there has to be known"},
		"going, with its bucket":             {object: makeWorkspace(ready, going), looked: true, bucket: own(), want: deleteBucket, reason: "the bucket goes first"},
		"going, the bucket is gone":          {object: makeWorkspace(ready, going), looked: true, want: removeFinalizer, reason: "the store says so"},
		"going, another owner's bucket":      {object: makeWorkspace(ready, going), looked: true, bucket: own(ofAnother), want: removeFinalizer, reason: "it is not ours to delete, and not ours to wait for"},
		"going, the store has not responded": {object: makeWorkspace(ready, going), problem: unavailable, want: nothingToDo, reason: "nobody knows whether the bucket is gone"},
		"going, and the bucket stays":        {object: makeWorkspace(ready, going, retained), want: removeFinalizer, reason: "there is nothing to clean up"},
		"going, without our finalizer":       {object: makeWorkspace(ready, going, unfinalized), want: nothingToDo, reason: "others keep it, and all is done"},
		"going before it was begun":          {object: makeWorkspace(going, unfinalized), want: nothingToDo, reason: "the API server would refuse a new finalizer"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := workspaceFacts{now: noon, object: test.object, url: storeURL, looked: test.looked, bucket: test.bucket, secret: test.secret, problem: test.problem}
			seen.secretRefusal, seen.retryAt = test.refusal, metav1.NewTime(noon.Add(test.retryIn))
			if next := decideWorkspace(seen); next != test.want {
				t.Errorf("decided to %s, want to %s: %s", next, test.want, test.reason)
			}
		})
	}
}
