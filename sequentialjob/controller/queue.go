package controller

import (
	"context"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	watchevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// queue is what event handlers add to.
type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// begunRunsFirst queues an object that has just been created behind those whose run has begun, so
// that a thousand new ones don't hold up the next step of an old one. Once its first pass has
// written a status, a run has begun: its events are updates.
func begunRunsFirst() handler.EventHandler {
	usual := &handler.EnqueueRequestForObject{}
	return handler.Funcs{
		CreateFunc: func(_ context.Context, e watchevent.CreateEvent, q queue) {
			request := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(e.Object)}
			if prioritized, ok := q.(priorityqueue.PriorityQueue[reconcile.Request]); ok {
				prioritized.AddWithOpts(priorityqueue.AddOpts{Priority: ptr.To(handler.LowPriority)}, request)
				return
			}
			q.Add(request)
		},
		UpdateFunc:  usual.Update,
		DeleteFunc:  usual.Delete,
		GenericFunc: usual.Generic,
	}
}
