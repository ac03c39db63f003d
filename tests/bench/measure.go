// Package bench measures a SequentialJob controller under load, as a process against a full
// embedded cluster. It judges nothing: that is left to the reader of the figures.
package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/audit"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/subject"
)

const (
	namespace = "default"
	steps     = 3

	// creators is how many requests to create SequentialJobs are in flight at the same time.
	creators = 20
)

// Load is what was measured while sequences ran.
type Load struct {
	Sequences int           // how many at the same time, of three steps each
	Total     time.Duration // from the first creation asked for to the last end seen
	Gaps      []time.Duration
	FirstJobs []time.Duration // from the response to a creation to the first Job seen
	Requests  audit.Counts
	PeakBytes int64
}

// Rate is in sequences a second.
func (l Load) Rate() float64 { return float64(l.Sequences) / l.Total.Seconds() }

// bench is a cluster with a client of its own.
type bench struct {
	cluster *cluster.Cluster
	server  client.Client
	dir     string
}

// start starts a full cluster whose audit log has the subject's requests.
func start(ctx context.Context, measured subject.Subject, dir string) (*bench, error) {
	return startWith(ctx, cluster.Options{Full: true, CRDs: []string{measured.CRDs}, Dir: dir})
}

func startWith(ctx context.Context, options cluster.Options) (*bench, error) {
	options.AuditUsers = []string{process.User}
	c, err := cluster.Start(ctx, options)
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	err = errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
	server, clientErr := client.New(c.Config(), client.Options{Scheme: scheme})
	if err := errors.Join(err, clientErr); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return &bench{cluster: c, server: server, dir: options.Dir}, nil
}

// run starts the subject.
func (b *bench) run(ctx context.Context, measured subject.Subject) (*process.Process, error) {
	return measured.Start(ctx, b.cluster, filepath.Join(b.dir, "operator"))
}

// countRequests counts what the subject has asked of the API server.
func (b *bench) countRequests() (audit.Counts, error) {
	requests, err := audit.Read(b.cluster.AuditLog(), process.User)
	return audit.Count(requests), err
}

// MeasureLoad runs that many sequences at the same time, on a cluster of their own in dir.
func MeasureLoad(ctx context.Context, measured subject.Subject, sequences int, dir string, out io.Writer) (load Load, err error) {
	load.Sequences = sequences
	b, err := start(ctx, measured, dir)
	if err != nil {
		return load, err
	}
	defer func() { err = errors.Join(err, b.cluster.Stop()) }()
	controller, err := b.run(ctx, measured)
	if err != nil {
		return load, err
	}
	stopped := false
	defer func() {
		if !stopped {
			err = errors.Join(err, controller.Stop())
		}
	}()
	if err := controller.AwaitReady(ctx); err != nil {
		return load, err
	}

	seen, stop, err := b.watch(ctx)
	if err != nil {
		return load, err
	}
	defer stop()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go seen.reportProgress(ctx, sequences, out)

	begun := time.Now()
	if err := b.createSequences(ctx, sequences, seen); err != nil {
		return load, err
	}
	if err := seen.waitFor(ctx, func() bool { return len(seen.completed) == sequences*steps }); err != nil {
		return load, err
	}
	if err := b.awaitSuccess(ctx, sequences); err != nil {
		return load, err
	}
	load.Total = time.Since(begun)

	stopped = true
	if err := controller.Stop(); err != nil {
		return load, err
	}
	load.Gaps, load.FirstJobs = seen.gaps, seen.untilFirstJob()
	load.PeakBytes = controller.PeakBytes()
	load.Requests, err = b.countRequests()
	return load, err
}

// watch stamps what happens to Jobs from now on, until stop.
func (b *bench) watch(ctx context.Context) (seen *stamps, stop func(), err error) {
	watched, err := cache.New(b.cluster.Config(), cache.Options{Scheme: b.server.Scheme()})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = watched.Start(ctx) }) // it only ever ends with ctx
	stop = func() { cancel(); running.Wait() }
	seen = newStamps()
	if err := seen.follow(ctx, watched); err != nil {
		stop()
		return nil, nil, err
	}
	return seen, stop, nil
}

// awaitSuccess waits until that many SequentialJobs say that they have succeeded.
func (b *bench) awaitSuccess(ctx context.Context, sequences int) error {
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		list := &v1alpha1.SequentialJobList{}
		if err := b.server.List(ctx, list); err != nil {
			return fmt.Errorf("list SequentialJobs: %w", err)
		}
		succeeded := 0
		for i := range list.Items {
			switch summary := meta.FindStatusCondition(list.Items[i].Status.Conditions, v1alpha1.ConditionSucceeded); {
			case summary == nil:
			case summary.Status == metav1.ConditionFalse:
				return fmt.Errorf("SequentialJob %s failed: %s", list.Items[i].Name, summary.Message)
			case summary.Status == metav1.ConditionTrue:
				succeeded++
			}
		}
		if succeeded == sequences {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// createSequences asks for all of them, a few at a time.
func (b *bench) createSequences(ctx context.Context, sequences int, seen *stamps) error {
	return inParallel(sequences, func(i int) error {
		object := sequence(i)
		if err := b.server.Create(ctx, object); err != nil {
			return fmt.Errorf("create SequentialJob %s: %w", object.Name, err)
		}
		seen.ask(object.Name)
		return nil
	})
}

// inParallel calls do with 0 to n-1, a few at a time, and returns the first error.
func inParallel(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(creators)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}

func sequence(i int) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("run-%05d", i)}}
	for step := range steps {
		object.Spec.Steps = append(object.Spec.Steps, v1alpha1.Step{
			Name: fmt.Sprintf("step-%d", step+1), JobTemplate: batchv1.JobTemplateSpec{Spec: jobSpec()},
		})
	}
	return object
}

func jobSpec() batchv1.JobSpec {
	return batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: "main", Image: "step:dev"}},
	}}}
}

// MeasureFloor returns how long the Job controller alone takes for as many Jobs as that many
// sequences have, all at the same time.
func MeasureFloor(ctx context.Context, measured subject.Subject, sequences int, dir string) (total time.Duration, err error) {
	b, err := start(ctx, measured, dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, b.cluster.Stop()) }()
	seen, stop, err := b.watch(ctx)
	if err != nil {
		return 0, err
	}
	defer stop()

	jobs := sequences * steps
	begun := time.Now()
	err = inParallel(jobs, func(i int) error {
		job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("job-%05d", i)}, Spec: jobSpec()}
		return b.server.Create(ctx, job)
	})
	if err != nil {
		return 0, fmt.Errorf("create Jobs: %w", err)
	}
	err = seen.waitFor(ctx, func() bool { return len(seen.completed) == jobs })
	return time.Since(begun), err
}
