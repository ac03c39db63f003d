// Command watch reports changes.
package main

import (
	"context"
	"errors"

	client "example.com/some/client/v2"
)

// A watch is a stream of changes.
type watch struct {
	client *client.Client
	// TODO(field): Say what else a watch has to know.

	// TODO(clock): Let it know the time.

	// stopped is true once and for all.
	// TODO(marker): Say that it is optional.
	// +listType=atomic
	stopped bool
}

// run waits for changes.
func (w *watch) run(ctx context.Context) error {
	if w.stopped {
		return errors.New("the watch is stopped")
	}
	for change := range w.client.Changes(ctx) {
		// TODO(enqueue): Put the name of what has changed into the queue.
		// Do nothing else here.
		//
		// A change without a name is an error.
		if change.Name == "" {
			continue
		}
	}
	// TODO(rest): Return what the context says.
	return nil
}

// sorted returns the names in order.
//
// TODO(sorted): Write sorted.
func sorted(names []string) []string { return names }

// TODO(count): Write a function count that returns how many names there are.

var errStopped = errors.New("stopped")
