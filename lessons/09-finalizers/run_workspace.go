package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// workspaceName is the name of the Workspace that a run uses; empty if it uses none. One of its own has the run's name.
func workspaceName(object *v1alpha1.SequentialJob) string {
	switch source := object.Spec.Workspace; {
	case source == nil:
		return ""
	case source.Name != nil:
		return *source.Name
	default:
		return object.Name
	}
}

// ownsWorkspace says whether a run has a Workspace of its own.
func ownsWorkspace(object *v1alpha1.SequentialJob) bool {
	return object.Spec.Workspace != nil && object.Spec.Workspace.Name == nil
}

// reliedOn is the UID of the Workspace on which a run relies; empty until it does.
func reliedOn(object *v1alpha1.SequentialJob) types.UID {
	if object.Status.Workspace == nil {
		return ""
	}
	return object.Status.Workspace.UID
}

// mayCreateWorkspace says whether the run's own Workspace can be created now. An earlier reconcile has claimed it: its name is in
// the status.
func mayCreateWorkspace(seen facts) bool {
	claimed := seen.object.Status.Workspace != nil && reliedOn(seen.object) == ""
	return ownsWorkspace(seen.object) && claimed && seen.workspace == nil && !suspendWanted(seen.object) && !timeIsUp(seen)
}

// workspaceUsable says whether a step may start, as far as the Workspace is concerned.
func workspaceUsable(seen facts) bool {
	// TODO(wait): No step starts before the run's Workspace is ready for it. workspaceCondition says whether it is.
	// A run that uses no Workspace waits for nothing: see workspaceName.
	return true
}

// workspaceReady says whether a Workspace is ready.
func workspaceReady(workspace *v1alpha1.Workspace) bool {
	ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
	// TODO(ready): The condition may be about a spec that has been changed since. And bind needs the Secret's name.
	return ready != nil && ready.Status == metav1.ConditionTrue
}

// workspaceCondition is the condition WorkspaceReady of a run that uses a Workspace.
func workspaceCondition(seen facts) metav1.Condition {
	object, workspace := seen.object, seen.workspace
	name, lost := workspaceName(object), lostWorkspace(seen)
	recorded := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionWorkspaceReady)
	not := func(reason, format string, args ...any) metav1.Condition {
		return metav1.Condition{Type: v1alpha1.ConditionWorkspaceReady, Status: metav1.ConditionFalse, Reason: reason, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case lost != "":
		return not(v1alpha1.ReasonWorkspaceLost, "%s", lost)
	case seen.workspaceRefusal != "":
		return not(v1alpha1.ReasonWorkspaceRefused, "%s", seen.workspaceRefusal)
	case workspace == nil && recorded != nil && recorded.Reason == v1alpha1.ReasonWorkspaceRefused:
		return not(recorded.Reason, "%s", recorded.Message) // what was refused stays so until an attempt succeeds
	case workspace == nil && ownsWorkspace(object):
		return not(v1alpha1.ReasonWorkspaceNotFound, "Workspace %s does not exist yet", name)
	case workspace == nil:
		return not(v1alpha1.ReasonWorkspaceNotFound, "there is no Workspace %s; create it, or delete this SequentialJob", name)
	// TODO(whose-workspace): The run's own Workspace has the run's name. What if another Workspace has that name? Report
	// v1alpha1.ReasonWorkspaceConflict, and what a user can do.
	case !workspace.DeletionTimestamp.IsZero():
		return not(v1alpha1.ReasonWorkspaceNotReady, "Workspace %s is being deleted", name)
	case !workspaceReady(workspace):
		return not(v1alpha1.ReasonWorkspaceNotReady, "Workspace %s is not ready%s", name, reported(workspace))
	}
	return metav1.Condition{Type: v1alpha1.ConditionWorkspaceReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonWorkspaceReady,
		Message: fmt.Sprintf("Workspace %s is ready", name)}
}

// reported is what a Workspace's own condition says, if it is about the current spec.
func reported(workspace *v1alpha1.Workspace) string {
	ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != workspace.Generation {
		return " for its current spec yet"
	}
	return ": " + ready.Reason + ": " + ready.Message
}

// lostWorkspace says what became of the Workspace on which the run relies; empty as long as its files are there. That is final: a
// deletion can't be taken back, and another Workspace of that name does not have the files.
func lostWorkspace(seen facts) string {
	workspace, relied, name := seen.workspace, reliedOn(seen.object), workspaceName(seen.object)
	switch {
	case relied == "":
		return ""
	case workspace == nil:
		return fmt.Sprintf("Workspace %s was deleted", name)
	case workspace.UID != relied:
		return fmt.Sprintf("Workspace %s was deleted; the one that has its name now does not have its files", name)
	case !workspace.DeletionTimestamp.IsZero():
		return fmt.Sprintf("Workspace %s is being deleted", name)
	}
	if ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady); ready != nil && ready.Reason == v1alpha1.ReasonContentLost {
		return fmt.Sprintf("Workspace %s: %s", name, ready.Message)
	}
	return ""
}

