package controller

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// ownWorkspace asks for a Workspace of the run's own, and sharedWorkspace for one that exists.
func (b *objectBuilder) ownWorkspace() *objectBuilder {
	b.object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse("64Mi"))}
	return b
}

func (b *objectBuilder) sharedWorkspace(name string) *objectBuilder {
	b.object.Spec.Workspace = &v1alpha1.WorkspaceSource{Name: &name}
	return b
}

// recordWorkspace records the name of the Workspace and, once the run relies on it, its UID.
func (b *objectBuilder) recordWorkspace(uid types.UID) *objectBuilder {
	b.object.Status.Workspace = &v1alpha1.WorkspaceReference{Name: workspaceName(b.object), UID: uid}
	return b
}

// workspaceBuilder makes a Workspace that nobody owns, ready for its generation.
type workspaceBuilder struct{ made *v1alpha1.Workspace }

func makeWorkspace(name string) *workspaceBuilder {
	b := &workspaceBuilder{&v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID("uid-of-workspace-" + name), ResourceVersion: "300", Generation: 1},
		Status:     v1alpha1.WorkspaceStatus{Binding: &v1alpha1.BindingStatus{Name: v1alpha1.BindingName(name)}},
	}}
	return b.ready(metav1.ConditionTrue, v1alpha1.ReasonReady, "")
}

func (b *workspaceBuilder) ready(status metav1.ConditionStatus, reason, message string) *workspaceBuilder {
	meta.SetStatusCondition(&b.made.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: status, Reason: reason, Message: message, ObservedGeneration: b.made.Generation,
	})
	return b
}

func (b *workspaceBuilder) ownedBy(owner *objectBuilder) *workspaceBuilder {
	b.made.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner.obj(), v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	return b
}

func (b *workspaceBuilder) generation(generation int64) *workspaceBuilder {
	b.made.Generation = generation
	return b
}

func (b *workspaceBuilder) deleting() *workspaceBuilder {
	b.made.DeletionTimestamp = new(metav1.NewTime(noon))
	return b
}

func (b *workspaceBuilder) unbound() *workspaceBuilder {
	b.made.Status.Binding = nil
	return b
}

const (
	ownUID    = types.UID("uid-of-workspace-web")
	sharedUID = types.UID("uid-of-workspace-files")
)

// own is a run with a Workspace of its own, and shared is one that uses the Workspace files.
func own() *objectBuilder    { return makeObject("web").steps("build").ownWorkspace() }
func shared() *objectBuilder { return makeObject("web").steps("build").sharedWorkspace("files") }

