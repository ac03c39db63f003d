package campaign

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

func always(world) bool { return true }

func running(step string) func(world) bool {
	return func(w world) bool { return w.Running(step) != nil }
}

func creates(sequentialJob *v1alpha1.SequentialJob) act {
	return act{
		what: "creates " + sample.Web, when: always,
		do: func(ctx context.Context, s *stage.Stage, _ world) error {
			fresh := sequentialJob.DeepCopy()
			fresh.Namespace = s.Namespace
			return s.Client.Create(ctx, fresh)
		},
	}
}

// changes lets the user change the spec when the step's Job runs.
func changes(what string, when func(world) bool, change func(*v1alpha1.SequentialJobSpec)) act {
	return act{
		what: what, when: when,
		do: func(ctx context.Context, s *stage.Stage, _ world) error {
			current := newObjectIn(s.Namespace)
			if err := s.Client.Get(ctx, client.ObjectKeyFromObject(current), current); err != nil {
				return err
			}
			changed := current.DeepCopy()
			change(&changed.Spec)
			return s.Client.Patch(ctx, changed, client.MergeFrom(current))
		},
	}
}

func deletes(when func(world) bool) act {
	return deletesWith(metav1.DeletePropagationBackground, "deletes "+sample.Web, when)
}

func deletesInForeground(when func(world) bool) act {
	return deletesWith(metav1.DeletePropagationForeground, "deletes "+sample.Web+" in the foreground", when)
}

func deletesWith(policy metav1.DeletionPropagation, what string, when func(world) bool) act {
	return act{
		what: what, when: when,
		do: func(ctx context.Context, s *stage.Stage, _ world) error {
			return s.Client.Delete(ctx, newObjectIn(s.Namespace), client.PropagationPolicy(policy))
		},
	}
}

// createsAgain creates it once the one before is gone with all its Jobs.
func createsAgain(sequentialJob *v1alpha1.SequentialJob) act {
	again := creates(sequentialJob)
	again.what += " again"
	again.when = func(w world) bool { return w.something() == "" }
	return again
}

func recreates(when func(world) bool, sequentialJob *v1alpha1.SequentialJob) act {
	return act{
		what: "deletes " + sample.Web + " and creates it again", when: when,
		do: func(ctx context.Context, s *stage.Stage, w world) error {
			if err := deletes(when).do(ctx, s, w); err != nil {
				return err
			}
			return creates(sequentialJob).do(ctx, s, w)
		},
	}
}

// toRunning is what is done to a step's Job once it runs.
func toRunning(step string, do func(*jobdriver.Driver, context.Context, *batchv1.Job) error) act {
	return act{
		when: running(step),
		do: func(ctx context.Context, s *stage.Stage, w world) error {
			return do(s.Driver, ctx, w.Running(step))
		},
	}
}

func completes(step string) act { return toRunning(step, (*jobdriver.Driver).Complete) }

// announces lets the Job controller say that the Job will be complete, while its pods still end.
func announces(step string) act { return toRunning(step, (*jobdriver.Driver).Announce) }

func fails(step string) act {
	return toRunning(step, func(d *jobdriver.Driver, ctx context.Context, job *batchv1.Job) error {
		return d.Fail(ctx, job, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	})
}

// decoy creates another owner's Job with the labels of a step's Job.
func decoy(step string) act {
	return toRunning(step, func(d *jobdriver.Driver, ctx context.Context, job *batchv1.Job) error {
		_, err := d.Decoy(ctx, job)
		return err
	})
}

// removes lets a user delete a step's Job.
func removes(step string, when func(world) bool) act {
	return act{
		when: func(w world) bool { return w.Job(step) != nil && when(w) },
		do: func(ctx context.Context, s *stage.Stage, w world) error {
			return s.Driver.Vanish(ctx, w.Job(step))
		},
	}
}

func newObjectIn(namespace string) *v1alpha1.SequentialJob {
	return &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: sample.Web}}
}

// foreignJob has the name that the finished operator would give to a step's Job.
func foreignJob(step string) act {
	return act{
		what: "creates a Job with the name of the Job of step " + step, when: always,
		do: func(ctx context.Context, s *stage.Stage, _ world) error {
			template := sample.Step("foreign").JobTemplate
			return s.Client.Create(ctx, &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.JobName(sample.Web, step)},
				Spec:       batchv1.JobSpec{Template: template.Spec.Template, Suspend: new(true)},
			})
		},
	}
}

func foreignJobGoes(step string, when func(world) bool) act {
	return act{
		what: "deletes that Job", when: when,
		do: func(ctx context.Context, s *stage.Stage, _ world) error {
			job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.JobName(sample.Web, step)}}
			err := s.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground))
			return client.IgnoreNotFound(err) // a wrong controller may have deleted it
		},
	}
}