// recordWorkspace records which Workspace the run uses. A run relies on its own Workspace as soon as it exists. It relies on a shared
// one once its first step is claimed.
func recordWorkspace(status *v1alpha1.SequentialJobStatus, seen facts) {
	name := workspaceName(seen.object)
	if name == "" {
		return
	}
	if status.Workspace == nil {
		status.Workspace = &v1alpha1.WorkspaceReference{Name: name}
	}
	if status.Workspace.UID != "" || seen.workspace == nil {
		return
	}
	step := currentStep(status.Steps)
	claimed := step != nil && step.JobName != ""
	if claimed || ownsWorkspace(seen.object) && metav1.IsControlledBy(seen.workspace, seen.object) {
		status.Workspace.UID = seen.workspace.UID
	}
}

// observeWorkspace returns the Workspace that has the name of the run's; nil if there is none. The cache may not show yet the one on
// which the run relies.
func (r *reconciler) observeWorkspace(ctx context.Context, object *v1alpha1.SequentialJob) (*v1alpha1.Workspace, error) {
	name := workspaceName(object)
	if name == "" {
		return nil, nil
	}
	key := client.ObjectKey{Namespace: object.Namespace, Name: name}
	cached, err := readWorkspace(ctx, r.Client, key)
	if relied := reliedOn(object); err != nil || relied == "" || cached != nil && cached.UID == relied {
		return cached, err
	}
	return readWorkspace(ctx, r.live, key)
}

// confirmWorkspace makes sure, before the status claims a step, that the run's Workspace is still there, and ready. The cache may show one
// that has lost its files since, or has been replaced. The step's pod would get the Secret of the new one, which has the same name.
// Nothing excludes that this happens after this read.
func (r *reconciler) confirmWorkspace(ctx context.Context, seen facts, status v1alpha1.SequentialJobStatus) error {
	step := currentStep(status.Steps)
	if seen.workspace == nil || step == nil || step.JobName == "" || recorded(seen.object, step.Name).JobName != "" {
		return nil
	}
	live, err := readWorkspace(ctx, r.live, client.ObjectKeyFromObject(seen.workspace))
	if err != nil {
		return err
	}
	if live == nil || live.UID != seen.workspace.UID || !live.DeletionTimestamp.IsZero() || !workspaceReady(live) {
		return &staleError{of: v1alpha1.KindWorkspace} // an event is certain to arrive
	}
	return nil
}

// readWorkspace returns nil if there is no such Workspace.
func readWorkspace(ctx context.Context, reader client.Reader, key client.ObjectKey) (*v1alpha1.Workspace, error) {
	workspace := &v1alpha1.Workspace{}
	err := reader.Get(ctx, key, workspace)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading Workspace %s: %w", key.Name, err)
	}
	if err != nil {
		return nil, nil
	}
	return workspace, nil
}

// createWorkspace creates the run's own Workspace. After any refusal it looks whether it exists: the response to an earlier request
// may have been lost.
func (r *reconciler) createWorkspace(ctx context.Context, seen facts) (facts, error) {
	if waitsToRetry(seen) {
		return seen, nil
	}
	workspace := newWorkspace(seen.object)
	err := r.Create(ctx, workspace)
	if err == nil {
		seen.workspace = workspace
		return seen, nil
	}
	existing, readErr := readWorkspace(ctx, r.live, client.ObjectKeyFromObject(workspace))
	if readErr != nil {
		return seen, readErr
	}
	if seen.workspace = existing; existing != nil {
		return seen, nil
	}
	err = fmt.Errorf("creating Workspace %s: %w", workspace.Name, err)
	if refused := refusalOf(err); refused != nil {
		seen.workspaceRefusal = refused.message
		return r.retryLater(ctx, seen, err), nil
	}
	return seen, err
}

// newWorkspace builds the run's own Workspace.
func newWorkspace(object *v1alpha1.SequentialJob) *v1alpha1.Workspace {
	workspace := &v1alpha1.Workspace{}
	workspace.Namespace, workspace.Name = object.Namespace, workspaceName(object)
	workspace.Labels = map[string]string{v1alpha1.LabelSequentialJob: object.Name}
	workspace.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind)),
	}
	workspace.Spec.Capacity = object.Spec.Workspace.Capacity.DeepCopy()
	return workspace
}

// bindingOf is the name of the Secret with what a program needs to use a Workspace; empty if there is none yet.
func bindingOf(workspace *v1alpha1.Workspace) string {
	if workspace == nil || workspace.Status.Binding == nil {
		return ""
	}
	return workspace.Status.Binding.Name
}

// bind gives all containers of a pod the entries of a Workspace's Secret.
func bind(pod *corev1.PodSpec, secret string) {
	source := corev1.EnvFromSource{
		Prefix:    v1alpha1.WorkspacePrefix,
		SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: secret}},
	}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			containers[i].EnvFrom = append(containers[i].EnvFrom, source)
		}
	}
}
