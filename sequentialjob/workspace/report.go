package workspace

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/internal/admission"
)

// report writes the status if it changed, and then sends the events about what it says.
func (r *Reconciler) report(ctx context.Context, seen facts, status v1alpha1.WorkspaceStatus) error {
	gone := beingDeleted(seen.object) && len(seen.object.Finalizers) == 0
	if gone || equality.Semantic.DeepEqual(seen.object.Status, status) {
		return nil
	}
	object := seen.object.DeepCopy()
	object.Status = status
	patch := client.MergeFromWithOptions(seen.object, client.MergeFromWithOptimisticLock{})
	err := r.Status().Patch(ctx, object, patch)
	if seen.looked && err != nil && !admission.Gone(err) { // of an object that is gone, nothing must stay here
		r.suspects.add(object.UID) // or the next reconcile would believe the old status, and what was found would be forgotten
	}
	if err = staleIfBehind(err); isStale(err) {
		return nil // the event of what has changed is on its way
	}
	if err != nil {
		return fmt.Errorf("writing the status of Workspace %s: %w", object.Name, err)
	}
	r.versions.expect(object)
	if kind, reason, message := eventBetween(&seen.object.Status, &status); reason != "" {
		r.Recorder.Eventf(object, nil, kind, reason, "Reconcile", "%s", message)
	}
	return nil
}

// eventBetween returns what one status says that the one before did not, and that a user may need to know; no reason for nothing.
func eventBetween(before, after *v1alpha1.WorkspaceStatus) (kind, reason, message string) {
	was, is := meta.FindStatusCondition(before.Conditions, v1alpha1.ConditionReady), meta.FindStatusCondition(after.Conditions, v1alpha1.ConditionReady)
	if was != nil && was.Status == is.Status && was.Reason == is.Reason {
		return "", "", ""
	}
	switch {
	case is.Status == metav1.ConditionTrue:
		return corev1.EventTypeNormal, is.Reason, is.Message
	case is.Reason == v1alpha1.ReasonPending, is.Reason == v1alpha1.ReasonDeleted, is.Reason == v1alpha1.ReasonRetained:
		return "", "", ""
	default:
		return corev1.EventTypeWarning, is.Reason, is.Message
	}
}

// sendRestored says that settings of the bucket were put back. The status shows no trace of that.
func (r *Reconciler) sendRestored(object *v1alpha1.Workspace, settings []string) {
	restoredTotal.Inc()
	r.Recorder.Eventf(object, nil, corev1.EventTypeWarning, "Restored", "UpdateBucket",
		"somebody had changed %s of bucket %s; it is as the spec asks for again", strings.Join(settings, ", "), v1alpha1.BucketName(object.UID))
}
