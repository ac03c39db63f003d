package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/buckets"
	observed "example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/stage"
)

// DriftCost is what it costs a controller to notice, in one way, that somebody has changed or deleted a bucket. To those who watch
// Workspaces, such as the controller of SequentialJobs, this controller is the sixth way: a poller outside.
type DriftCost struct {
	Name     string          // of the code
	Way      string          // as the flag --drift calls it
	AtRest   float64         // requests to the store in an interval in which nobody changes a bucket
	Restored []time.Duration // how long it took until a changed setting was put back, the shortest time first
	Told     []time.Duration // how long it took until a status said that a bucket was gone, the shortest time first
}

// The measurement of a way: so many Workspaces, an interval between two looks, for how many intervals requests are counted while nobody
// changes a bucket, and how many buckets are changed after that, and then deleted, one after another.
const (
	driftWorkspaces = 100
	driftInterval   = 5 * time.Second
	driftIntervals  = 3
	driftChanges    = 5
)

// MeasureDrift measures a controller with one way to notice drift.
func MeasureDrift(ctx context.Context, ground *stage.Ground, controller stage.Controller, name, way string) (cost DriftCost, err error) {
	cost.Name, cost.Way = name, way
	s, err := ground.Open(ctx, stage.Options{
		Controller: controller, WithStore: true, Kinds: append([]observed.Kind{observed.Workspace, observed.Secret}, observed.Default...),
		Args: []string{"--drift=" + way, "--drift-interval=" + driftInterval.String()},
	})
	if err != nil {
		return cost, err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	if err := s.StartProcess(); err != nil {
		return cost, err
	}
	all, err := createReady(ctx, s, driftWorkspaces)
	if err != nil {
		return cost, err
	}
	if err := sleep(ctx, driftInterval); err != nil {
		return cost, err
	}
	before := storeRequests(s)
	if err := sleep(ctx, driftIntervals*driftInterval); err != nil {
		return cost, err
	}
	cost.AtRest = float64(storeRequests(s)-before) / driftIntervals
	for i := range driftChanges {
		took, err := untilRestored(ctx, s, v1alpha1.BucketName(all[i].UID))
		if err != nil {
			return cost, err
		}
		cost.Restored = append(cost.Restored, took)
	}
	for i := range driftChanges {
		took, err := untilTold(ctx, s, &all[i])
		if err != nil {
			return cost, err
		}
		cost.Told = append(cost.Told, took)
	}
	slices.Sort(cost.Restored)
	slices.Sort(cost.Told)
	return cost, nil
}

// createReady creates Workspaces, and returns them once all are ready.
func createReady(ctx context.Context, s *stage.Stage, many int) ([]v1alpha1.Workspace, error) {
	for i := range many {
		object := &v1alpha1.Workspace{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: fmt.Sprintf("files-%d", i+1)}}
		object.Spec.Capacity = resource.MustParse("64Ki")
		if err := s.Client.Create(ctx, object); err != nil {
			return nil, err
		}
	}
	var all v1alpha1.WorkspaceList
	const limit, every = 2 * time.Minute, 200 * time.Millisecond
	err := wait.PollUntilContextTimeout(ctx, every, limit, true, func(ctx context.Context) (bool, error) {
		err := s.Client.List(ctx, &all, client.InNamespace(s.Namespace))
		notReady := slices.ContainsFunc(all.Items, func(one v1alpha1.Workspace) bool {
			return !meta.IsStatusConditionTrue(one.Status.Conditions, v1alpha1.ConditionReady)
		})
		return !notReady, err
	})
	if err != nil {
		return nil, fmt.Errorf("waiting until all %d Workspaces are ready: %w", many, err)
	}
	return all.Items, nil
}

// storeRequests is how many requests the controller has sent to the store.
func storeRequests(s *stage.Stage) (many int) {
	for _, r := range s.Log.Run().Requests {
		if r.Call.Resource == buckets.Resource {
			many++
		}
	}
	return many
}

// untilRestored halves a bucket's limit, and returns how long it took until it was put back.
func untilRestored(ctx context.Context, s *stage.Stage, bucket string) (time.Duration, error) {
	before, err := s.Store.Admin.Settings(ctx, bucket)
	if err != nil {
		return 0, err
	}
	if err := s.Store.Admin.Change(ctx, bucket, func(c *jetstream.StreamConfig) { c.MaxBytes /= 2 }); err != nil {
		return 0, err
	}
	took, err := until(ctx, func(ctx context.Context) (bool, error) {
		now, err := s.Store.Admin.Settings(ctx, bucket)
		return now.MaxBytes == before.MaxBytes, err
	})
	if err != nil {
		return 0, fmt.Errorf("waiting until the limit of bucket %s is put back: %w", bucket, err)
	}
	return took, nil
}

// untilTold deletes a Workspace's bucket, and returns how long it took until the Workspace's status said that its files are lost.
func untilTold(ctx context.Context, s *stage.Stage, workspace *v1alpha1.Workspace) (time.Duration, error) {
	if err := s.Store.Admin.Delete(ctx, v1alpha1.BucketName(workspace.UID)); err != nil {
		return 0, err
	}
	took, err := until(ctx, func(ctx context.Context) (bool, error) {
		err := s.Client.Get(ctx, client.ObjectKeyFromObject(workspace), workspace)
		bucket := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionBucketReady)
		return bucket != nil && bucket.Reason == v1alpha1.ReasonContentLost, err
	})
	if err != nil {
		return 0, fmt.Errorf("waiting until the status of Workspace %s says that its files are lost: %w", workspace.Name, err)
	}
	return took, nil
}

// until returns how long it took until a condition held.
func until(ctx context.Context, holds wait.ConditionWithContextFunc) (time.Duration, error) {
	const limit, every = 10 * driftInterval, 5 * time.Millisecond
	began := time.Now()
	err := wait.PollUntilContextTimeout(ctx, every, limit, true, holds)
	return time.Since(began), err
}

func sleep(ctx context.Context, duration time.Duration) error {
	select {
	case <-time.After(duration):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WriteDriftCosts writes a table, and a chart of the requests at rest.
func WriteDriftCosts(out io.Writer, costs []DriftCost) {
	fmt.Fprintf(out, "%d Workspaces, and %s between two looks:\n\n", driftWorkspaces, driftInterval)
	fmt.Fprintln(out, "| code | way | requests at rest, each interval | for each Workspace and hour, with ten minutes between two looks | put back after, median | at most | loss in the status after, median | at most |")
	fmt.Fprintln(out, "|---|---|---:|---:|---:|---:|---:|---:|")
	const lookEachHour, width = 6, 50
	most := 1.0
	for _, c := range costs {
		fmt.Fprintf(out, "| %s | `%s` | %.1f | %.2f | %s | %s |\n", c.Name, c.Way, c.AtRest, c.AtRest*lookEachHour/driftWorkspaces,
			medianAndMost(c.Restored), medianAndMost(c.Told))
		most = max(most, c.AtRest)
	}
	fmt.Fprint(out, "\nRequests at rest, each interval:\n\n```\n")
	for _, c := range costs {
		fmt.Fprintf(out, "%-13s %-8s %s %.1f\n", c.Name, c.Way, strings.Repeat("█", int(c.AtRest/most*width)), c.AtRest)
	}
	fmt.Fprintln(out, "```")
}

// medianAndMost are two cells of a table, about sorted times.
func medianAndMost(times []time.Duration) string {
	return fmt.Sprintf("%.2f s | %.2f s", times[len(times)/2].Seconds(), times[len(times)-1].Seconds())
}
