package main

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// way is how the controller finds out that a bucket is no longer what its Workspace asks for.
type way string

const (
	reapply way = "reapply" // after an interval, each reconcile sends the settings again, whether or not they differ
	poll    way = "poll"    // after an interval, each reconcile looks, and sends the settings if they differ
	poller  way = "poller"  // after an interval, one look at all buckets has those Workspaces reconciled whose buckets differ
	notify  way = "notify"  // the store tells of changes, and what it does not tell of is found as with poller
)

// drift says how to notice drift.
type drift struct {
	way      way
	interval time.Duration // between two looks; with reapply, between two updates
}

// parseDrift reads the flags.
func parseDrift(name string, interval time.Duration) (drift, error) {
	ways := []way{reapply, poll, poller, notify}
	if !slices.Contains(ways, way(name)) {
		return drift{}, fmt.Errorf("--drift is %q; it has to be one of %q", name, ways)
	}
	if interval <= 0 {
		return drift{}, fmt.Errorf("--drift-interval is %s; it has to be positive", interval)
	}
	return drift{way(name), interval}, nil
}

// byReconcile says whether each reconcile looks at the bucket, instead of a watcher at all buckets.
func (d drift) byReconcile() bool { return d.way == reapply || d.way == poll }

// pause is how long to wait before the next look: not the same for all objects and processes, or they would all come at once.
func (d drift) pause() time.Duration { return wait.Jitter(d.interval, 0.1) }
