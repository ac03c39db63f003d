package controller

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	watchevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// queue is what event handlers add to.
type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// startedRunsFirst queues an object that has just been created behind those whose run has started, so
// that a thousand new runs don't delay the next step of an old one. A run has started once its first
// reconcile has written a status: its events are updates from then on.
func startedRunsFirst() handler.EventHandler {
	usual := &handler.EnqueueRequestForObject{}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e watchevent.CreateEvent, q queue) {
			request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)}
			if prioritized, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
				prioritized.AddWithOpts(priorityqueue.AddOpts{Priority: new(handler.LowPriority)}, request)
				return
			}
			q.Add(request)
		},
		UpdateFunc:  usual.Update,
		DeleteFunc:  usual.Delete,
		GenericFunc: usual.Generic,
	}
}
