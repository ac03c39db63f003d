package operator_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/audit"
)

var _ = Describe("A run", func() {
	var (
		namespace string
		jobs      *history
	)

	BeforeEach(func(ctx SpecContext) {
		namespace = newNamespace(ctx)
		startOperator(ctx)
	})

	It("goes one step after another", func(ctx SpecContext) {
		jobs = record(ctx, namespace)
		run := aSequence(namespace, "run", "--sleep=1s", "", "--sleep=1s")
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal(allSucceeded("one", "two", "three")))

		By("having created each Job after the one before was complete")
		Eventually(jobs.so).Should(Equal([]string{
			"run/one created", "run/one complete", "run/two created", "run/two complete", "run/three created", "run/three complete",
		}))

		By("telling the Jobs' own times")
		ended, err := current(ctx, run)
		Expect(err).NotTo(HaveOccurred())
		expectOneJobEach(jobs, ended)
		before := ended.Status.StartTime
		for _, step := range ended.Status.Steps {
			job := &batchv1.Job{}
			Expect(server.Get(ctx, client.ObjectKey{Namespace: namespace, Name: step.JobName}, job)).To(Succeed())
			Expect(step.StartTime).To(Equal(new(job.CreationTimestamp)), step.Name)
			Expect(step.CompletionTime).To(BeElementOf(timesOfEnd(job)), step.Name)
			Expect(job.Status.StartTime.Before(before)).To(BeFalse(), "step %s: its Job started at %s, before %s", step.Name, job.Status.StartTime, before)
			before = job.Status.CompletionTime
		}
		Expect(ended.Status.CompletionTime.Before(before)).To(BeFalse())
	}, aLot)

	It("ends with a step that fails, and leaves the rest out", func(ctx SpecContext) {
		jobs = record(ctx, namespace)
		run := aSequence(namespace, "run", "--exit-code=1", "--exit-code=1", "")
		run.Spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Failed two=Failed three=Skipped False/StepFailed"))
		uids, err := jobs.jobs()
		Expect(err).NotTo(HaveOccurred())
		Expect(uids).NotTo(HaveKey("run/three"))
	}, aLot)

	It("has no pod while it is suspended, and goes on afterwards", func(ctx SpecContext) {
		jobs = record(ctx, namespace)
		run := aSequence(namespace, "run", "--sleep=10s", "") // long enough to be suspended in
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitPod(ctx, run, "one")
		setSuspend := func(suspend bool) {
			GinkgoHelper()
			patch := client.RawPatch("application/merge-patch+json", []byte(map[bool]string{
				true: `{"spec":{"suspend":true}}`, false: `{"spec":{"suspend":false}}`}[suspend]))
			Expect(server.Patch(ctx, run.DeepCopy(), patch)).To(Succeed())
		}
		setSuspend(true)
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Running two=Pending Unknown/Suspended"))
		Expect(left(ctx, namespace)()).To(ConsistOf("SequentialJob run", "Job run-one"))
		setSuspend(false)
		Eventually(ctx, where(ctx, run)).Should(Equal(allSucceeded("one", "two")))
		ended, err := current(ctx, run)
		Expect(err).NotTo(HaveOccurred())
		expectOneJobEach(jobs, ended)
	}, aLot)

	It("is stopped at its deadline, with the step's Job and pod", func(ctx SpecContext) {
		run := aSequence(namespace, "run", "--sleep=10m", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitPod(ctx, run, "one")
		created := run.DeepCopy()
		run.Spec.ActiveDeadlineSeconds = new(int64(1)) // not before the pod is there, which may take longer
		Expect(server.Patch(ctx, run, client.MergeFrom(created))).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Failed two=Skipped False/DeadlineExceeded"))
		Eventually(ctx, left(ctx, namespace)).Should(ConsistOf("SequentialJob run")) // a pod that has ended may be removed a moment later
	}, aLot)

	DescribeTable("takes its Jobs and pods with it when it is deleted while a step runs",
		func(ctx SpecContext, propagation metav1.DeletionPropagation) {
			jobs = record(ctx, namespace)
			run := aSequence(namespace, "run", "", "--sleep=10m", "")
			Expect(server.Create(ctx, run)).To(Succeed())
			awaitPod(ctx, run, "two")
			Expect(server.Delete(ctx, run, client.PropagationPolicy(propagation))).To(Succeed())
			Eventually(ctx, left(ctx, namespace)).Should(BeEmpty())

			By("not having created anything meanwhile")
			Eventually(jobs.so).Should(And(ContainElement("run/one gone"), ContainElement("run/two gone")))
			Expect(jobs.so()).NotTo(ContainElement("run/three created"))
			uids, err := jobs.jobs()
			Expect(err).NotTo(HaveOccurred())
			Expect(uids).To(And(HaveLen(2), HaveEach(HaveLen(1))))
		},
		Entry("in the background", metav1.DeletePropagationBackground, aLot),
		Entry("in the foreground", metav1.DeletePropagationForeground, aLot),
	)

	It("is deleted with its Jobs and pods when its time to live is over", func(ctx SpecContext) {
		const ttl = 2 * time.Second
		run := aSequence(namespace, "run", "", "")
		run.Spec.TTLSecondsAfterFinished = new(int32(ttl.Seconds()))
		Expect(server.Create(ctx, run)).To(Succeed())

		events, err := server.Watch(ctx, &v1alpha1.SequentialJobList{}, client.InNamespace(namespace))
		Expect(err).NotTo(HaveOccurred())
		defer events.Stop()
		var last watch.Event
		for last.Type != watch.Deleted {
			Eventually(ctx, events.ResultChan()).Should(Receive(&last))
		}
		gone, ended := time.Now(), last.Object.(*v1alpha1.SequentialJob)
		Expect(standing(ended)).To(Equal(allSucceeded("one", "two")), "the last that was seen of it")
		Expect(gone).To(BeTemporally(">=", ended.Status.CompletionTime.Add(ttl)))
		Eventually(ctx, left(ctx, namespace)).Should(BeEmpty())
	}, aLot)
})

var _ = Describe("The operator's requests", func() {
	It("are few for a run of three steps, and none fails", func(ctx SpecContext) {
		begun := time.Now()
		started := startOperator(ctx)
		run := aSequence(newNamespace(ctx), "run", "", "", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal(allSucceeded("one", "two", "three")))
		// It sends events beside its other work. A request that its end interrupts would be a failed one.
		Eventually(ctx, eventsAbout(ctx, run)).Should(ConsistOf("Succeeded"))
		stopWell(started)

		requests := requestsOf(ctx, 1, begun)
		Expect(audit.Count(requests).Failed).To(BeEmpty())
		made := countsOf(requests)
		Expect(made).To(HaveKeyWithValue("create jobs", 3))
		Expect(made).To(HaveKeyWithValue("patch sequentialjobs/status", BeNumerically("<=", 8)))
		Expect(made).To(HaveLen(2), "no get and no list, and no write of anything else: %v", made)
		Expect(watches(requests)).To(ConsistOf(
			And(ContainSubstring("/sequentialjobs?"), ContainSubstring("sendInitialEvents=true")),
			And(ContainSubstring("/workspaces?"), ContainSubstring("sendInitialEvents=true")),
			And(ContainSubstring("/jobs?"), ContainSubstring("sendInitialEvents=true"))))
	}, aLot)
})
