package demo

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/cluster"
)

const (
	sampleNamespace = "default"

	// sampleLimit bounds each wait for a sample; none takes longer than 15 s.
	sampleLimit = time.Minute

	// stillness is how long the demo shows that nothing happens in a suspended run.
	stillness = 2 * time.Second
)

func (d *demo) showSuccess(ctx context.Context) error {
	d.say("three-steps.yaml: one step after another",
		"Each step is a Job. Each line shows the state of all steps; the next one starts only once the one before has succeeded.")
	return d.runToEnd(ctx, "three-steps", ending{
		summary: metav1.ConditionTrue, reason: v1alpha1.ReasonAllStepsSucceeded, jobs: 3,
		states: []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded},
	})
}

func (d *demo) showFailure(ctx context.Context) error {
	d.say("failing-step.yaml: a step that fails",
		"The second step exits with 3. Then the run has failed, and the third step is skipped: it never gets a Job.")
	return d.runToEnd(ctx, "failing-step", ending{
		summary: metav1.ConditionFalse, reason: v1alpha1.ReasonStepFailed, jobs: 2,
		states: []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped},
	})
}

// runToEnd applies a sample, shows it until it has finished, and checks how it ended.
func (d *demo) runToEnd(ctx context.Context, sample string, must ending) error {
	v, err := d.applySample(ctx, sample)
	if err != nil {
		return err
	}
	defer v.stop()
	if err := v.follow(ctx, isFinished); err != nil {
		return err
	}
	return d.checkEnding(ctx, v.object, must)
}

func (d *demo) showSuspension(ctx context.Context) error {
	d.say("suspended.yaml: a run that is suspended and resumed",
		"It is created with suspend: true, so nothing starts.")
	v, err := d.applySample(ctx, "suspended")
	if err != nil {
		return err
	}
	defer v.stop()
	if err := v.follow(ctx, isSuspended); err != nil {
		return err
	}

	d.say("", "Now suspend is set to false.")
	if err := d.setSuspend(ctx, v.object, false); err != nil {
		return err
	}
	if err := v.follow(ctx, isRunning("migrate")); err != nil {
		return err
	}
	if _, err := d.awaitPod(ctx, v1alpha1.JobName("suspended", "migrate")); err != nil {
		return err
	}

	d.say("", "And to true again, while step migrate runs: its Job is suspended too, which stops its pod.")
	if err := d.setSuspend(ctx, v.object, true); err != nil {
		return err
	}
	if err := v.follow(ctx, isSuspended); err != nil {
		return err
	}
	if err := d.runKubectl(ctx, "get", "jobs", "--selector", v1alpha1.LabelSequentialJob+"=suspended"); err != nil {
		return err
	}
	if err := d.checkStillness(ctx, v); err != nil {
		return err
	}

	d.say("", "\nAnd to false: the step's Job continues with a new pod.")
	if err := d.setSuspend(ctx, v.object, false); err != nil {
		return err
	}
	if err := v.follow(ctx, isFinished); err != nil {
		return err
	}
	return d.checkEnding(ctx, v.object, ending{
		summary: metav1.ConditionTrue, reason: v1alpha1.ReasonAllStepsSucceeded, jobs: 2,
		states: []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepSucceeded},
	})
}

// applySample applies a sample as kubectl apply would, and opens a view of it.
func (d *demo) applySample(ctx context.Context, name string) (*view, error) {
	return d.apply(ctx, name, filepath.Join(d.operator.Samples, name+".yaml"))
}

// apply applies the manifest of a SequentialJob, and opens a view of it.
func (d *demo) apply(ctx context.Context, name, manifest string) (*view, error) {
	v, err := d.openView(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := cluster.ApplyFiles(ctx, d.cluster.Config(), manifest); err != nil {
		v.stop()
		return nil, err
	}
	return v, nil
}

func (d *demo) setSuspend(ctx context.Context, object *v1alpha1.SequentialJob, suspend bool) error {
	changed := object.DeepCopy()
	changed.Spec.Suspend = new(suspend)
	if err := d.server.Patch(ctx, changed, client.MergeFrom(object)); err != nil {
		return fmt.Errorf("set suspend to %t: %w", suspend, err)
	}
	return nil
}

// awaitPod waits until a Job's pod has been started, and returns the pod.
func (d *demo) awaitPod(ctx context.Context, job string) (*corev1.Pod, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, sampleLimit, fmt.Errorf("no pod of Job %s was started within %s", job, sampleLimit))
	defer cancel()
	pods := &corev1.PodList{}
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		err := d.server.List(ctx, pods, client.InNamespace(sampleNamespace), client.MatchingLabels{batchv1.JobNameLabel: job})
		return len(pods.Items) > 0 && pods.Items[0].Status.StartTime != nil, err
	})
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, err
	}
	return &pods.Items[0], nil
}

// checkStillness waits for a while and fails if anything in a suspended run has changed.
func (d *demo) checkStillness(ctx context.Context, v *view) error {
	select {
	case <-time.After(stillness):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	now := &v1alpha1.SequentialJob{}
	if err := d.server.Get(ctx, client.ObjectKeyFromObject(v.object), now); err != nil {
		return err
	}
	if now.ResourceVersion != v.object.ResourceVersion {
		return fmt.Errorf("%s changed while it was suspended: %s", now.Name, lineOf(now))
	}
	jobs, err := d.jobsOf(ctx, now)
	if err != nil {
		return err
	}
	for _, job := range jobs {
		if job.Status.Active > 0 {
			return fmt.Errorf("%s is suspended, but Job %s has %d active pods", now.Name, job.Name, job.Status.Active)
		}
	}
	return nil
}

func (d *demo) jobsOf(ctx context.Context, object *v1alpha1.SequentialJob) ([]batchv1.Job, error) {
	jobs := &batchv1.JobList{}
	err := d.server.List(ctx, jobs, client.InNamespace(object.Namespace), client.MatchingLabels{v1alpha1.LabelSequentialJob: object.Name})
	return jobs.Items, err
}

func (d *demo) checkEnding(ctx context.Context, object *v1alpha1.SequentialJob, want ending) error {
	jobs, err := d.jobsOf(ctx, object)
	if err != nil {
		return err
	}
	return want.check(object, len(jobs))
}

func isFinished(object *v1alpha1.SequentialJob) bool {
	summary := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSucceeded)
	return summary != nil && summary.Status != metav1.ConditionUnknown
}

func isSuspended(object *v1alpha1.SequentialJob) bool {
	return meta.IsStatusConditionTrue(object.Status.Conditions, v1alpha1.ConditionSuspended)
}

func isRunning(step string) func(*v1alpha1.SequentialJob) bool {
	return func(object *v1alpha1.SequentialJob) bool {
		for _, s := range object.Status.Steps {
			if s.Name == step {
				return s.State == v1alpha1.StepRunning
			}
		}
		return false
	}
}
