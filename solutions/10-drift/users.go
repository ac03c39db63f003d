package main

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// byWorkspace is the name of the index of SequentialJobs by the Workspace that they use.
const byWorkspace = "spec.workspace"

// indexUsers adds the index to the cache.
func indexUsers(ctx context.Context, indexer client.FieldIndexer) error {
	names := func(object client.Object) []string {
		if name := workspaceName(object.(*v1alpha1.SequentialJob)); name != "" {
			return []string{name}
		}
		return nil
	}
	if err := indexer.IndexField(ctx, &v1alpha1.SequentialJob{}, byWorkspace, names); err != nil {
		return fmt.Errorf("indexing SequentialJobs by their Workspaces: %w", err)
	}
	return nil
}

// usersOf returns the SequentialJobs that use a Workspace, or wait for one of its name. An owner reference would lead to the one
// that owns it only.
func usersOf(cached client.Reader) handler.MapFunc {
	return func(ctx context.Context, workspace client.Object) []reconcile.Request {
		users := &v1alpha1.SequentialJobList{}
		usersOfName := client.MatchingFields{byWorkspace: workspace.GetName()}
		if err := cached.List(ctx, users, client.InNamespace(workspace.GetNamespace()), usersOfName); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "finding the SequentialJobs that use a Workspace", "workspace", client.ObjectKeyFromObject(workspace))
			return nil
		}
		var requests []reconcile.Request
		for i := range users.Items {
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&users.Items[i])})
		}
		return requests
	}
}
