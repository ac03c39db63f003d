package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/subject"
)

// Cost is what it costs a controller that other people's Jobs exist. A tenth of the Jobs belongs to SequentialJobs, which have
// ended. Each Job has a pod.
type Cost struct {
	Name     string // of the code
	Jobs     int
	Started  float64 // resident memory in bytes, after a start
	Failed   float64 // resident memory in bytes, after a step has failed
	Requests int     // besides watches, until each object has been reconciled once
	// Reconcile is how long a reconcile takes on average, from the start until each object has been reconciled once.
	Reconcile time.Duration
}

// residentMemory is the metric with the memory of a process, in bytes.
const residentMemory = "process_resident_memory_bytes"

// text is how much a template contains besides what it needs: what a container with some forty variables has.
const text = 8 * 1024

// MeasureCost measures a controller, on a cluster of its own in dir, without a Job controller: nothing changes by itself.
func MeasureCost(ctx context.Context, name string, measured subject.Subject, jobs int, dir string) (cost Cost, err error) {
	cost.Name, cost.Jobs = name, jobs
	b, err := startWith(ctx, cluster.Options{CRDs: []string{measured.CRDs}, Dir: dir})
	if err != nil {
		return cost, err
	}
	defer func() { err = errors.Join(err, b.cluster.Stop()) }()
	objects := jobs / 10 / steps
	if err := errors.Join(b.createEnded(ctx, objects), b.createForeign(ctx, jobs-objects*steps)); err != nil {
		return cost, err
	}
	// Each program words a status in its own way. The first start writes it like that, and the second one has nothing to write.
	if _, err := b.settled(ctx, measured, objects); err != nil {
		return cost, err
	}
	before, err := b.countRequests()
	if err != nil {
		return cost, err
	}
	return b.cost(ctx, cost, measured, objects, besidesWatches(before.ByKind))
}

// settled starts the controller and stops it once it has reconciled each object.
func (b *bench) settled(ctx context.Context, measured subject.Subject, objects int) (metrics map[string]float64, err error) {
	controller, err := b.run(ctx, measured)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, controller.Stop()) }()
	return idle(ctx, controller, objects)
}

// idle waits until the controller has so many reconciles behind it and nothing to do, and returns its metrics.
func idle(ctx context.Context, controller *process.Process, reconciles int) (metrics map[string]float64, err error) {
	err = awaitMetrics(ctx, controller, func(now map[string]float64) bool {
		metrics = now
		return now["controller_runtime_reconcile_total"] >= float64(reconciles) &&
			now["workqueue_depth"] == 0 && now["controller_runtime_active_workers"] == 0
	})
	return metrics, err
}

func (b *bench) cost(ctx context.Context, cost Cost, measured subject.Subject, objects, before int) (_ Cost, err error) {
	controller, err := b.run(ctx, measured)
	if err != nil {
		return cost, err
	}
	defer func() { err = errors.Join(err, controller.Stop()) }()
	metrics, err := idle(ctx, controller, objects)
	if err != nil {
		return cost, err
	}
	requests, err := b.countRequests()
	if err != nil {
		return cost, err
	}
	cost.Requests = besidesWatches(requests.ByKind) - before
	cost.Started = metrics[residentMemory]
	total, many := metrics["controller_runtime_reconcile_time_seconds_sum"], metrics["controller_runtime_reconcile_time_seconds_count"]
	cost.Reconcile = time.Duration(total / many * float64(time.Second))

	if err := b.failStep(ctx); err != nil {
		return cost, err
	}
	metrics, err = idle(ctx, controller, objects)
	cost.Failed = metrics[residentMemory]
	return cost, err
}

func besidesWatches(byKind map[string]int) (many int) {
	for kind, count := range byKind {
		if !strings.HasPrefix(kind, "watch ") {
			many += count
		}
	}
	return many
}

// createEnded creates SequentialJobs that have ended, with their Jobs.
func (b *bench) createEnded(ctx context.Context, objects int) error {
	if err := b.createFinished(ctx, objects); err != nil {
		return err
	}
	return inParallel(objects, func(i int) error {
		owner := &v1alpha1.SequentialJob{}
		if err := b.server.Get(ctx, client.ObjectKeyFromObject(sequence(i)), owner); err != nil {
			return err
		}
		for _, step := range owner.Spec.Steps {
			job := bigJob(v1alpha1.JobName(owner.Name, step.Name))
			job.Labels = map[string]string{v1alpha1.LabelSequentialJob: owner.Name, v1alpha1.LabelStep: step.Name}
			if err := controllerutil.SetControllerReference(owner, job, b.server.Scheme()); err != nil {
				return err
			}
			if err := b.createWithPod(ctx, job); err != nil {
				return err
			}
		}
		return nil
	})
}

