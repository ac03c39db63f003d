package observer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"example.com/controller-course/tests/kit/history"
)

// watchTimeout is longer than any run. Without a timeout in the request, the API server ends a watch after
// half an hour or more.
const watchTimeout = 24 * time.Hour

// observed is what is known about one resource. Observer.mu guards what is not constant.
type observed struct {
	resource string
	client   dynamic.ResourceInterface
	versions metadata.ResourceInterface // costs less, where the resourceVersions are enough

	position uint64 // the resourceVersion of the last event
	objects  map[types.UID]*unstructured.Unstructured
	born     map[types.UID]*unstructured.Unstructured // all that have ever been seen, as they were last
}

// open records the existing objects and starts to follow their changes.
func (o *Observer) open(ctx context.Context, k *observed) error {
	list, err := k.client.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if err := o.begin(k, list); err != nil {
		return err
	}
	events, err := k.watch(ctx, k.position)
	if err != nil {
		return err
	}
	o.ended.Go(func() { o.follow(ctx, k, events) })
	return nil
}

// watch opens a watch of what has changed since a resourceVersion. If the API server does not know all of that any more,
// the first event says so.
func (k *observed) watch(ctx context.Context, since uint64) (watch.Interface, error) {
	return k.client.Watch(ctx, metav1.ListOptions{
		ResourceVersion: strconv.FormatUint(since, 10),
		TimeoutSeconds:  new(int64(watchTimeout / time.Second)),
	})
}

func (o *Observer) begin(k *observed, list *unstructured.UnstructuredList) error {
	position, err := parseVersion(list.GetResourceVersion())
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	k.objects, k.born = map[types.UID]*unstructured.Unstructured{}, map[types.UID]*unstructured.Unstructured{}
	for i := range list.Items {
		if err := o.record(k, watch.Added, &list.Items[i], true); err != nil {
			return err
		}
	}
	k.position = position
	return nil
}

// follow records events until the observation is stopped or has a gap. The API server closes a watch that is too slow for a
// burst of events. Then another one continues where it ended.
func (o *Observer) follow(ctx context.Context, k *observed, events watch.Interface) {
	defer func() { events.Stop() }()
	for {
		select {
		case event, more := <-events.ResultChan():
			if ctx.Err() != nil {
				return
			}
			if !more {
				next, err := k.watch(ctx, o.positionOf(k))
				if err == nil {
					events = next
					continue
				}
				o.fail(fmt.Errorf("continue the observer's own watch on %s: %w", k.resource, err))
				return
			}
			if err := o.take(k, event); err != nil {
				o.fail(fmt.Errorf("the observer's own watch on %s ended, so that the history has a gap; "+
					"this says nothing about the controller: %w", k.resource, err))
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (o *Observer) positionOf(k *observed) uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return k.position
}

func (o *Observer) take(k *observed, event watch.Event) error {
	if event.Type == watch.Error {
		return apierrors.FromObject(event.Object)
	}
	object, ok := event.Object.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("an event %s with a %T", event.Type, event.Object)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.record(k, event.Type, object, false); err != nil {
		return err
	}
	o.signal()
	return nil
}

func (o *Observer) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.err = err
	}
	o.signal()
}

// record makes an event part of the history. The caller holds o.mu.
func (o *Observer) record(k *observed, event watch.EventType, object *unstructured.Unstructured, initial bool) error {
	version, err := parseVersion(object.GetResourceVersion())
	if err != nil {
		return err
	}
	switch event {
	case watch.Added, watch.Modified:
		k.objects[object.GetUID()] = object
	case watch.Deleted:
		delete(k.objects, object.GetUID())
	default:
		return fmt.Errorf("an event of type %s", event)
	}
	k.born[object.GetUID()] = object
	k.position = version
	change := history.Change{
		ResourceVersion: version, Seen: o.log.Now(), Type: string(event), Resource: k.resource, Object: object, Initial: initial,
	}
	o.log.Write(func(run *history.Run) { run.Changes = insert(run.Changes, change) })
	return nil
}

// insert keeps the changes in the order of their resourceVersions, in which the events of one watch
// come but not those of two. Two resources never share one: they are counted over the whole store.
func insert(changes []history.Change, change history.Change) []history.Change {
	place, _ := slices.BinarySearchFunc(changes, change, func(a, b history.Change) int {
		return cmp.Compare(a.ResourceVersion, b.ResourceVersion)
	})
	return slices.Insert(changes, place, change)
}

func parseVersion(text string) (uint64, error) {
	version, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("the API server gave a resourceVersion that is no number: %w", err)
	}
	return version, nil
}
