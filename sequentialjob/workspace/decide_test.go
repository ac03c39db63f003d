package workspace

import (
	"testing"
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDecide(t *testing.T) {
	for name, test := range map[string]struct {
		seen   *situation
		want   action
		reason string
	}{
		"new":                        {fresh(), addFinalizer, "the object must not go once something outside exists"},
		"new, without a store":       {fresh().without("store"), doNothing, "without a store, nothing outside has to be removed"},
		"with the finalizer":         {guarded(), look, "an earlier request may have created the bucket"},
		"there is no bucket":         {guarded().nothingThere(), createBucket, "that is what the spec asks for"},
		"an earlier bucket is there": {guarded().there(), createSecret, "the response to its creation was lost"},
		"it is blank":                {guarded().there(blank), anchorBucket, "or a put that fails would look like a purge"},
		"it was emptied":             {guarded().there(emptied), anchorBucket, "no status relied on what was in it"},
		"it differs, and is blank":   {guarded().there(blank, differs("retention")), updateBucket, "with such settings the store may not keep an anchor"},
		"it differs":                 {guarded().there(differs("max_bytes")), updateBucket, "the spec was changed before it was recorded"},
		"it is somebody else's":      {guarded().there(foreign), doNothing, "neither changed nor taken over"},
		"it is locked":               {guarded().there(locked), doNothing, "only deleting it would help, with all files"},
		"the store refused":          {guarded().failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreRefused), doNothing, "after an error a later reconcile begins with a look"},

		"up to date":                          {ready(), doNothing, "what was conveyed is recorded, so the store need not be asked"},
		"up to date, without its Secret":      {ready().without("secret"), createSecret, "somebody has deleted it"},
		"up to date, Secret changed":          {ready().changedSecret(), updateSecret, "programs couldn't find the bucket"},
		"up to date, another owner's Secret":  {ready().otherSecret(), doNothing, "it is left alone"},
		"new spec, the store doesn't respond": {ready().generation(2).failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable), doNothing, "a later reconcile begins with a look"},
		"new spec is refused, no Secret": {ready().generation(2).there(differs("max_bytes")).failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreRefused).without("secret"), createSecret,
			"programs still use the bucket as it is"},
		"suspected, the store doesn't respond, no Secret": {ready().suspected().failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable).without("secret"), createSecret,
			"a pod without it doesn't start, also once the store is back"},
		"the same, and the Secret is refused": {ready().suspected().failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable).failed(v1alpha1.ConditionBindingReady, v1alpha1.ReasonSecretRefused).without("secret"), doNothing,
			"both are tried again later"},
		"another's bucket when last seen, the store doesn't respond, no Secret": {ready().condition(v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict).
			failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable).without("secret"), doNothing, "a Secret would point to somebody else's bucket"},
		"never had a bucket, the store doesn't respond": {guarded().failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable), doNothing, "a Secret would point to nothing"},
		"drifted, disputed, no Secret":                  {ready().suspected().there(differs("max_bytes")).truceUntil(noon.Add(time.Second)).without("secret"), createSecret, "the bucket has its files"},
		"no Secret, refused a moment ago":               {ready().without("secret").secretRetryAfter(time.Second), doNothing, "the event of the status write must not bring the next attempt at once"},
		"no Secret, refused a while ago":                {ready().without("secret").secretRetryAfter(0), createSecret, "the quota may have been raised"},
		"locked, no Secret":                             {ready().suspected().there(locked).without("secret"), doNothing, "the Workspace can't be used"},
		"lost, no Secret":                               {ready().suspected().nothingThere().without("secret"), doNothing, "there is nothing to use"},
		"new spec":                                      {ready().generation(2), look, "it has not been conveyed"},
		"new spec, looked":                              {ready().generation(2).there(differs("max_bytes")), updateBucket, "it has not been conveyed"},
		"suspected":                                     {ready().suspected(), look, "the store has told of a change"},
		"suspected, and as it was":                      {ready().suspected().there(), doNothing, "the store also reports updates that change nothing"},
		"suspected, and drifted":                        {ready().suspected().there(differs("max_bytes")), updateBucket, "a setting can be put back without loss"},
		"drifted, disputed":                             {ready().suspected().there(differs("max_bytes")).truceUntil(noon.Add(time.Second)), doNothing, "two who put back against each other don't stop by themselves"},
		"drifted, truce is over":                        {ready().suspected().there(differs("max_bytes")).truceUntil(noon), updateBucket, "the wait is over"},
		"new spec, disputed":                            {ready().generation(2).there(differs("max_bytes")).truceUntil(noon.Add(time.Second)), updateBucket, "the user's own change doesn't wait"},
		"suspected, and the bucket is gone":             {ready().suspected().nothingThere(), doNothing, "an empty bucket would pass for the lost one"},
		"suspected, and it is another bucket":           {ready().suspected().there(another), doNothing, "the files are not in there"},
		"suspected, and all files are gone":             {ready().suspected().there(emptied), doNothing, "putting settings back doesn't bring files back"},
		"lost":                                          {ready().condition(v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost).generation(2), doNothing, "it is final, also with a new spec"},
		"not ready when last seen":                      {ready().condition(v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict), look, "the bucket may have its mark again"},

		"deleting":                                 {ready().deleting(), look, "the status may be old, and says nothing of what happened since"},
		"deleting, before anything was done":       {fresh().deleting(), doNothing, "without a finalizer there is nothing to do"},
		"deleting, bucket there":                   {ready().deleting().there(), deleteBucket, "nothing else would"},
		"deleting, bucket locked":                  {ready().deleting().there(locked), deleteBucket, "a sealed bucket can be deleted"},
		"deleting, bucket gone":                    {ready().deleting().nothingThere(), removeFinalizer, "the store has said so"},
		"deleting, another of that name, our mark": {ready().deleting().there(another), deleteBucket, "the mark says whose it is"},
		"deleting, bucket of somebody else":        {ready().deleting().there(foreign), removeFinalizer, "nothing of ours is left"},
		"deleting, the store does not respond":     {ready().deleting().failed(v1alpha1.ConditionBucketReady, v1alpha1.ReasonStoreUnavailable), doNothing, "nobody knows whether the bucket is gone"},
		"deleting, without a store":                {ready().deleting().without("store"), doNothing, "nobody can say whether the bucket is gone"},
		"deleting, to retain":                      {ready().retain().deleting().there(kept), removeFinalizer, "its mark says that it stays"},
		"deleting, to retain, the mark is old":     {ready().retain().deleting().there(differs("metadata")), retainBucket, "a sweep would take it for an orphan"},
		"deleting, to retain, and it is sealed":    {ready().retain().deleting().there(differs("metadata"), locked), retainBucket, "the store takes the mark, and it would be swept too"},
		"deleting, to retain, and it is gone":      {ready().retain().deleting().nothingThere(), removeFinalizer, "nothing is left to keep"},
		"deleting, lost":                           {ready().condition(v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost).deleting().there(another), deleteBucket, "what is there has our mark"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := decide(test.seen.facts); got != test.want {
				t.Errorf("decide() = %q, want %q, because %s", got, test.want, test.reason)
			}
		})
	}
}
