// Command watch reports changes.
package main

import (
	"context"
	"errors"
	"fmt"
	"sort"

	client "example.com/some/client/v2"
	"example.com/some/queue"
)

// A watch is a stream of changes.
type watch struct {
	client *client.Client
	// queue holds the names of what has changed.
	queue *queue.Queue
	clock func() int
	// stopped is true once and for all.
	// +optional
	// +listType=atomic
	stopped bool
}

// run waits for changes.
func (w *watch) run(ctx context.Context) error {
	if w.stopped {
		return errors.New("the watch is stopped")
	}
	for change := range w.client.Changes(ctx) {
		if change.Name == "" {
			return fmt.Errorf("change %d has no name", change.Number)
		}
		w.queue.Add(change.Name)
	}
	return ctx.Err()
}

// sorted returns the names in order.
func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

// count returns how many names there are.
func count(names []string) int { return len(names) }

var errStopped = errors.New("stopped")
