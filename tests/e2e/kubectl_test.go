package e2e_test

import (
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("kubectl, with the finished operator,", func() {
	BeforeEach(setTheScene, NodeTimeout(time.Minute))

	It("explains the fields", func(ctx SpecContext) {
		fields := kubectl(ctx, "explain", "sequentialjob.spec", "--recursive")
		for _, field := range []string{"activeDeadlineSeconds", "managedBy", "startAt", "steps", "jobTemplate", "onFailure", "suspend", "ttlSecondsAfterFinished"} {
			Expect(fields).To(ContainSubstring(field))
		}
		Expect(kubectl(ctx, "explain", "sjob.status.steps")).To(ContainSubstring("jobUID"))
	}, SpecTimeout(time.Minute))

	It("applies the samples and waits for their end", func(ctx SpecContext) {
		namespace, samples := on.namespace, operatorConfig("samples")
		kubectl(ctx, "-n", namespace, "apply", "--kustomize", samples)
		kubectl(ctx, "-n", namespace, "apply", "--filename", filepath.Join(samples, "three-steps.yaml")) // once more
		for _, sample := range []struct{ name, standing, reason string }{
			{"deadline-and-ttl", "Succeeded=False", v1alpha1.ReasonDeadlineExceeded}, // goes after a minute
			{"continue", "Succeeded=True", v1alpha1.ReasonStepsFailed},
			{"start-at", "Succeeded=True", v1alpha1.ReasonAllStepsSucceeded},
			{"suspended", "Succeeded=Unknown Suspended=True", v1alpha1.ReasonSuspended},
		} {
			run := &v1alpha1.SequentialJob{}
			Eventually(ctx, func() (string, error) {
				err := server.Get(ctx, client.ObjectKey{Namespace: namespace, Name: sample.name}, run)
				return withReason(standing(run), reasonOf(run)), err
			}).Should(HaveSuffix(withReason(sample.standing, sample.reason)), sample.name)
		}
		kubectl(ctx, "-n", namespace, "wait", "--for=condition=Succeeded", "sequentialjob/three-steps", "--timeout=90s")
		kubectl(ctx, "-n", namespace, "wait", "--for=condition=Succeeded=False", "sequentialjob/failing-step", "--timeout=90s")
		Expect(kubectl(ctx, "-n", namespace, "get", "sequentialjobs")).To(MatchRegexp(`three-steps +True +AllStepsSucceeded +3/3`))
	}, SpecTimeout(4*time.Minute))
})
