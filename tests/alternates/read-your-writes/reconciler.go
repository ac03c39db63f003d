package main

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/recorder"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

const (
	// cachePatience is how long the cache may take to show what was written. It may never show it: if the
	// object was deleted while the watch was down, no event has the resourceVersion that the client waits for.
	cachePatience = 5 * time.Second
	// nameRetry is how often to check whether a foreign Job still exists.
	nameRetry = 5 * time.Second
)

type reconciler struct {
	client.Client
	live     client.Reader
	recorder recorder.EventRecorder
	pace     *pace
}

// Reconcile reconciles one object.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.SequentialJob{}
	if err := r.read(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	wait, err := r.reconcile(ctx, object)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: wait}, nil
}

// reconcile returns when to requeue even if no event arrives.
func (r *reconciler) reconcile(ctx context.Context, object *v1alpha1.SequentialJob) (time.Duration, error) {
	var refused *refusal      // why the step's Job could not be created, until the status says so
	gone := false             // whether the API server has said that there is no Job
	for current := false; ; { // whether the object is known to be as it was read
		if ptr.Deref(object.Spec.ManagedBy, v1alpha1.ControllerName) != v1alpha1.ControllerName || object.DeletionTimestamp != nil {
			return 0, nil
		}
		seen, err := r.look(ctx, object, gone)
		if err != nil {
			return 0, err
		}
		seen.refused = refused
		status, due := seen.assess()
		pause := r.pace.left(object.UID)
		switch {
		case !equality.Semantic.DeepEqual(status, object.Status):
			written, err := r.applyStatus(ctx, object, status)
			if apierrors.IsConflict(err) { // somebody has written to it since, which the cache may show late
				written = &v1alpha1.SequentialJob{}
				err = r.live.Get(ctx, client.ObjectKeyFromObject(object), written)
			} else {
				refused = nil // the status says so now
			}
			if err != nil {
				return 0, client.IgnoreNotFound(err)
			}
			object, current = written, true
		case due == nothing:
			return seen.wait(), nil
		case due == createJob && pause > 0:
			if wait := seen.wait(); wait > 0 {
				pause = min(pause, wait)
			}
			return pause, nil
		case !current:
			live := &v1alpha1.SequentialJob{}
			if err := r.live.Get(ctx, client.ObjectKeyFromObject(object), live); err != nil {
				return 0, client.IgnoreNotFound(err)
			}
			object, current = live, true
		case due == deleteObject:
			return 0, client.IgnoreNotFound(r.deleteAsSeen(ctx, object, metav1.DeletePropagationBackground))
		case due == createJob:
			if refused, err = r.createJob(ctx, object); err != nil {
				return 0, err
			}
		case due == stopJob:
			err := r.deleteAsSeen(ctx, seen.job, metav1.DeletePropagationForeground)
			if gone = apierrors.IsNotFound(err); gone {
				continue // the status must record it
			}
			return seen.wait(), err
		default:
			return seen.wait(), r.applySuspend(ctx, seen.job, due == suspendJob)
		}
	}
}

// look finds the current step's Job. It reads from the API server what the cache may show wrongly, and a Job that is gone.
func (r *reconciler) look(ctx context.Context, object *v1alpha1.SequentialJob, gone bool) (view, error) {
	seen := view{now: time.Now(), object: object}
	step := current(object.Status.Steps)
	if ended(&object.Status) || step == nil || step.JobName == "" {
		return seen, nil
	}
	key := client.ObjectKey{Namespace: object.Namespace, Name: step.JobName}
	job := &batchv1.Job{}
	err := r.read(ctx, key, job)
	if gone || err != nil || !metav1.IsControlledBy(job, object) || step.JobUID != "" && step.JobUID != job.UID || !seen.lasts(job) {
		job = &batchv1.Job{}
		err = r.live.Get(ctx, key, job)
	}
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		return seen, err
	case metav1.IsControlledBy(job, object):
		seen.job = job
	default:
		seen.foreign = job
	}
	return seen, nil
}

// lasts says whether what the cache shows of a Job still holds, however stale it is: that it has ended, or that it runs where
// nothing has been suspended, or that it has stopped where the status says so already.
func (v view) lasts(job *batchv1.Job) bool {
	switch condition := meta.FindStatusCondition(v.object.Status.Conditions, v1alpha1.ConditionSuspended); {
	case conditionOf(job, batchv1.JobComplete) != nil, conditionOf(job, batchv1.JobFailed) != nil:
		return true
	case v.suspendAsked() && v.paused():
		return condition.ObservedGeneration == v.object.Generation && stopped(job)
	default:
		return !v.suspendAsked() && !v.paused() && !suspendWanted(job)
	}
}

// read waits until the cache shows what this process has written, and reads from it. If that takes too long,
// it reads from the API server.
func (r *reconciler) read(ctx context.Context, key types.NamespacedName, object client.Object) error {
	patient, cancel := context.WithTimeout(ctx, cachePatience)
	defer cancel()
	err := r.Get(patient, key, object)
	if err != nil && patient.Err() != nil && ctx.Err() == nil {
		return r.live.Get(ctx, key, object)
	}
	return err
}

// deleteAsSeen deletes an object only if it is still as it was read.
func (r *reconciler) deleteAsSeen(ctx context.Context, object client.Object, policy metav1.DeletionPropagation) error {
	asSeen := client.Preconditions{UID: new(object.GetUID()), ResourceVersion: new(object.GetResourceVersion())}
	return r.Delete(ctx, object, asSeen, client.PropagationPolicy(policy))
}
