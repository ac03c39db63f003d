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
	//exercise:begin field Say what else a watch has to know.

	// queue holds the names of what has changed.
	queue *queue.Queue

	//exercise:end
	//exercise:begin clock Let it know the time.
	clock func() int
	//exercise:end
	// stopped is true once and for all.
	//exercise:begin marker Say that it is optional.
	// +optional
	//exercise:end
	// +listType=atomic
	stopped bool
}

// run waits for changes.
func (w *watch) run(ctx context.Context) error {
	if w.stopped {
		return errors.New("the watch is stopped")
	}
	for change := range w.client.Changes(ctx) {
		//exercise:begin enqueue Put the name of what has changed into the queue.
		//exercise:task Do nothing else here.
		//exercise:task
		//exercise:task A change without a name is an error.
		if change.Name == "" {
			return fmt.Errorf("change %d has no name", change.Number)
		}
		w.queue.Add(change.Name)
		//exercise:starter if change.Name == "" {
		//exercise:starter 	continue
		//exercise:starter }
		//exercise:end
	}
	//exercise:begin rest Return what the context says.
	return ctx.Err()
	//exercise:starter return nil
	//exercise:end
}

// sorted returns the names in order.
//
//exercise:begin sorted Write sorted.
func sorted(names []string) []string {
	sort.Strings(names)
	return names
}

//exercise:starter func sorted(names []string) []string { return names }
//exercise:end

//exercise:begin count Write a function count that returns how many names there are.

// count returns how many names there are.
func count(names []string) int { return len(names) }

//exercise:end

var errStopped = errors.New("stopped")
