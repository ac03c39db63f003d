package controller

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// byWorkspace is the index of SequentialJobs by the name of the Workspace that they use.
const byWorkspace = "workspace"

func indexByWorkspace(manager ctrl.Manager) error {
	names := func(object client.Object) []string {
		if name := workspaceName(object.(*v1alpha1.SequentialJob)); name != "" {
			return []string{name}
		}
		return nil
	}
	if err := manager.GetFieldIndexer().IndexField(context.Background(), &v1alpha1.SequentialJob{}, byWorkspace, names); err != nil {
		return fmt.Errorf("indexing SequentialJobs by their Workspaces: %w", err)
	}
	return nil
}

// usersOf returns the SequentialJobs that use a Workspace, or wait for its name. A finished one has nothing to learn from it.
func usersOf(cached client.Reader) handler.MapFunc {
	return func(ctx context.Context, workspace client.Object) []reconcile.Request {
		var users v1alpha1.SequentialJobList
		err := cached.List(ctx, &users, client.InNamespace(workspace.GetNamespace()), client.MatchingFields{byWorkspace: workspace.GetName()})
		if err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "finding the SequentialJobs of a Workspace", "workspace", client.ObjectKeyFromObject(workspace))
			return nil
		}
		var requests []reconcile.Request
		for i := range users.Items {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&users.Items[i])})
		}
		return requests
	}
}
