package e2e_test

import (
	"context"
	"fmt"
	"strconv"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The ConfigMap that the program keeps, and where the number is in it.
const (
	jobCount = "job-count"
	countKey = "jobs"
)

// holdBack is a finalizer that keeps a Job, and its namespace, from being removed.
const holdBack = "batch.example.com/e2e"

// aJob runs the step program with the arguments given.
func aJob(name, args string) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: running(name, args)}
}

// aWaitingJob is suspended, so that it has no pod.
func aWaitingJob(name string) *batchv1.Job {
	job := aJob(name, "")
	job.Spec.Suspend = ptr.To(true)
	return job
}

// severalJobs are suspended, too.
func severalJobs(name string, count int) (jobs []*batchv1.Job) {
	for n := range count {
		jobs = append(jobs, aWaitingJob(fmt.Sprintf("%s-%d", name, n)))
	}
	return jobs
}

// create creates Jobs in the spec's namespace.
func (s *scene) create(ctx context.Context, jobs ...*batchv1.Job) {
	GinkgoHelper()
	createIn(ctx, s.namespace, jobs...)
}

func createIn(ctx context.Context, namespace string, jobs ...*batchv1.Job) {
	GinkgoHelper()
	for _, job := range jobs {
		job.Namespace = namespace
		Expect(server.Create(ctx, job)).To(Succeed())
	}
}

// letRun ends the suspension of a Job.
func (s *scene) letRun(ctx context.Context, job *batchv1.Job) {
	GinkgoHelper()
	s.log.Stimulate("user", "lets Job "+job.Name+" run")
	Expect(server.Patch(ctx, job, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":false}}`)))).To(Succeed())
}

// letGo removes the finalizers of Jobs, which are being deleted.
func letGo(ctx context.Context, jobs []*batchv1.Job) {
	GinkgoHelper()
	for _, job := range jobs {
		err := server.Patch(ctx, job.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
		Expect(client.IgnoreNotFound(err)).To(Succeed())
	}
}

// scale makes the program have so many pods, and waits until it has.
func scale(ctx context.Context, replicas int) {
	GinkgoHelper()
	on.log.Stimulate("user", fmt.Sprintf("scales the program to %d replicas", replicas))
	kubectl(ctx, "-n", judged.namespace, "scale", "deployment/"+judged.deployment, fmt.Sprint("--replicas=", replicas))
	if replicas > 0 {
		killed = 0 // of the new pods' containers
		awaitRollout(ctx)
		return
	}
	kubectl(ctx, "-n", judged.namespace, "wait", "--for=delete", "pod", "--selector", managerLabel, fmt.Sprintf("--timeout=%s", startTimeout))
}

// awaitOver waits until a Job is over in some way.
func (s *scene) awaitOver(ctx context.Context, job *batchv1.Job, over batchv1.JobConditionType) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		err := server.Get(ctx, client.ObjectKeyFromObject(job), job)
		if err == nil && !isOver(job, over) {
			return fmt.Sprintf("Job %s was not %s", job.Name, over), nil
		}
		return "", err
	})
}

// awaitGone waits until an object does not exist any more.
func awaitGone(ctx context.Context, object client.Object) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		err := server.Get(ctx, client.ObjectKeyFromObject(object), object)
		if err == nil {
			return object.GetName() + " was still there", nil
		}
		return "", client.IgnoreNotFound(err)
	})
}

// awaitCount waits until the ConfigMap of a namespace says how many Jobs there are. When says what happened
// before; it may be empty.
func awaitCount(ctx context.Context, namespace string, jobs int, when string) {
	GinkgoHelper()
	if when != "" {
		when = ", " + when
	}
	until(ctx, func() (string, error) {
		counted, err := countOf(ctx, namespace)
		switch {
		case err != nil:
			return "", err
		case counted == nil:
			return fmt.Sprintf("namespace %s had %d Jobs and no ConfigMap %s%s", namespace, jobs, jobCount, when), nil
		case counted.Data[countKey] != strconv.Itoa(jobs):
			return fmt.Sprintf("namespace %s had %d Jobs, and its ConfigMap %s said %s: %q%s",
				namespace, jobs, jobCount, countKey, counted.Data[countKey], when), nil
		}
		return "", nil
	})
}

// awaitNoCount waits until a namespace has no such ConfigMap.
func awaitNoCount(ctx context.Context, namespace string) {
	GinkgoHelper()
	awaitGone(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: jobCount}})
}

// countOf returns the ConfigMap of a namespace; nil where there is none.
func countOf(ctx context.Context, namespace string) (*corev1.ConfigMap, error) {
	counted := &corev1.ConfigMap{}
	err := server.Get(ctx, client.ObjectKey{Namespace: namespace, Name: jobCount}, counted)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return counted, err
}
