package main

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// act does what decide has chosen, and returns the facts as they are afterwards.
func (r *reconciler) act(ctx context.Context, seen facts, next action, step *v1alpha1.Step) (facts, error) {
	switch next {
	case createJob:
		return r.createJob(ctx, seen, step)
	case suspendJob, resumeJob:
		return r.setJobSuspend(ctx, seen, step, next == suspendJob)
	case stopJob:
		return seen, r.stopJob(ctx, seen.jobs[step.Name])
	case stopLateJob:
		return seen, r.stopJob(ctx, seen.late)
	case deleteObject:
		return seen, r.deleteObject(ctx, seen.object)
	default:
		return seen, nil
	}
}

func (r *reconciler) createJob(ctx context.Context, seen facts, step *v1alpha1.Step) (facts, error) {
	if waitsToRetry(seen) {
		return seen, nil
	}
	job := newJob(seen.object, step)
	if err := r.Create(ctx, job); err != nil {
		//exercise:begin namespace A refused Job must not hold this worker: all other objects wait for it.
		//exercise:task What does the role allow for this kind, and what does the cache do then? Ask, too, whether the
		//exercise:task answer is not in err already.
		//exercise:starter namespace := &corev1.Namespace{}
		//exercise:starter if r.Get(ctx, client.ObjectKey{Name: seen.object.Namespace}, namespace) == nil && beingDeleted(namespace) {
		//exercise:starter 	return seen, nil // no Job can be created there any more
		//exercise:starter }
		//exercise:import corev1 "k8s.io/api/core/v1"
		//exercise:end
		seen.refusal = refusalOf(err, job)
		if seen.refusal != nil && seen.refusal.final {
			r.retries.forget(client.ObjectKeyFromObject(seen.object))
			return seen, nil // the step has failed, which the status reports; a retry would change nothing
		}
		err = fmt.Errorf("creating the Job of step %s: %w", step.Name, err)
		if seen.refusal != nil {
			return r.retryLater(ctx, seen, err), nil
		}
		return seen, err
	}
	ctrl.LoggerFrom(ctx).Info("created the step's Job", "step", step.Name, "job", job.Name)
	seen.jobs[step.Name] = job
	return seen, nil
}

// exactly makes a deletion valid only for the object that was read, in the state in which it was read. Another
// object of the same name has another UID.
func exactly(object client.Object) client.Preconditions {
	uid, resourceVersion := object.GetUID(), object.GetResourceVersion()
	return client.Preconditions{UID: &uid, ResourceVersion: &resourceVersion}
}
