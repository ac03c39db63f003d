package main

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// withOwn is a run with a Workspace of its own, whose name is recorded.
func withOwn(object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: ptr.To(resource.MustParse("1Mi"))}
	object.Status.Workspace = &v1alpha1.WorkspaceReference{Name: "web"}
	return object
}

// withShared is a run with a Workspace that others have created.
func withShared(object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Spec.Workspace = &v1alpha1.WorkspaceSource{Name: ptr.To("web")}
	object.Status.Workspace = &v1alpha1.WorkspaceReference{Name: "web"}
	return object
}

func relying(on types.UID, object *v1alpha1.SequentialJob) *v1alpha1.SequentialJob {
	object.Status.Workspace.UID = on
	return object
}

func ofTheRun(workspace *v1alpha1.Workspace) {
	workspace.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(makeObject(), v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
}

func lostContent(workspace *v1alpha1.Workspace) {
	summary := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
	summary.Status, summary.Reason = metav1.ConditionFalse, v1alpha1.ReasonContentLost
}

func TestARunWaitsForItsWorkspace(t *testing.T) {
	for name, test := range map[string]struct {
		object    *v1alpha1.SequentialJob
		workspace *v1alpha1.Workspace
		want      action
		wantRun   string // the reason of Succeeded
		reason    string
	}{
		"its own does not exist": {
			object: withOwn(makeObject()), want: createWorkspace, wantRun: v1alpha1.ReasonWorkspaceNotFound,
			reason: "its name is recorded",
		},
		"its own, suspended": {
			object: suspended(withOwn(makeObject())), want: doNothing, wantRun: v1alpha1.ReasonSuspended,
			reason: "nothing starts while it is suspended",
		},
		"somebody else's does not exist": {
			object: withShared(makeObject()), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceNotFound,
			reason: "only a user can create it",
		},
		"not ready": {
			object: withOwn(claimed(makeObject())), workspace: makeWorkspace(ofTheRun), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceNotReady,
			reason: "a step would not find its files",
		},
		"ready for an earlier spec": {
			object: withOwn(claimed(makeObject())), workspace: makeWorkspace(ofTheRun, ready, grown), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceNotReady,
			reason: "the condition says nothing about the current one",
		},
		"ready": {
			object: withOwn(claimed(makeObject())), workspace: makeWorkspace(ofTheRun, ready), want: createJob, wantRun: v1alpha1.ReasonRunning,
			reason: "the step can start",
		},
		"another owner's has the name": {
			object: withOwn(claimed(makeObject())), workspace: makeWorkspace(ready), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceConflict,
			reason: "its files are not the run's",
		},
		"somebody else's is ready": {
			object: withShared(claimed(makeObject())), workspace: makeWorkspace(ready), want: createJob, wantRun: v1alpha1.ReasonRunning,
			reason: "the run names it",
		},
		"deleted between two steps": {
			object: relying("1", withShared(claimed(makeObject(v1alpha1.StepSucceeded)))), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceLost,
			reason: "the files of the step before are gone",
		},
		"replaced between two steps": {
			object: relying("0", withShared(claimed(makeObject(v1alpha1.StepSucceeded)))), workspace: makeWorkspace(ready), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceLost,
			reason: "the new one does not have the files",
		},
		"files lost between two steps": {
			object: relying("1", withShared(claimed(makeObject(v1alpha1.StepSucceeded)))), workspace: makeWorkspace(ready, lostContent), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceLost,
			reason: "that is final",
		},
		"files lost before the run relies on them": {
			object: withShared(makeObject()), workspace: makeWorkspace(ready, lostContent), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceNotReady,
			reason: "somebody may replace it",
		},
		"being deleted before the run relies on it": {
			object: withShared(makeObject()), workspace: makeWorkspace(ready, going), want: doNothing, wantRun: v1alpha1.ReasonWorkspaceNotReady,
			reason: "somebody may replace it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := facts{now: noon, object: test.object, workspace: test.workspace}
			if next, _ := decide(seen); next != test.want {
				t.Errorf("decided to %s, want to %s: %s", next, test.want, test.reason)
			}
			status := assess(seen)
			if summary := summaryOf(&status); summary.Reason != test.wantRun {
				t.Errorf("Succeeded is %+v, want the reason %s: %s", summary, test.wantRun, test.reason)
			}
		})
	}
}

func TestWhichWorkspaceIsRecorded(t *testing.T) {
	for name, test := range map[string]struct {
		object    *v1alpha1.SequentialJob
		workspace *v1alpha1.Workspace
		want      types.UID
		reason    string
	}{
		"its own, not ready": {withOwn(makeObject()), makeWorkspace(ofTheRun), "1", "the run has created it"},
		"another owner's":    {withOwn(makeObject()), makeWorkspace(ready), "", "the run does not use it"},
		"shared, not ready":  {withShared(makeObject()), makeWorkspace(), "", "nothing of the run is in it yet"},
		"shared, ready":      {withShared(makeObject()), makeWorkspace(ready), "1", "a step is about to use it"},
		"replaced":           {relying("0", withShared(claimed(makeObject()))), makeWorkspace(ready), "0", "the run relies on the one before"},
	} {
		t.Run(name, func(t *testing.T) {
			status := assess(facts{now: noon, object: test.object, workspace: test.workspace})
			if got := status.Workspace; got.Name != "web" || got.UID != test.want {
				t.Errorf("recorded %+v, want the UID %q: %s", got, test.want, test.reason)
			}
		})
	}
}

// liveWorkspace is an API server that has one Workspace, or none.
type liveWorkspace struct {
	client.Reader
	workspace *v1alpha1.Workspace
}

func (l liveWorkspace) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if l.workspace == nil {
		return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("workspaces").GroupResource(), key.Name)
	}
	l.workspace.DeepCopyInto(object.(*v1alpha1.Workspace))
	return nil
}

func TestAWorkspaceIsReadBeforeAStepIsClaimed(t *testing.T) {
	replaced := makeWorkspace(ready)
	replaced.UID = "another"
	for name, test := range map[string]struct {
		object *v1alpha1.SequentialJob
		live   *v1alpha1.Workspace
		want   bool // a staleError
		reason string
	}{
		"still there":         {withShared(makeObject()), makeWorkspace(ready), false, "the step may start"},
		"gone":                {withShared(makeObject()), nil, true, "the cache shows it late"},
		"replaced":            {withShared(makeObject()), replaced, true, "the step's pod would get the Secret of the new one"},
		"being deleted":       {withShared(makeObject()), makeWorkspace(ready, going), true, "its files are about to go"},
		"not ready any more":  {withShared(makeObject()), makeWorkspace(), true, "its files may be lost"},
		"nothing to claim":    {withShared(claimed(makeObject())), nil, false, "an earlier reconcile has read it"},
		"a later step, again": {relying("1", withShared(makeObject(v1alpha1.StepSucceeded))), replaced, true, "each step gets the Secret"},
	} {
		t.Run(name, func(t *testing.T) {
			r, seen := &reconciler{live: liveWorkspace{workspace: test.live}}, facts{now: noon, object: test.object, workspace: makeWorkspace(ready)}
			err := r.confirmWorkspace(t.Context(), seen, assess(seen))
			if isStale(err) != test.want || !test.want && err != nil {
				t.Errorf("got %v, want a staleError: %t: %s", err, test.want, test.reason)
			}
		})
	}
}
