package main

import (
	"context"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// report writes the status if it changed.
func (r *reconciler) report(ctx context.Context, object *v1alpha1.SequentialJob, status v1alpha1.SequentialJobStatus) error {
	// TODO(report): Write the status, as one request, unless it is what it was.
	// The write must not touch anything else of the object, and must hold only for the object as it
	// was read: the ledger is not written over what somebody else has written since.
	return nil
}
