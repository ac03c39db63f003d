package e2e_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// What controllers of lessons are held to as well. Up to lesson 3 they write no status, so the first ones go by
// Jobs and pods alone.
var _ = Describe("A controller of SequentialJobs, on a real cluster:", func() {
	BeforeEach(setTheScene, NodeTimeout(time.Minute))

	rule("K1", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=1s", "--sleep=1s", "--sleep=1s")
		Expect(server.Create(ctx, run)).To(Succeed())
		var before line
		for _, step := range []string{"one", "two", "three"} {
			on.awaitJob(ctx, run, step, batchv1.JobComplete)
			lines := said(ctx, run, step)
			if len(lines) != 2 {
				Fail(fmt.Sprintf("Step %s printed %d lines; each prints one at its beginning and one at its end.", step, len(lines)))
			}
			if !lines[0].at.After(before.at) {
				Fail(fmt.Sprintf("Step %s began at %s, while the one before it ran until %s.",
					step, lines[0].at.Format(time.StampMilli), before.at.Format(time.StampMilli)))
			}
			before = lines[1]
		}
		if judged == finished {
			on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded three=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		}
		on.eachOnce(ctx, "one", "two", "three")
	})

	rule("K2", func(ctx SpecContext) {
		run := aSequence("run", "", "--exit-code=3", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitJob(ctx, run, "two", batchv1.JobFailed)
		// What happens after that has been dealt with, so the failure has been, too.
		after := aSequence("after", "")
		Expect(server.Create(ctx, after)).To(Succeed())
		on.awaitJob(ctx, after, "one", batchv1.JobComplete)
		on.eachOnce(ctx, "one", "two", "one")
	})

	rule("K3", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=3s", "--sleep=1s", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")
		pods, err := managers(ctx)
		Expect(err).NotTo(HaveOccurred())
		kill(ctx, pods[0])
		on.awaitJob(ctx, run, "three", batchv1.JobComplete)
		on.eachOnce(ctx, "one", "two", "three")
	})

	rule("K4", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=10m", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")
		on.log.Stimulate("user", "deletes SequentialJob run")
		kubectl(ctx, "-n", on.namespace, "delete", "sequentialjob", "run")
		on.awaitNothing(ctx)
		on.eachOnce(ctx, "one")
	})

	rule("K5", func(ctx SpecContext) {
		Expect(server.Create(ctx, aSequence("good", "--sleep=1s", ""))).To(Succeed())
		Expect(server.Create(ctx, aSequence("bad", "--exit-code=1", ""))).To(Succeed())
		waitFor(ctx, "good", "Succeeded")
		waitFor(ctx, "bad", "Succeeded=False")
		saidAtTheEnd(ctx, "good", withReason("one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded))
		saidAtTheEnd(ctx, "bad", withReason("one=Failed two=Skipped Succeeded=False", v1alpha1.ReasonStepFailed))
	})

	rule("K6", func(ctx SpecContext) {
		run := aSequence("run", "", "--exit-code=3", "")
		// It makes the Job report the exit code.
		run.Spec.Steps[1].JobTemplate.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpNotIn, Values: []int32{0},
			},
		}}}
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Succeeded two=Failed three=Skipped Succeeded=False", v1alpha1.ReasonStepFailed)
		Expect(server.Get(ctx, client.ObjectKeyFromObject(run), run)).To(Succeed())
		if reason := run.Status.Steps[1].Reason; reason != batchv1.JobReasonPodFailurePolicy {
			Fail(fmt.Sprintf("The Job of step two said that it has failed for the reason %s; the status gives %q as the reason of that step.",
				batchv1.JobReasonPodFailurePolicy, reason))
		}
		if judged == finished {
			Expect(run.Status.Steps[1].Message).To(ContainSubstring("exit code 3"))
		}
		on.eachOnce(ctx, "one", "two")
	})

	rule("K7", func(ctx SpecContext) {
		run := aSequence("run", "", "--sleep=3s", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "two")
		on.awaitStanding(ctx, run, "one=Succeeded two=Running three=Pending Succeeded=Unknown", v1alpha1.ReasonRunning)
		done, err := on.jobOf(ctx, run, "one")
		Expect(err).NotTo(HaveOccurred())
		on.log.Stimulate("user", "deletes Job "+done.Name+", of step one")
		kubectl(ctx, "-n", on.namespace, "delete", "job", done.Name)
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded three=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		on.eachOnce(ctx, "one", "two", "three")
	})

	rule("K8", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=10s", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")

		suspend(ctx, run, true)
		on.awaitStanding(ctx, run, "one=Running two=Pending Succeeded=Unknown Suspended=True", v1alpha1.ReasonSuspended)
		if judged == finished { // which reports it no earlier than the last container has ended; its Pod may be there a moment longer
			hasEnded := HaveField("Status.Phase", BeElementOf(corev1.PodSucceeded, corev1.PodFailed))
			Expect(on.podsOf(ctx, run, "one")).To(Or(BeEmpty(), HaveEach(hasEnded)))
		}
		until(ctx, func() (string, error) {
			pods, err := on.podsOf(ctx, run, "one")
			if len(pods) > 0 {
				return fmt.Sprintf("there was still Pod %s, %s, of the suspended run", pods[0].Name, pods[0].Status.Phase), err
			}
			return "", err
		})

		suspend(ctx, run, false)
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		on.jobsWere(ctx, "one", "two")
		on.podsWere(ctx, "one", "one", "two")
	})
})

// saidAtTheEnd fails unless a run's status, at the end that kubectl wait saw, has the wanted state.
func saidAtTheEnd(ctx SpecContext, name, want string) {
	GinkgoHelper()
	run := &v1alpha1.SequentialJob{}
	Expect(server.Get(ctx, client.ObjectKey{Namespace: on.namespace, Name: name}, run)).To(Succeed())
	if got := withReason(standing(run), reasonOf(run)); got != want {
		Fail(fmt.Sprintf("kubectl wait saw the end of SequentialJob %s, but its status said\n    %s\nand not\n    %s", name, got, want))
	}
}

// waitFor waits as a user would.
func waitFor(ctx SpecContext, name, condition string) {
	GinkgoHelper()
	args := []string{"-n", on.namespace, "wait", "--for=condition=" + condition, "sequentialjob/" + name, fmt.Sprintf("--timeout=%s", patience)}
	if said, err := tryKubectl(ctx, args...); err != nil {
		Fail(fmt.Sprintf("kubectl wait --for=condition=%s sequentialjob/%s did not come to its end in %g s: %s", condition, name, patience.Seconds(), said))
	}
}

func suspend(ctx SpecContext, run *v1alpha1.SequentialJob, so bool) {
	GinkgoHelper()
	on.log.Stimulate("user", fmt.Sprintf("sets suspend: %t", so))
	patch := fmt.Sprintf(`{"spec":{"suspend":%t}}`, so)
	Expect(server.Patch(ctx, run, client.RawPatch(types.MergePatchType, []byte(patch)))).To(Succeed())
}

// kill kills a pod's container without a warning, so that it can't hand over its lease.
func kill(ctx SpecContext, pod corev1.Pod) {
	GinkgoHelper()
	on.log.Stimulate("kubelet", "kills the container of "+pod.Name)
	killed++
	onNode(ctx, "crictl", "stop", "--timeout", "0", strings.TrimPrefix(pod.Status.ContainerStatuses[0].ContainerID, "containerd://"))
}
