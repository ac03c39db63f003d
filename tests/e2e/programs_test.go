package e2e_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"

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
