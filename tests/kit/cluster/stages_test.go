package cluster_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/controller-course/tests/kit/cluster"
)

var _ = Describe("The simulated node", func() {
	It("runs pods as long and ends them as their arguments say, and lets all others succeed immediately", func(ctx SpecContext) {
		client := kubernetes.NewForConfigOrDie(start(cluster.Options{Full: true}).Config())
		for name, args := range map[string][]string{
			"slow":           {"--say=hello", "--sleep=3s"},
			"failing":        {"--exit-code=3"},
			"slowly-failing": {"--sleep=2s", "--exit-code=1"},
			"well-meaning":   {"--sleep=1ms", "--exit-code=0"},
			"other":          {"--verbose"},
			"without":        nil,
		} {
			job := makeJob(name)
			job.Spec.BackoffLimit = new(int32(0))
			job.Spec.Template.Spec.Containers[0].Args = args
			Expect(client.BatchV1().Jobs("default").Create(ctx, job, metav1.CreateOptions{})).Error().NotTo(HaveOccurred())
		}

		By("failing, with the exit code asked for")
		Expect(endOf(ctx, client, "failing")).To(Equal(batchv1.JobFailed))
		Expect(terminated(ctx, client, "failing").ExitCode).To(BeEquivalentTo(3))

		By("succeeding")
		for _, name := range []string{"without", "other", "well-meaning"} {
			Expect(endOf(ctx, client, name)).To(Equal(batchv1.JobComplete), name)
			Expect(terminated(ctx, client, name).ExitCode).To(BeZero(), name)
		}

		By("taking time")
		Expect(endOf(ctx, client, "slow")).To(Equal(batchv1.JobComplete))
		Expect(took(terminated(ctx, client, "slow"))).To(BeNumerically(">=", 3*time.Second))
		Expect(endOf(ctx, client, "slowly-failing")).To(Equal(batchv1.JobFailed))
		Expect(took(terminated(ctx, client, "slowly-failing"))).To(BeNumerically(">=", 2*time.Second))
	}, SpecTimeout(10*time.Minute))
})

// endOf waits until a Job has ended and returns how.
func endOf(ctx context.Context, client kubernetes.Interface, job string) batchv1.JobConditionType {
	GinkgoHelper()
	var end batchv1.JobConditionType
	Eventually(ctx, func(g Gomega) {
		got, err := client.BatchV1().Jobs("default").Get(ctx, job, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		for _, condition := range got.Status.Conditions {
			if condition.Type == batchv1.JobComplete || condition.Type == batchv1.JobFailed {
				end = condition.Type
			}
		}
		g.Expect(end).NotTo(BeEmpty(), "the end of Job %s", job)
	}, eventually).Should(Succeed())
	return end
}

// terminated returns how the container of a Job's only pod ended.
func terminated(ctx context.Context, client kubernetes.Interface, job string) *corev1.ContainerStateTerminated {
	GinkgoHelper()
	pods, err := client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job})
	Expect(err).NotTo(HaveOccurred())
	Expect(pods.Items).To(HaveLen(1), "pods of Job %s", job)
	Expect(pods.Items[0].Status.ContainerStatuses).To(HaveLen(1))
	state := pods.Items[0].Status.ContainerStatuses[0].State
	Expect(state.Terminated).NotTo(BeNil(), "state of Job %s: %v", job, state)
	return state.Terminated
}

func took(end *corev1.ContainerStateTerminated) time.Duration {
	return end.FinishedAt.Sub(end.StartedAt.Time)
}