func TestARunThatUsesAWorkspace(t *testing.T) {
	const (
		yes = metav1.ConditionTrue
		no  = metav1.ConditionFalse
	)
	predecessor := makeObject("web")
	predecessor.object.UID = "uid-of-a-predecessor"

	for name, test := range map[string]struct {
		object    *objectBuilder
		workspace *workspaceBuilder
		refusal   string

		wantAction  action
		wantReady   metav1.ConditionStatus
		wantReason  string // of WorkspaceReady
		wantOutcome string // of Succeeded: its status and reason
		reason      string
	}{
		"no status yet": {
			object: own(), wantAction: doNothing, wantReady: no, wantReason: "WorkspaceNotFound", wantOutcome: "Unknown WorkspaceNotFound",
			reason: "the name is recorded before the Workspace is created",
		},
		"its name is recorded": {
			object: own().about("build").recordWorkspace(""), wantAction: createWorkspace,
			wantReady: no, wantReason: "WorkspaceNotFound", wantOutcome: "Unknown WorkspaceNotFound",
			reason: "its turn has come",
		},
		"its name is recorded, suspended": {
			object: own().about("build").recordWorkspace("").suspend(), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotFound", wantOutcome: "Unknown Suspended",
			reason: "nothing starts while the run is suspended, and the store would reserve room",
		},
		"one that exists is used, and it does not exist": {
			object: shared().about("build").recordWorkspace(""), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotFound", wantOutcome: "Unknown WorkspaceNotFound",
			reason: "the run creates only its own",
		},
		"its own is there": {
			object: own().about("build").recordWorkspace(""), workspace: makeWorkspace("web").ownedBy(own()), wantAction: doNothing,
			wantReady: yes, wantReason: "Ready", wantOutcome: "Unknown Running",
			reason: "the step can be claimed",
		},
		"its own is there, and the step is claimed": {
			object: own().claimed("build").recordWorkspace(ownUID), workspace: makeWorkspace("web").ownedBy(own()), wantAction: createJob,
			wantReady: yes, wantReason: "Ready", wantOutcome: "Unknown Running",
			reason: "all that the step needs is there",
		},
		"the step is claimed, and the Workspace has a new generation": {
			object: own().claimed("build").recordWorkspace(ownUID), workspace: makeWorkspace("web").ownedBy(own()).generation(2), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotReady", wantOutcome: "Unknown WorkspaceNotReady",
			reason: "what it says is about its old spec",
		},
		"the Workspace has no binding": {
			object: own().claimed("build").recordWorkspace(ownUID), workspace: makeWorkspace("web").ownedBy(own()).unbound(), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotReady", wantOutcome: "Unknown WorkspaceNotReady",
			reason: "without it no container can use the Workspace",
		},
		"the store has no room": {
			object: own().about("build").recordWorkspace(ownUID), workspace: makeWorkspace("web").ownedBy(own()).ready(no, "StoreRefused", "no room"), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotReady", wantOutcome: "Unknown WorkspaceNotReady",
			reason: "it may have room later",
		},
		"the name is another owner's": {
			object: own().about("build").recordWorkspace(""), workspace: makeWorkspace("web"), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceConflict", wantOutcome: "Unknown WorkspaceConflict",
			reason: "the name of a Workspace doesn't say whose it is",
		},
		"the name is that of a predecessor's, which is ready": {
			object: own().about("build").recordWorkspace(""), workspace: makeWorkspace("web").ownedBy(predecessor), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceConflict", wantOutcome: "Unknown WorkspaceConflict",
			reason: "it is about to be deleted, with all files",
		},
		"another owner's has lost its files": {
			object: own().about("build").recordWorkspace(""), workspace: makeWorkspace("web").ready(no, "ContentLost", "gone"), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceConflict", wantOutcome: "Unknown WorkspaceConflict",
			reason: "they are not this run's files",
		},
		"refused": {
			object: own().about("build").recordWorkspace(""), refusal: "exceeded quota", wantAction: createWorkspace,
			wantReady: no, wantReason: "WorkspaceRefused", wantOutcome: "Unknown WorkspaceRefused",
			reason: "the quota may be raised",
		},
		"refused before": {
			object: own().about("build").recordWorkspace("").condition(v1alpha1.ConditionWorkspaceReady, no, v1alpha1.ReasonWorkspaceRefused, "exceeded quota"), wantAction: createWorkspace,
			wantReady: no, wantReason: "WorkspaceRefused", wantOutcome: "Unknown WorkspaceRefused",
			reason: "the status says why until the Workspace is there, and not something else between two attempts",
		},
		"its own was deleted": {
			object: own().about("build").recordWorkspace(ownUID), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceLost", wantOutcome: "False WorkspaceLost",
			reason: "a new one would be empty, and pass for the old one",
		},
		"its own is being deleted": {
			object: own().about("build").recordWorkspace(ownUID), workspace: makeWorkspace("web").ownedBy(own()).deleting(), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceLost", wantOutcome: "False WorkspaceLost",
			reason: "a deletion can't be taken back",
		},
		"one that exists was replaced": {
			object: shared().claimed("build").recordWorkspace("uid-of-another"), workspace: makeWorkspace("files"), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceLost", wantOutcome: "False WorkspaceLost",
			reason: "the new one does not have the files that the run relies on",
		},
		"one that exists is being deleted, before the run relies on it": {
			object: shared().about("build").recordWorkspace(""), workspace: makeWorkspace("files").deleting(), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotReady", wantOutcome: "Unknown WorkspaceNotReady",
			reason: "somebody may create it again, and nothing has been lost",
		},
		"one that exists has lost its files and is being deleted, before the run relies on it": {
			object: shared().about("build").recordWorkspace(""), workspace: makeWorkspace("files").ready(no, "ContentLost", "gone").deleting(), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceNotReady", wantOutcome: "Unknown WorkspaceNotReady",
			reason: "somebody is about to replace it, as its message asks for",
		},
		"one that exists has lost its files": {
			object: shared().about("build").recordWorkspace(""), workspace: makeWorkspace("files").ready(no, "ContentLost", "gone"), wantAction: doNothing,
			wantReady: no, wantReason: "WorkspaceLost", wantOutcome: "False WorkspaceLost",
			reason: "it never becomes ready again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon, object: test.object.obj(), workspaceRefusal: test.refusal}
			if test.workspace != nil {
				seen.workspace = test.workspace.made
			}
			if got := decide(seen); got != test.wantAction {
				t.Errorf("decide() = %q, want %q, because %s", got, test.wantAction, test.reason)
			}
			status := assess(seen)
			condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionWorkspaceReady)
			if condition == nil {
				t.Fatal("no condition WorkspaceReady")
			}
			if condition.Status != test.wantReady || condition.Reason != test.wantReason {
				t.Errorf("WorkspaceReady is %s %s: %q, want %s %s, because %s",
					condition.Status, condition.Reason, condition.Message, test.wantReady, test.wantReason, test.reason)
			}
			succeeded := summary(&status)
			if got := string(succeeded.Status) + " " + succeeded.Reason; got != test.wantOutcome {
				t.Errorf("Succeeded is %s: %q, want %s, because %s", got, succeeded.Message, test.wantOutcome, test.reason)
			}
			if claims := status.Steps[0].JobName != ""; claims && !workspaceUsable(seen) && test.object.obj().Status.Steps[0].JobName == "" {
				t.Errorf("claims the step, although the Workspace is not ready")
			}
		})
	}
}

