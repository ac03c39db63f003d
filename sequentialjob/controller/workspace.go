package controller

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// workspaceName is the name of the Workspace that the object uses; empty if it uses none.
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

// ownsWorkspace says whether the run creates a Workspace for itself.
func ownsWorkspace(object *v1alpha1.SequentialJob) bool {
	return object.Spec.Workspace != nil && object.Spec.Workspace.Name == nil
}

// workspaceUID is that of the Workspace on which the run relies, as the status has it; empty until it relies on one.
func workspaceUID(object *v1alpha1.SequentialJob) types.UID {
	if object.Status.Workspace == nil {
		return ""
	}
	return object.Status.Workspace.UID
}

// mayCreateWorkspace says whether the run may have its own Workspace now: it has not had one, as far as the status knows, and
// an earlier reconcile has recorded its name.
func mayCreateWorkspace(seen facts) bool {
	object := seen.object
	return ownsWorkspace(object) && object.Status.Workspace != nil && workspaceUID(object) == "" && seen.workspace == nil && !halted(seen)
}

// workspaceUsable says whether a step may start, as far as the Workspace is concerned.
func workspaceUsable(seen facts) bool {
	return workspaceName(seen.object) == "" || workspaceCondition(seen).Status == metav1.ConditionTrue
}

// workspaceCondition says whether the Workspace that the run uses is ready.
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
		return not(recorded.Reason, "%s", recorded.Message) // stands until it is created
	case workspace == nil && ownsWorkspace(object):
		return not(v1alpha1.ReasonWorkspaceNotFound, "Workspace %s does not exist yet", name)
	case workspace == nil:
		return not(v1alpha1.ReasonWorkspaceNotFound, "there is no Workspace %s; create it, or delete this SequentialJob", name)
	case ownsWorkspace(object) && !metav1.IsControlledBy(workspace, object):
		return not(v1alpha1.ReasonWorkspaceConflict, "a Workspace named %s exists and belongs to %s; the run starts once that name is free: %s",
			name, controllerOf(workspace), wayOut(v1alpha1.KindWorkspace, workspace, object))
	case beingDeleted(workspace):
		return not(v1alpha1.ReasonWorkspaceNotReady, "Workspace %s is being deleted", name)
	case !workspaceReady(workspace):
		return not(v1alpha1.ReasonWorkspaceNotReady, "Workspace %s is not ready%s", name, reported(workspace))
	}
	return metav1.Condition{Type: v1alpha1.ConditionWorkspaceReady, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonWorkspaceReady,
		Message: fmt.Sprintf("Workspace %s is ready", name)}
}

// lostWorkspace says what became of a Workspace whose files the run can no longer use; empty while it can. A deletion can't be
// taken back, and a Workspace whose files are lost never becomes ready again.
func lostWorkspace(seen facts) string {
	workspace, relied := seen.workspace, workspaceUID(seen.object)
	name := workspaceName(seen.object)
	switch {
	case relied != "" && workspace == nil:
		return fmt.Sprintf("Workspace %s was deleted", name)
	case relied != "" && workspace.UID != relied:
		return fmt.Sprintf("Workspace %s was deleted; the one that has its name now does not have its files", name)
	case relied != "" && beingDeleted(workspace):
		return fmt.Sprintf("Workspace %s is being deleted", name)
	case workspace == nil, beingDeleted(workspace), ownsWorkspace(seen.object) && !metav1.IsControlledBy(workspace, seen.object):
		return "" // somebody may create the one that the run waits for
	case contentLost(workspace):
		return fmt.Sprintf("Workspace %s: %s", name, meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady).Message)
	}
	return ""
}

// contentLost says whether a Workspace can't be used any more, for good.
func contentLost(workspace *v1alpha1.Workspace) bool {
	ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Reason == v1alpha1.ReasonContentLost
}

// workspaceReady says whether a Workspace is ready for its current generation.
func workspaceReady(workspace *v1alpha1.Workspace) bool {
	ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == workspace.Generation && workspace.Status.Binding != nil
}

// reported is what a Workspace's own condition says, if it is about the current generation.
func reported(workspace *v1alpha1.Workspace) string {
	ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
	if ready == nil || ready.ObservedGeneration != workspace.Generation {
		return " for its current spec yet"
	}
	return ": " + ready.Reason + ": " + ready.Message
}

// recordWorkspace records which Workspace the run uses. Its own one is known by the owner reference. One that exists is
// recorded in the write that claims the first step; from then on no other Workspace of that name will do.
func recordWorkspace(status *v1alpha1.SequentialJobStatus, seen facts, claiming bool) {
	name := workspaceName(seen.object)
	if name == "" {
		return
	}
	if status.Workspace == nil {
		status.Workspace = &v1alpha1.WorkspaceReference{Name: name}
	}
	own := ownsWorkspace(seen.object) && seen.workspace != nil && metav1.IsControlledBy(seen.workspace, seen.object)
	if status.Workspace.UID == "" && (own || claiming) {
		status.Workspace.UID = seen.workspace.UID
	}
}

