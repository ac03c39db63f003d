package observer

import (
	"context"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
)

// Sync waits until the history has caught up with the API server. Up to the resourceVersion that it
// returns, the history is complete.
//
// It compares a consistent list with the events of the watch. A watch delivers events in order, so it has
// delivered everything in the list once it shows the same objects in the same versions, or delivers a later
// event. An object that was created and deleted since the last event would be in neither. So the watch must
// also have shown every object that the controller has created, and anything else that creates objects must
// wait until they are among Objects.
func (o *Observer) Sync(ctx context.Context) (frontier uint64, err error) {
	for _, k := range o.kinds {
		made := o.made(k.resource) // asked before the list, which then comes after all of them
		list, err := k.versions.List(ctx, metav1.ListOptions{})
		if err != nil {
			return 0, fmt.Errorf("list %s to compare with what was observed: %w", k.resource, err)
		}
		reached, err := parseVersion(list.GetResourceVersion())
		if err != nil {
			return 0, err
		}
		if err := o.await(ctx, func() bool { return o.caughtUp(k, list, reached, made) }); err != nil {
			return 0, fmt.Errorf("wait until the observer has seen all %s: %w", k.resource, err)
		}
		if frontier == 0 || reached < frontier {
			frontier = reached
		}
	}
	if err := o.Err(); err != nil {
		return 0, err
	}
	return frontier, nil
}

func (o *Observer) caughtUp(k *observed, list *metav1.PartialObjectMetadataList, reached uint64, made []types.UID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, uid := range made {
		if k.born[uid] == nil {
			return false
		}
	}
	if k.position > reached {
		return true
	}
	if len(k.objects) != len(list.Items) {
		return false
	}
	for i := range list.Items {
		seen := k.objects[list.Items[i].UID]
		if seen == nil || seen.GetResourceVersion() != list.Items[i].ResourceVersion {
			return false
		}
	}
	return true
}

// made returns the objects that the controller has created, by the API server's responses. A dry run
// creates nothing: its response has no resourceVersion.
func (o *Observer) made(resource string) []types.UID {
	var made []types.UID
	o.log.Write(func(run *history.Run) {
		for _, request := range run.Requests {
			if request.Call.Resource == resource && request.Object.Namespace == o.namespace &&
				request.Code == http.StatusCreated && request.ResourceVersion != 0 && request.UID != "" {
				made = append(made, types.UID(request.UID))
			}
		}
	})
	return made
}
