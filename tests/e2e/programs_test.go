package e2e_test

import (
	"context"
	"fmt"
	"strconv"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/kinds"
)

// What lesson 1's program is held to: the ConfigMap job-count of each namespace says how many Jobs there are.
var _ = Describe("A program that counts Jobs, on a real cluster:", func() {
	BeforeEach(func(ctx SpecContext) {
		enter(ctx)
		on.observe(ctx, kinds.Job, kinds.ConfigMap)
	}, NodeTimeout(time.Minute))

	rule("K9", func(ctx SpecContext) {
		succeeds, fails, goes := aJob("succeeds", "--sleep=1s"), aJob("fails", "--exit-code=1"), aWaitingJob("goes")
		goes.Spec.TTLSecondsAfterFinished = ptr.To[int32](0)
		on.create(ctx, succeeds, fails, goes)
		awaitCount(ctx, on.namespace, 3, "")

		on.awaitOver(ctx, succeeds, batchv1.JobComplete)
		on.awaitOver(ctx, fails, batchv1.JobFailed)
		on.letRun(ctx, goes)
		awaitGone(ctx, goes)
		awaitCount(ctx, on.namespace, 2, "after one was removed by its ttlSecondsAfterFinished")
	})

	rule("K10", func(ctx SpecContext) {
		on.create(ctx, severalJobs("before", 10)...)
		until(ctx, func() (string, error) {
			counted, err := countOf(ctx, on.namespace)
			if counted == nil {
				return "there was no ConfigMap " + jobCount, err
			}
			return "", err
		})
		pods, err := managers(ctx)
		Expect(err).NotTo(HaveOccurred())
		kill(ctx, pods[0])
		on.create(ctx, severalJobs("after", 5)...)
		awaitCount(ctx, on.namespace, 15, "after the container was killed and 5 more were created")
	})

	rule("K11", func(ctx SpecContext) {
		emptied, grown := on.namespace, newNamespace(ctx)
		on.create(ctx, severalJobs("a", 2)...)
		createIn(ctx, grown, severalJobs("a", 1)...)
		awaitCount(ctx, emptied, 2, "")
		awaitCount(ctx, grown, 1, "")

		scale(ctx, 0)
		on.log.Stimulate("user", "deletes all Jobs")
		kubectl(ctx, "-n", emptied, "delete", "jobs", "--all")
		createIn(ctx, grown, severalJobs("b", 2)...)
		scale(ctx, 1)
		awaitCount(ctx, grown, 3, "after 2 were created while there was no pod of the program")
		awaitCount(ctx, emptied, 0, "after all were deleted while there was no pod of the program")
	})

	rule("K12", func(ctx SpecContext) {
		// More than a program has workers.
		const ending = 8
		var going []*batchv1.Job
		for range ending {
			job := aWaitingJob("held")
			job.Finalizers = []string{holdBack}
			createIn(ctx, newNamespace(ctx), job)
			going = append(going, job)
		}
		DeferCleanup(func(ctx SpecContext) { letGo(ctx, going) }, NodeTimeout(time.Minute))
		for _, job := range going {
			awaitCount(ctx, job.Namespace, 1, "")
		}

		on.log.Stimulate("user", fmt.Sprintf("deletes %d namespaces, each of which has a Job with a finalizer", ending))
		for _, job := range going {
			kubectl(ctx, "delete", "namespace", job.Namespace, "--wait=false")
		}
		for _, job := range going {
			awaitNoCount(ctx, job.Namespace)
		}
		for n := 1; n <= 3; n++ {
			on.create(ctx, aWaitingJob(fmt.Sprint("job-", n)))
			awaitCount(ctx, on.namespace, n, fmt.Sprintf("while %d other namespaces were being deleted", ending))
		}

		letGo(ctx, going)
		for _, job := range going {
			awaitGone(ctx, aNamespace(job.Namespace))
		}
		again := going[0].Namespace
		Expect(server.Create(ctx, aNamespace(again))).To(Succeed())
		createIn(ctx, again, severalJobs("again", 2)...)
		awaitCount(ctx, again, 2, "after it was deleted and created again")
	})
})

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

// awaitCount waits until the ConfigMap of a namespace says how many Jobs there are. When tells what happened
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