// workspaces is an API server, or a cache, that has at most one Workspace.
type workspaces struct {
	client.Client
	workspace *v1alpha1.Workspace // nil for none
	reads     int
}

func (w *workspaces) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	w.reads++
	if w.workspace == nil {
		return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("workspaces").GroupResource(), key.Name)
	}
	w.workspace.DeepCopyInto(into.(*v1alpha1.Workspace))
	return nil
}

func TestObserveWorkspace(t *testing.T) {
	usable, lost := makeWorkspace("files").made, makeWorkspace("files").ready(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "gone").made
	replacement := makeWorkspace("files").made
	replacement.UID = "another"
	for name, test := range map[string]struct {
		object        *objectBuilder
		cached, live  *v1alpha1.Workspace
		want          *v1alpha1.Workspace
		wantReads     int
		wantUnwatched bool
		reason        string
	}{
		"usable":                         {shared(), usable, nil, usable, 0, false, "the event of a change is certain"},
		"not there":                      {shared(), nil, usable, nil, 0, false, "the run doesn't rely on it yet, so it can wait for the event"},
		"relied on":                      {shared().recordWorkspace(sharedUID), usable, nil, usable, 0, false, "the event of a change is certain"},
		"relied on, not shown":           {shared().recordWorkspace(sharedUID), nil, usable, usable, 1, true, "the run would end, and the cache may never have it"},
		"relied on, gone":                {shared().recordWorkspace(sharedUID), nil, nil, nil, 1, false, "that is final"},
		"without its files":              {shared(), lost, lost, lost, 1, false, "that would end the run"},
		"without its files, replaced":    {shared(), lost, replacement, replacement, 1, true, "the cache is behind"},
		"without its files, relied on":   {shared().recordWorkspace(sharedUID), lost, nil, lost, 0, false, "they don't come back"},
		"without its files, gone by now": {shared(), lost, nil, nil, 1, false, "somebody may create it again"},
	} {
		t.Run(name, func(t *testing.T) {
			live := &workspaces{workspace: test.live}
			r := &Reconciler{Client: &workspaces{workspace: test.cached}, Live: live}
			seen, err := r.observeWorkspace(t.Context(), facts{object: test.object.obj()})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, seen.workspace); diff != "" {
				t.Errorf("workspace, because %s (-want +got):\n%s", test.reason, diff)
			}
			if live.reads != test.wantReads || seen.workspaceUnwatched != test.wantUnwatched {
				t.Errorf("%d live reads, unwatched %t; want %d, %t, because %s", live.reads, seen.workspaceUnwatched, test.wantReads, test.wantUnwatched, test.reason)
			}
		})
	}
}

func TestConfirmWorkspace(t *testing.T) {
	cached, replacement := makeWorkspace("files").made, makeWorkspace("files").made
	replacement.UID = "another"
	since := func(b *workspaceBuilder) *v1alpha1.Workspace {
		b.made.ResourceVersion = "301"
		return b.made
	}
	for name, test := range map[string]struct {
		object    *objectBuilder // as it is, from which assess makes the status
		live      *v1alpha1.Workspace
		wantStale bool
		wantReads int
		reason    string
	}{
		"as the cache shows it":    {shared().about("build").recordWorkspace(""), cached, false, 1, "the step may be claimed"},
		"gone":                     {shared().about("build").recordWorkspace(""), nil, true, 1, "the step would have no Secret"},
		"replaced":                 {shared().about("build").recordWorkspace(""), replacement, true, 1, "the run would rely on one that is gone"},
		"being deleted":            {shared().about("build").recordWorkspace(""), since(makeWorkspace("files").deleting()), true, 1, "it goes as soon as its bucket has"},
		"not ready any more":       {shared().about("build").recordWorkspace(""), since(makeWorkspace("files").ready(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "")), true, 1, "its files are lost"},
		"changed, and usable":      {shared().about("build").recordWorkspace(""), since(makeWorkspace("files")), false, 1, "any change that leaves it usable will do"},
		"the step is claimed":      {shared().claimed("build").recordWorkspace(sharedUID), nil, false, 0, "that can't be taken back"},
		"a run without Workspaces": {makeObject("web").steps("build").about("build"), nil, false, 0, "it needs none"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon, object: test.object.obj()}
			if workspaceName(seen.object) != "" {
				seen.workspace = cached
			}
			live := &workspaces{workspace: test.live}
			err := (&Reconciler{Live: live}).confirmWorkspace(t.Context(), seen, assess(seen))
			if isStale(err) != test.wantStale || err != nil && !isStale(err) {
				t.Errorf("confirmWorkspace() = %v, want stale: %t, because %s", err, test.wantStale, test.reason)
			}
			if live.reads != test.wantReads {
				t.Errorf("%d live reads, want %d", live.reads, test.wantReads)
			}
		})
	}
}

