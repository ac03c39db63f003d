package e2e_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("A run", func() {
	var namespace string
	var ever *history

	BeforeEach(func(ctx SpecContext) {
		namespace = newNamespace(ctx)
		ever = record(namespace)
	}, NodeTimeout(time.Minute))

	It("has its steps run one after another, by the clock of their own containers", func(ctx SpecContext) {
		run := aSequence(namespace, "--sleep=1s", "--sleep=1s", "--sleep=1s")
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Succeeded two=Succeeded three=Succeeded True/AllStepsSucceeded"))

		var before time.Time
		for _, step := range []string{"one", "two", "three"} {
			lines := said(ctx, run, step)
			Expect(lines).To(HaveLen(2), "step %s: one line at its beginning and one at its end", step)
			Expect(lines[0].at).To(BeTemporally(">", before), "the beginning of step %s", step)
			before = lines[1].at
		}
		Expect(ever.counts()).To(Equal(once("one", "two", "three")))
	}, SpecTimeout(2*time.Minute))

	It("ends with a step that fails, whose exit code the status tells", func(ctx SpecContext) {
		run := aSequence(namespace, "", "--exit-code=3", "")
		// By which the Job tells the exit code.
		run.Spec.Steps[1].JobTemplate.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn, Values: []int32{0},
			},
		}}}
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Succeeded two=Failed three=Skipped False/StepFailed"))

		Expect(server.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
		Expect(run.Status.Steps[1].Message).To(ContainSubstring("exit code 3"))
		Expect(ever.counts()).To(Equal(once("one", "two")))
	}, SpecTimeout(2*time.Minute))

	It("goes on after a failing step that it may go on after", func(ctx SpecContext) {
		run := aSequence(namespace, "--exit-code=1", "")
		run.Spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Failed two=Succeeded True/CompletedWithFailedSteps"))
	}, SpecTimeout(2*time.Minute))

	It("stands still without a pod while it is suspended, and goes on after", func(ctx SpecContext) {
		run := aSequence(namespace, "--sleep=5s", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitRunning(ctx, run, "one")

		suspend(ctx, run, true)
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Running two=Pending Unknown/Suspended"))
		Expect(podsOf(ctx, run, "one")).To(BeEmpty())

		suspend(ctx, run, false)
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Succeeded two=Succeeded True/AllStepsSucceeded"))
		Expect(ever.counts()).To(Equal(map[string]int{"Job of one": 1, "Pod of one": 2, "Job of two": 1, "Pod of two": 1}))
	}, SpecTimeout(3*time.Minute))

	It("leaves neither Job nor pod when it is deleted in the middle", func(ctx SpecContext) {
		run := aSequence(namespace, "--sleep=10m", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitRunning(ctx, run, "one")
		kubectl(ctx, "-n", namespace, "delete", "sequentialjob", "run")
		Eventually(ctx, left(ctx, namespace)).Should(BeEmpty())
		Expect(ever.counts()).To(Equal(once("one")))
	}, SpecTimeout(3*time.Minute))

	It("goes with its Jobs and pods when its time to live is over", func(ctx SpecContext) {
		run := aSequence(namespace, "")
		run.Spec.TTLSecondsAfterFinished = ptr.To[int32](2)
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, func() map[string]int { return ever.counts() }).Should(Equal(once("one")))
		Eventually(ctx, left(ctx, namespace)).Should(BeEmpty())
	}, SpecTimeout(3*time.Minute))

	It("is stopped at its deadline", func(ctx SpecContext) {
		run := aSequence(namespace, "--sleep=10m", "")
		run.Spec.ActiveDeadlineSeconds = ptr.To[int64](5)
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Failed two=Skipped False/DeadlineExceeded"))
		Expect(left(ctx, namespace)()).To(ConsistOf("SequentialJob run"))
	}, SpecTimeout(2*time.Minute))

	It("gets no further than its namespace's Pod Security lets it", func(ctx SpecContext) {
		run := aSequence(namespace, "")
		run.Spec.Steps[0].JobTemplate.Spec.Template.Spec.Containers[0].SecurityContext = nil
		run.Spec.ActiveDeadlineSeconds = ptr.To[int64](4)
		Expect(server.Create(ctx, run)).To(Succeed())
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Failed False/DeadlineExceeded"))
		Expect(ever.counts()).To(Equal(map[string]int{"Job of one": 1}))
	}, SpecTimeout(2*time.Minute))
})

func suspend(ctx SpecContext, run *v1alpha1.SequentialJob, so bool) {
	GinkgoHelper()
	patch := fmt.Sprintf(`{"spec":{"suspend":%t}}`, so)
	Expect(server.Patch(ctx, run, client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
}
