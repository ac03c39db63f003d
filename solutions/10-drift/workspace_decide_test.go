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
	soon := noon.Add(time.Second)
	for name, test := range map[string]struct {
		object    *v1alpha1.Workspace
		way       way // notify where it is empty
		suspect   bool
		looked    bool
		bucket    *bucket
		reapplied bool
		truce     time.Time
		secret    *corev1.Secret
		problem   *problem
		refusal   string        // of the Secret, in this reconcile
		retryIn   time.Duration // until the Secret may be tried again
		want      workspaceAction
		reason    string
	}{
		"new":                         {object: makeWorkspace(unfinalized), want: addFinalizer, reason: "nothing may be outside that only a deleted object knows of"},
		"with the finalizer":          {object: makeWorkspace(), want: look, reason: "an earlier process may have created the bucket"},
		"no bucket":                   {object: makeWorkspace(), looked: true, want: createBucket, reason: "the store says that there is none"},
		"a new bucket":                {object: makeWorkspace(), looked: true, bucket: own(blank), want: anchorBucket, reason: "it would look like one that was emptied"},
		"a new bucket, purged":        {object: makeWorkspace(), looked: true, bucket: own(emptied), want: anchorBucket, reason: "nothing has relied on it yet, and its anchor is gone"},
		"the bucket is there":         {object: makeWorkspace(), looked: true, bucket: own(), want: createSecret, reason: "programs need it"},
		"another owner's bucket":      {object: makeWorkspace(), looked: true, bucket: own(ofAnother), want: nothingToDo, reason: "it is not ours to use or to change"},
		"a foreign Secret":            {object: makeWorkspace(), looked: true, bucket: own(), secret: foreignSecret(), want: nothingToDo, reason: "it is not ours to change"},
		"the store has not responded": {object: makeWorkspace(), problem: unavailable, want: nothingToDo, reason: "the next attempt comes later"},

		"up to date":                  {object: makeWorkspace(ready), secret: ownSecret(), want: nothingToDo, reason: "the status says all that has to be known"},
		"the Secret is gone":          {object: makeWorkspace(ready), want: createSecret, reason: "an event told of it, and the store need not be asked"},
		"the Secret was edited":       {object: makeWorkspace(ready), secret: edited, want: updateSecret, reason: "programs would use another store"},
		"others' entries":             {object: makeWorkspace(ready), secret: enriched, want: nothingToDo, reason: "it has all that a program needs"},
		"another capacity":            {object: makeWorkspace(ready, grown), secret: ownSecret(), want: look, reason: "the store does not know of it yet"},
		"another capacity, looked":    {object: makeWorkspace(ready, grown), looked: true, bucket: own(), secret: ownSecret(), want: updateBucket, reason: "the bucket has the one before"},
		"the bucket was deleted":      {object: makeWorkspace(ready, grown), looked: true, secret: ownSecret(), want: nothingToDo, reason: "an empty bucket would look like the one with the files"},
		"another owner took the name": {object: makeWorkspace(ready, grown), looked: true, bucket: own(ofAnother), secret: ownSecret(), want: nothingToDo, reason: "it is not ours to change"},
		"the Secret is gone, and the store has not responded": {object: makeWorkspace(ready, grown), problem: unavailable, want: createSecret, reason: "programs use the bucket as it is"},
		"the Secret is refused":                               {object: makeWorkspace(ready), refusal: "exceeded quota", want: nothingToDo, reason: "it is tried again later"},
		"the Secret was refused":                              {object: makeWorkspace(ready), retryIn: time.Second, want: nothingToDo, reason: "the event of a status write must not bring the next attempt"},

		"polls":                       {object: makeWorkspace(ready), way: poll, secret: ownSecret(), want: look, reason: "nobody else looks"},
		"polled, and nothing differs": {object: makeWorkspace(ready), way: poll, looked: true, bucket: own(), secret: ownSecret(), want: nothingToDo, reason: "what has not changed is not written"},
		"reapplies":                   {object: makeWorkspace(ready), way: reapply, looked: true, bucket: own(), secret: ownSecret(), want: updateBucket, reason: "it is sent whether or not it differs"},
		"has reapplied":               {object: makeWorkspace(ready), way: reapply, looked: true, bucket: own(), reapplied: true, secret: ownSecret(), want: nothingToDo, reason: "a reconcile has to end"},
		"reapplies, not to another's": {object: makeWorkspace(ready), way: reapply, looked: true, bucket: own(ofAnother), secret: ownSecret(), want: nothingToDo, reason: "an update would take the bucket over"},
		"a suspect":                   {object: makeWorkspace(ready), suspect: true, secret: ownSecret(), want: look, reason: "something has told that the bucket has changed"},
		"somebody changed the limit":  {object: makeWorkspace(ready), suspect: true, looked: true, bucket: own(shrunk), secret: ownSecret(), want: updateBucket, reason: "it can be put back"},
		"somebody sealed it":          {object: makeWorkspace(ready), suspect: true, looked: true, bucket: own(sealed, shrunk), secret: ownSecret(), want: nothingToDo, reason: "the store would refuse any update"},
		"nothing was ever in it":      {object: makeWorkspace(ready), suspect: true, looked: true, bucket: own(blank), secret: ownSecret(), want: nothingToDo, reason: "the store has lost its anchor, and with it all files"},
		"somebody purged it":          {object: makeWorkspace(ready), suspect: true, looked: true, bucket: own(emptied, shrunk), secret: ownSecret(), want: nothingToDo, reason: "the files are lost, and that is final"},
		"somebody keeps changing it":  {object: makeWorkspace(ready), suspect: true, looked: true, bucket: own(shrunk), truce: soon, secret: ownSecret(), want: nothingToDo, reason: "putting it back again changes nothing"},
		"disputed, and a new spec":    {object: makeWorkspace(ready, grown), looked: true, bucket: own(shrunk), truce: soon, secret: ownSecret(), want: updateBucket, reason: "a user waits for it"},
		"the truce is over":           {object: makeWorkspace(ready), suspect: true, looked: true, bucket: own(shrunk), truce: noon.Time, secret: ownSecret(), want: updateBucket, reason: "they may have stopped"},

		"going":                              {object: makeWorkspace(ready, going), want: look, reason: "what is there has to be known"},
		"going, with its bucket":             {object: makeWorkspace(ready, going), looked: true, bucket: own(), want: deleteBucket, reason: "the bucket goes first"},
		"going, the bucket is gone":          {object: makeWorkspace(ready, going), looked: true, want: removeFinalizer, reason: "the store says so"},
		"going, another owner's bucket":      {object: makeWorkspace(ready, going), looked: true, bucket: own(ofAnother), want: removeFinalizer, reason: "it is not ours to delete, and not ours to wait for"},
		"going, the store has not responded": {object: makeWorkspace(ready, going), problem: unavailable, want: nothingToDo, reason: "nobody knows whether the bucket is gone"},
		"going, and the bucket is to stay":   {object: makeWorkspace(ready, going, retained), looked: true, bucket: own(), want: retainBucket, reason: "it would be taken for an orphan"},
		"going, and the bucket says so":      {object: makeWorkspace(ready, going, retained), looked: true, bucket: own(keptLater), want: removeFinalizer, reason: "nothing is left to do"},
		"going, and it is sealed":            {object: makeWorkspace(ready, going, retained), looked: true, bucket: own(sealed), want: retainBucket, reason: "it would be taken for an orphan too"},
		"going, without our finalizer":       {object: makeWorkspace(ready, going, unfinalized), want: nothingToDo, reason: "others keep it, and all is done"},
		"going before it was begun":          {object: makeWorkspace(going, unfinalized), want: nothingToDo, reason: "the API server would refuse a new finalizer"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.way == "" {
				test.way = notify
			}
			seen := workspaceFacts{
				now: noon, object: test.object, url: storeURL, cluster: here, drift: drift{way: test.way, interval: time.Hour}, suspect: test.suspect,
				looked: test.looked, bucket: test.bucket, reapplied: test.reapplied, truce: test.truce, secret: test.secret, problem: test.problem,
			}
			seen.secretRefusal, seen.retryAt = test.refusal, metav1.NewTime(noon.Add(test.retryIn))
			if next := decideWorkspace(seen); next != test.want {
				t.Errorf("decided to %s, want to %s: %s", next, test.want, test.reason)
			}
		})
	}
}
