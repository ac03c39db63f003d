package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/audit"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/subject"
)

// Rest is what was measured of a controller that started on finished objects.
type Rest struct {
	Objects  int
	Requests audit.Counts
	// Bytes is the resident memory once every object had been looked at, EmptyBytes that of the
	// same controller with no object there.
	Bytes, EmptyBytes float64
}

// BytesPerObject is what one more finished object costs in memory.
func (r Rest) BytesPerObject() float64 { return (r.Bytes - r.EmptyBytes) / float64(r.Objects) }

// MeasureRest starts the controller on that many finished SequentialJobs.
func MeasureRest(ctx context.Context, measured subject.Subject, objects int, dir string) (rest Rest, err error) {
	rest.Objects = objects
	b, err := start(ctx, measured, dir)
	if err != nil {
		return rest, err
	}
	defer func() { err = errors.Join(err, b.cluster.Stop()) }()

	if rest.EmptyBytes, err = b.memoryAfterStart(ctx, measured, 0); err != nil {
		return rest, err
	}
	if err := b.createFinished(ctx, objects); err != nil {
		return rest, err
	}
	if rest.Bytes, err = b.memoryAfterStart(ctx, measured, objects); err != nil {
		return rest, err
	}
	rest.Requests, err = b.countRequests()
	return rest, err
}

// memoryAfterStart starts the controller, waits until it has looked at every object, and returns
// its resident memory.
func (b *bench) memoryAfterStart(ctx context.Context, measured subject.Subject, objects int) (bytes float64, err error) {
	metrics, err := b.settled(ctx, measured, objects)
	return metrics[residentMemory], err
}

// createFinished creates SequentialJobs with the status of finished ones.
func (b *bench) createFinished(ctx context.Context, objects int) error {
	return inParallel(objects, func(i int) error {
		object := sequence(i)
		if err := b.server.Create(ctx, object); err != nil {
			return fmt.Errorf("create SequentialJob %s: %w", object.Name, err)
		}
		before := object.DeepCopy()
		object.Status = finishedStatus(object)
		if err := b.server.Status().Patch(ctx, object, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("finish SequentialJob %s: %w", object.Name, err)
		}
		return nil
	})
}

func finishedStatus(object *v1alpha1.SequentialJob) v1alpha1.SequentialJobStatus {
	now := metav1.Now()
	status := v1alpha1.SequentialJobStatus{
		ObservedGeneration: object.Generation, StartTime: &now, CompletionTime: &now,
		Progress: fmt.Sprintf("%d/%[1]d", steps),
	}
	for _, step := range object.Spec.Steps {
		status.Steps = append(status.Steps, v1alpha1.StepStatus{
			Name: step.Name, State: v1alpha1.StepSucceeded, JobName: v1alpha1.JobName(object.Name, step.Name),
			JobUID: object.UID, StartTime: &now, CompletionTime: &now,
		})
	}
	for _, condition := range []metav1.Condition{
		{Type: v1alpha1.ConditionAccepted, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAccepted},
		{Type: v1alpha1.ConditionSuspended, Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonFinished},
		{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonAllStepsSucceeded},
	} {
		condition.LastTransitionTime, condition.ObservedGeneration = now, object.Generation
		status.Conditions = append(status.Conditions, condition)
	}
	return status
}

// awaitMetrics waits until reached says so of the controller's metrics, each summed up over its labels.
func awaitMetrics(ctx context.Context, controller *process.Process, reached func(map[string]float64) bool) error {
	poll := time.NewTicker(100 * time.Millisecond)
	defer poll.Stop()
	for {
		if metrics, err := controller.Metrics(ctx, nil); err == nil && reached(metrics) {
			return nil
		}
		select {
		case <-poll.C:
		case <-controller.Ended():
			return fmt.Errorf("the controller has ended by itself; its log is %s", controller.Log())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