func TestAWorkspaceThatTheCacheShowsIsNotWaitedFor(t *testing.T) {
	lost := makeWorkspace("files").ready(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "").made
	seen := facts{now: noon, object: shared().about("build").recordWorkspace(sharedUID).obj(), workspace: lost}
	status := seen.object.DeepCopy().Status
	status.Steps = []v1alpha1.StepStatus{{Name: "build", State: v1alpha1.StepPending, JobName: "web-build"}}
	if err := (&Reconciler{Live: &workspaces{workspace: lost}}).confirmWorkspace(t.Context(), seen, status); err != nil {
		t.Errorf("confirmWorkspace() = %v, although no event will show anything else", err)
	}
}

func TestWhichWorkspaceARunReliesOn(t *testing.T) {
	for name, test := range map[string]struct {
		object    *objectBuilder
		workspace *workspaceBuilder
		want      *v1alpha1.WorkspaceReference
		reason    string
	}{
		"none":                  {makeObject("web").steps("build"), nil, nil, "most runs need none"},
		"its own, not yet":      {own(), nil, &v1alpha1.WorkspaceReference{Name: "web"}, "the name comes first"},
		"its own, created":      {own().about("build").recordWorkspace(""), makeWorkspace("web").ownedBy(own()).ready(metav1.ConditionUnknown, "Pending", ""), &v1alpha1.WorkspaceReference{Name: "web", UID: ownUID}, "its owner reference says whose it is"},
		"another's of its name": {own().about("build").recordWorkspace(""), makeWorkspace("web"), &v1alpha1.WorkspaceReference{Name: "web"}, "it belongs to somebody else"},
		"shared, not ready":     {shared().about("build").recordWorkspace(""), makeWorkspace("files").unbound(), &v1alpha1.WorkspaceReference{Name: "files"}, "it may be replaced until a step is claimed"},
		"shared, ready":         {shared().about("build").recordWorkspace(""), makeWorkspace("files"), &v1alpha1.WorkspaceReference{Name: "files", UID: sharedUID}, "the step is claimed in the same write"},
		"shared, replaced":      {shared().claimed("build").recordWorkspace("other"), makeWorkspace("files"), &v1alpha1.WorkspaceReference{Name: "files", UID: "other"}, "what the run relied on stays recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon, object: test.object.obj()}
			if test.workspace != nil {
				seen.workspace = test.workspace.made
			}
			if diff := cmp.Diff(test.want, assess(seen).Workspace); diff != "" {
				t.Errorf("status.workspace, because %s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}

func TestALostWorkspaceLetsTheRunningStepFinish(t *testing.T) {
	seen := facts{now: noon, object: own().running("build").recordWorkspace(ownUID).obj(), job: makeJob("build").obj()}
	if got := summary(new(assess(seen))); got.Status != metav1.ConditionUnknown {
		t.Errorf("with a running Job, Succeeded is %s %s: %s", got.Status, got.Reason, got.Message)
	}
	seen.job = makeJob("build").complete().obj()
	if got := summary(new(assess(seen))); got.Status != metav1.ConditionTrue {
		t.Errorf("after the last step, Succeeded is %s %s: %s", got.Status, got.Reason, got.Message)
	}
}

func TestAJobGetsTheBindingOfTheWorkspace(t *testing.T) {
	object := own().obj()
	object.Spec.Steps[0].JobTemplate = batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		InitContainers: []corev1.Container{{Name: "fetch"}},
		Containers:     []corev1.Container{{Name: "main", EnvFrom: []corev1.EnvFromSource{{Prefix: "MINE_"}}}},
	}}}}
	spec := object.DeepCopy().Spec
	pod := newJob(object, &object.Spec.Steps[0], makeWorkspace("web").made).Spec.Template.Spec
	binding := corev1.EnvFromSource{Prefix: "WORKSPACE_", SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web-workspace"}}}
	if diff := cmp.Diff([]corev1.EnvFromSource{binding}, pod.InitContainers[0].EnvFrom); diff != "" {
		t.Errorf("an init container's envFrom (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]corev1.EnvFromSource{{Prefix: "MINE_"}, binding}, pod.Containers[0].EnvFrom); diff != "" {
		t.Errorf("a container's envFrom (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(spec, object.Spec); diff != "" {
		t.Errorf("the cached object has changed (-before +after):\n%s", diff)
	}
}
