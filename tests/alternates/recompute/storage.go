package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// storageName is the name of the Workspace that a run uses; empty for none.
func storageName(object *v1alpha1.SequentialJob) string {
	switch {
	case object.Spec.Workspace == nil:
		return ""
	case object.Spec.Workspace.Name != nil:
		return *object.Spec.Workspace.Name
	}
	return object.Name
}

func ownsStorage(object *v1alpha1.SequentialJob) bool {
	return object.Spec.Workspace != nil && object.Spec.Workspace.Name == nil
}

// lookAtStorage reads the Workspace of the name that the run uses; nil for none.
func (r *runner) lookAtStorage(ctx context.Context, object *v1alpha1.SequentialJob) (*v1alpha1.Workspace, error) {
	if storageName(object) == "" {
		return nil, nil
	}
	storage := &v1alpha1.Workspace{}
	err := r.live.Get(ctx, client.ObjectKey{Namespace: object.Namespace, Name: storageName(object)}, storage)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return storage, err
}

// storageState is the condition WorkspaceReady. Gone says that what the run relies on does not come back.
func (s sight) storageState() (condition metav1.Condition, gone bool) {
	condition = metav1.Condition{Type: v1alpha1.ConditionWorkspaceReady, Status: metav1.ConditionFalse}
	relied := s.object.Status.Workspace != nil && s.object.Status.Workspace.UID != ""
	ready := &metav1.Condition{}
	if s.storage != nil {
		if found := meta.FindStatusCondition(s.storage.Status.Conditions, v1alpha1.ConditionReady); found != nil {
			ready = found
		}
	}
	switch {
	case relied && (s.storage == nil || s.storage.UID != s.object.Status.Workspace.UID || s.storage.DeletionTimestamp != nil || ready.Reason == v1alpha1.ReasonContentLost):
		condition.Reason, condition.Message = v1alpha1.ReasonWorkspaceLost, "the Workspace, or what was in it, is gone"
		return condition, true
	case s.storage == nil:
		condition.Reason, condition.Message = v1alpha1.ReasonWorkspaceNotFound, "there is no Workspace "+storageName(s.object)
	case ownsStorage(s.object) && !metav1.IsControlledBy(s.storage, s.object):
		condition.Reason, condition.Message = v1alpha1.ReasonWorkspaceConflict, "another owner's Workspace has the name"
	case s.storage.DeletionTimestamp != nil, s.storage.Status.Binding == nil, ready.Status != metav1.ConditionTrue, ready.ObservedGeneration != s.storage.Generation:
		condition.Reason, condition.Message = v1alpha1.ReasonWorkspaceNotReady, "the Workspace is not ready for its spec"
	default:
		condition.Status, condition.Reason = metav1.ConditionTrue, v1alpha1.ReasonWorkspaceReady
	}
	return condition, false
}

// stored says whether a step may start, as far as the Workspace is concerned.
func (s sight) stored() bool {
	condition, _ := s.storageState()
	return storageName(s.object) == "" || condition.Status == metav1.ConditionTrue
}

// recordStorage records which Workspace the run uses, and relies on from its first step on.
func (s sight) recordStorage(status *v1alpha1.SequentialJobStatus) {
	if storageName(s.object) == "" {
		return
	}
	if status.Workspace == nil {
		status.Workspace = &v1alpha1.WorkspaceReference{Name: storageName(s.object)}
	}
	step := current(status.Steps)
	own := s.storage != nil && ownsStorage(s.object) && metav1.IsControlledBy(s.storage, s.object)
	if status.Workspace.UID == "" && s.storage != nil && (own || step != nil && step.JobName != "") {
		status.Workspace.UID = s.storage.UID
	}
}

// createStorage creates the run's own Workspace. If the name is taken, the next reconcile sees by whom.
func (r *runner) createStorage(ctx context.Context, object *v1alpha1.SequentialJob) error {
	err := r.writer.Create(ctx, &v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: object.Namespace, Name: object.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))},
		},
		Spec: v1alpha1.WorkspaceSpec{Capacity: *object.Spec.Workspace.Capacity},
	})
	if err != nil {
		return fmt.Errorf("creating Workspace %s: %w", object.Name, err)
	}
	return nil
}

// mount has all containers of a pod get the Workspace's Secret.
func mount(pod *corev1.PodSpec, secret string) {
	source := corev1.EnvFromSource{Prefix: v1alpha1.WorkspacePrefix, SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret}}}
	for i := range pod.InitContainers {
		pod.InitContainers[i].EnvFrom = append(pod.InitContainers[i].EnvFrom, source)
	}
	for i := range pod.Containers {
		pod.Containers[i].EnvFrom = append(pod.Containers[i].EnvFrom, source)
	}
}

// runsIn triggers all runs in a Workspace's namespace that use it.
func (r *runner) runsIn() handler.MapFunc {
	return func(ctx context.Context, storage client.Object) (requests []reconcile.Request) {
		var all v1alpha1.SequentialJobList
		if err := r.live.List(ctx, &all, client.InNamespace(storage.GetNamespace())); err != nil {
			return nil // the resync makes up for it
		}
		for i := range all.Items {
			if storageName(&all.Items[i]) == storage.GetName() {
				requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&all.Items[i])})
			}
		}
		return requests
	}
}