// createForeign creates Jobs that belong to nobody.
func (b *bench) createForeign(ctx context.Context, jobs int) error {
	return inParallel(jobs, func(i int) error { return b.createWithPod(ctx, bigJob(fmt.Sprintf("foreign-%05d", i))) })
}

func bigJob(name string) *batchv1.Job {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: jobSpec()}
	job.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "SETTINGS", Value: strings.Repeat("x", text)}}
	return job
}

func (b *bench) createWithPod(ctx context.Context, job *batchv1.Job) error {
	if err := b.server.Create(ctx, job); err != nil {
		return fmt.Errorf("create Job %s: %w", job.Name, err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: job.Name, Labels: map[string]string{batchv1.JobNameLabel: job.Name}},
		Spec:       job.Spec.Template.Spec,
	}
	if err := b.server.Create(ctx, pod); err != nil {
		return fmt.Errorf("create Pod %s: %w", pod.Name, err)
	}
	return nil
}

// pause is how long to wait before asking the API server again.
const pause = 100 * time.Millisecond

// failStep has a step of a new SequentialJob fail, and waits until the controller has reported that.
func (b *bench) failStep(ctx context.Context) error {
	object := sequence(99_999)
	if err := b.server.Create(ctx, object); err != nil {
		return err
	}
	job, err := b.firstJob(ctx, object)
	if err != nil {
		return err
	}
	before, now := job.DeepCopy(), metav1.Now()
	job.Status.StartTime = &now
	for _, conditionType := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: conditionType, Status: corev1.ConditionTrue, Reason: batchv1.JobReasonBackoffLimitExceeded, Message: "a pod has failed", LastTransitionTime: now,
		})
	}
	if err := b.server.Status().Patch(ctx, job, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("fail Job %s: %w", job.Name, err)
	}
	return wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		err := b.server.Get(ctx, client.ObjectKeyFromObject(object), object)
		return meta.IsStatusConditionFalse(object.Status.Conditions, v1alpha1.ConditionSucceeded), err
	})
}

// firstJob waits until an object has a Job, and returns it.
func (b *bench) firstJob(ctx context.Context, owner client.Object) (job *batchv1.Job, err error) {
	err = wait.PollUntilContextCancel(ctx, pause, true, func(ctx context.Context) (bool, error) {
		all := &batchv1.JobList{}
		if err := b.server.List(ctx, all, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		for i := range all.Items {
			if metav1.IsControlledBy(&all.Items[i], owner) {
				job = &all.Items[i]
			}
		}
		return job != nil, nil
	})
	return job, err
}

// WriteCosts writes a table, and a chart of the memory.
func WriteCosts(out io.Writer, costs []Cost) {
	fmt.Fprintln(out, "| code | Jobs | memory after a start | after a failed step | requests at a start, without watches | a reconcile |")
	fmt.Fprintln(out, "|---|---:|---:|---:|---:|---:|")
	most := 0.0
	for _, c := range costs {
		fmt.Fprintf(out, "| %s | %d | %.0f MB | %.0f MB | %d | %.2f ms |\n",
			c.Name, c.Jobs, c.Started/1e6, c.Failed/1e6, c.Requests, float64(c.Reconcile.Microseconds())/1e3)
		most = max(most, c.Started, c.Failed)
	}
	const width = 50
	fmt.Fprintf(out, "\nMemory after a start (█), and what a failed step adds to it (░):\n\n```\n")
	for _, c := range costs {
		bar := func(bytes float64) int { return int(bytes / most * width) }
		fmt.Fprintf(out, "%-13s %5d Jobs  %s%s %.0f MB\n", c.Name, c.Jobs,
			strings.Repeat("█", bar(c.Started)), strings.Repeat("░", max(0, bar(c.Failed)-bar(c.Started))), max(c.Started, c.Failed)/1e6)
	}
	fmt.Fprintln(out, "```")
}
