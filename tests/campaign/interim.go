package campaign

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

type driver struct {
	client    client.Client
	namespace string
	log       *history.Log
}

func newDriver(c client.Client, ns string, log *history.Log) *driver { return &driver{c, ns, log} }

func (d *driver) status(ctx context.Context, job *batchv1.Job, change func(*batchv1.JobStatus)) error {
	fresh := &batchv1.Job{}
	if err := d.client.Get(ctx, client.ObjectKeyFromObject(job), fresh); err != nil {
		return client.IgnoreNotFound(err)
	}
	change(&fresh.Status)
	return d.client.Status().Update(ctx, fresh)
}

func cond(t batchv1.JobConditionType, s corev1.ConditionStatus, reason, message string) batchv1.JobCondition {
	return batchv1.JobCondition{Type: t, Status: s, Reason: reason, Message: message, LastTransitionTime: metav1.Now(), LastProbeTime: metav1.Now()}
}

func set(st *batchv1.JobStatus, c batchv1.JobCondition) {
	for i := range st.Conditions {
		if st.Conditions[i].Type == c.Type {
			st.Conditions[i] = c
			return
		}
	}
	st.Conditions = append(st.Conditions, c)
}

func (d *driver) Start(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate("job controller", "starts Job "+job.Name)
	return d.status(ctx, job, func(s *batchv1.JobStatus) {
		s.StartTime = ptr.To(metav1.Now())
		s.Active = 1
		s.Ready = ptr.To[int32](0)
		s.Terminating = ptr.To[int32](0)
		s.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
		if len(s.Conditions) > 0 {
			set(s, cond(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "Job resumed"))
		}
	})
}

func (d *driver) Suspend(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate("job controller", "suspends Job "+job.Name)
	return d.status(ctx, job, func(s *batchv1.JobStatus) {
		s.StartTime, s.Active, s.Ready, s.Terminating = nil, 0, ptr.To[int32](0), ptr.To[int32](0)
		set(s, cond(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended"))
	})
}

func (d *driver) Complete(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate("job controller", "completes Job "+job.Name)
	return d.status(ctx, job, func(s *batchv1.JobStatus) {
		s.Active, s.Succeeded, s.CompletionTime = 0, 1, ptr.To(metav1.Now())
		s.Ready, s.Terminating = ptr.To[int32](0), ptr.To[int32](0)
		set(s, cond(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, "CompletionsReached", "Reached expected number of succeeded pods"))
		set(s, cond(batchv1.JobComplete, corev1.ConditionTrue, "CompletionsReached", "Reached expected number of succeeded pods"))
	})
}

func (d *driver) Announce(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate("job controller", "says that Job "+job.Name+" meets its success criteria, while its pods end")
	return d.status(ctx, job, func(s *batchv1.JobStatus) {
		s.Terminating = ptr.To[int32](1)
		s.Active = 0
		set(s, cond(batchv1.JobSuccessCriteriaMet, corev1.ConditionTrue, "CompletionsReached", "Reached expected number of succeeded pods"))
	})
}

func (d *driver) Fail(ctx context.Context, job *batchv1.Job, reason, message string) error {
	d.log.Stimulate("job controller", "fails Job "+job.Name)
	return d.status(ctx, job, func(s *batchv1.JobStatus) {
		s.Active, s.Failed = 0, 1
		s.Ready, s.Terminating = ptr.To[int32](0), ptr.To[int32](0)
		set(s, cond(batchv1.JobFailureTarget, corev1.ConditionTrue, reason, message))
		set(s, cond(batchv1.JobFailed, corev1.ConditionTrue, reason, message))
	})
}

func (d *driver) Vanish(ctx context.Context, job *batchv1.Job) error {
	d.log.Stimulate("user", "deletes Job "+job.Name)
	return client.IgnoreNotFound(d.client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}

func (d *driver) Decoy(ctx context.Context, like *batchv1.Job) (*batchv1.Job, error) {
	step := newStep("stranger").JobTemplate.Spec
	labels := map[string]string{}
	for k, v := range like.Labels {
		labels[k] = v
	}
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: like.Namespace, Name: "stranger", Labels: labels,
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "stranger", UID: "3f0b8d52-0000-4000-8000-000000000000", Controller: ptr.To(true)}}},
		Spec: step}
	d.log.Stimulate("user", "creates a Job of somebody else, with the labels of Job "+like.Name)
	return job, d.client.Create(ctx, job)
}

func (d *driver) React(ctx context.Context) (bool, error) {
	var jobs batchv1.JobList
	if err := d.client.List(ctx, &jobs, client.InNamespace(d.namespace)); err != nil {
		return false, err
	}
	var sjs v1alpha1.SequentialJobList
	if err := d.client.List(ctx, &sjs, client.InNamespace(d.namespace)); err != nil {
		return false, err
	}
	live := map[string]bool{}
	for _, s := range sjs.Items {
		live[string(s.UID)] = true
	}
	foreground := map[string]*v1alpha1.SequentialJob{}
	for i := range sjs.Items {
		if sjs.Items[i].DeletionTimestamp != nil {
			foreground[string(sjs.Items[i].UID)] = &sjs.Items[i]
		}
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		owner := metav1.GetControllerOf(job)
		if owner == nil || owner.Kind != v1alpha1.Kind {
			continue
		}
		switch {
		case foreground[string(owner.UID)] != nil && job.DeletionTimestamp == nil:
			d.log.Stimulate("garbage collector", "deletes Job "+job.Name)
			return true, client.IgnoreNotFound(d.client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
		case job.DeletionTimestamp != nil:
			d.log.Stimulate("garbage collector", "lets Job "+job.Name+" go")
			job.Finalizers = nil
			return true, client.IgnoreNotFound(d.client.Update(ctx, job))
		case !live[string(owner.UID)]:
			d.log.Stimulate("garbage collector", "deletes Job "+job.Name)
			return true, client.IgnoreNotFound(d.client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
		case ended(job):
		case suspended(job) && !holds(job, batchv1.JobSuspended):
			return true, d.Suspend(ctx, job)
		case !suspended(job) && job.Status.StartTime == nil:
			return true, d.Start(ctx, job)
		case holds(job, batchv1.JobSuccessCriteriaMet):
			return true, d.Complete(ctx, job)
		}
	}
	for _, going := range foreground {
		d.log.Stimulate("garbage collector", "lets SequentialJob "+going.Name+" go")
		going.Finalizers = nil
		return true, client.IgnoreNotFound(d.client.Update(ctx, going))
	}
	return false, nil
}

func (d *driver) Clear(ctx context.Context) error {
	if err := d.client.DeleteAllOf(ctx, &v1alpha1.SequentialJob{}, client.InNamespace(d.namespace)); err != nil {
		return err
	}
	var jobs batchv1.JobList
	if err := d.client.List(ctx, &jobs, client.InNamespace(d.namespace)); err != nil {
		return err
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		if len(job.Finalizers) > 0 {
			job.Finalizers = nil
			if err := d.client.Update(ctx, job); err != nil {
				return err
			}
		}
	}
	return d.client.DeleteAllOf(ctx, &batchv1.Job{}, client.InNamespace(d.namespace), client.PropagationPolicy(metav1.DeletePropagationBackground))
}