// observeWorkspace returns the facts with the Workspace that the object uses, or would use. The cache may not show yet the one that
// the status names, or show one that is gone: then it is read from the API server. So is one without its files, on which the run does
// not rely yet: that would end the run, and another one may have replaced it.
func (r *Reconciler) observeWorkspace(ctx context.Context, seen facts) (facts, error) {
	name, relied := workspaceName(seen.object), workspaceUID(seen.object)
	if name == "" {
		return seen, nil
	}
	key := client.ObjectKey{Namespace: seen.object.Namespace, Name: name}
	var err error
	seen.workspace, err = readWorkspace(ctx, r.Client, key)
	cached := seen.workspace
	if err != nil || relied == "" && (cached == nil || !contentLost(cached)) || relied != "" && cached != nil && cached.UID == relied {
		return seen, err
	}
	seen.workspace, err = readWorkspace(ctx, r.Live, key)
	seen.workspaceUnwatched = seen.workspace != nil && (cached == nil || cached.UID != seen.workspace.UID)
	return seen, err
}

// confirmWorkspace makes sure, before the status claims a step, that the cache does not show a Workspace that has been replaced or has
// become unusable since. The pod of the step would get the Secret of the new one, which has the same name. Nothing excludes that this
// happens after this read.
func (r *Reconciler) confirmWorkspace(ctx context.Context, seen facts, status v1alpha1.SequentialJobStatus) error {
	step := currentStep(status.Steps)
	if seen.workspace == nil || step == nil || step.JobName == "" || hadClaimed(&seen.object.Status, step.Name) {
		return nil
	}
	live, err := readWorkspace(ctx, r.Live, client.ObjectKeyFromObject(seen.workspace))
	if err != nil {
		return err
	}
	shown := live != nil && live.UID == seen.workspace.UID && live.ResourceVersion == seen.workspace.ResourceVersion
	usable := live != nil && live.UID == seen.workspace.UID && !beingDeleted(live) && workspaceReady(live)
	switch {
	case shown, usable:
		return nil
	case seen.workspaceUnwatched: // so the cache may never show that it is gone
		return &staleError{kind: v1alpha1.KindWorkspace, requeueAfter: expectationsTimeout}
	default:
		return &staleError{kind: v1alpha1.KindWorkspace}
	}
}

func hadClaimed(status *v1alpha1.SequentialJobStatus, step string) bool {
	return slices.ContainsFunc(status.Steps, func(entry v1alpha1.StepStatus) bool { return entry.Name == step && entry.JobName != "" })
}

// createWorkspace creates the run's own Workspace. If its name is taken, it may be by this very Workspace: the response to an
// earlier request was lost, or the cache is stale.
func (r *Reconciler) createWorkspace(ctx context.Context, seen facts) (facts, error) {
	workspace := newWorkspace(seen.object)
	key := client.ObjectKeyFromObject(workspace)
	err := r.Create(ctx, workspace)
	switch {
	case err == nil:
		r.expectations.recordAcceptance(seen.object)
		seen.workspace, seen.workspaceUnwatched = workspace, true
		return seen, nil
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return r.retryLater(ctx, seen, err), nil
	case apierrors.IsAlreadyExists(err), refusedForNow(err):
	default:
		return seen, fmt.Errorf("creating Workspace %s: %w", key.Name, err)
	}
	// A quota refuses before names are compared, and it may be this very Workspace that has used it up.
	existing, readErr := readWorkspace(ctx, r.Live, key)
	if readErr != nil {
		return seen, readErr
	}
	if seen.workspace, seen.workspaceUnwatched = existing, true; existing != nil {
		r.expectations.recordAcceptance(seen.object)
		return seen, nil
	}
	err = fmt.Errorf("creating Workspace %s: %w", key.Name, err)
	if refusedForNow(err) {
		seen.workspaceRefusal = shorten(err.Error())
		return r.retryLater(ctx, seen, err), nil
	}
	return seen, err
}

// newWorkspace builds the run's own Workspace.
func newWorkspace(object *v1alpha1.SequentialJob) *v1alpha1.Workspace {
	return &v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: object.Namespace,
			Name:      workspaceName(object),
			Labels:    map[string]string{v1alpha1.LabelSequentialJob: object.Name},
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind)),
			},
		},
		Spec: v1alpha1.WorkspaceSpec{Capacity: object.Spec.Workspace.Capacity.DeepCopy()},
	}
}

// readWorkspace returns nil when there is no such Workspace.
func readWorkspace(ctx context.Context, reader client.Reader, key client.ObjectKey) (*v1alpha1.Workspace, error) {
	workspace := &v1alpha1.Workspace{}
	if err := reader.Get(ctx, key, workspace); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("reading Workspace %s: %w", key.Name, err)
	}
	return workspace, nil
}

// bind gives all containers of a Job what they need to use the Workspace.
func bind(pod *corev1.PodSpec, workspace *v1alpha1.Workspace) {
	source := corev1.EnvFromSource{
		Prefix:    v1alpha1.WorkspacePrefix,
		SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: workspace.Status.Binding.Name}},
	}
	for _, containers := range [][]corev1.Container{pod.InitContainers, pod.Containers} {
		for i := range containers {
			containers[i].EnvFrom = append(containers[i].EnvFrom, source)
		}
	}
}
