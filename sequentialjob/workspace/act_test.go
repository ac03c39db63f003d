package workspace

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stored is what the API server responds: one Workspace, whatever it is asked for.
type stored struct {
	client.Reader
	object *v1alpha1.Workspace
}

func (s stored) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	s.object.DeepCopyInto(into.(*v1alpha1.Workspace))
	return nil
}

// A user's last word may not have reached the cache yet, even if the cache has shown all that this process has written.
func TestConfirmReadsBeforeWhatCannotBeTakenBack(t *testing.T) {
	for _, test := range []struct {
		next      action
		known     bool // this process has written to the Workspace
		changed   bool // since the cache showed it
		wantStale bool
	}{
		{next: updateBucket, known: false, changed: true, wantStale: true},
		{next: updateBucket, known: true, changed: true, wantStale: false},
		{next: createBucket, known: true, changed: true, wantStale: true},
		{next: deleteBucket, known: true, changed: true, wantStale: true},
		{next: deleteBucket, known: true, changed: false, wantStale: false},
	} {
		cached := guarded().object
		live := cached.DeepCopy()
		if test.changed {
			live.ResourceVersion, live.Generation, live.Spec.DeletionPolicy = "101", 2, v1alpha1.DeletionPolicyRetain
		}
		r := &Reconciler{Live: stored{object: live}}
		if test.known {
			r.versions.expect(cached)
		}
		if err := r.confirm(t.Context(), test.next, cached); isStale(err) != test.wantStale || err != nil && !isStale(err) {
			t.Errorf("%s, known %t, changed %t: confirm returns %v, want stale: %t", test.next, test.known, test.changed, err, test.wantStale)
		}
	}
}
