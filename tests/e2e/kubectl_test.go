package e2e_test

import (
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("kubectl", func() {
	It("explains the fields", func(ctx SpecContext) {
		fields := kubectl(ctx, "explain", "sequentialjob.spec", "--recursive")
		for _, field := range []string{"activeDeadlineSeconds", "managedBy", "startAt", "steps", "jobTemplate", "onFailure", "suspend", "ttlSecondsAfterFinished"} {
			Expect(fields).To(ContainSubstring(field))
		}
		Expect(kubectl(ctx, "explain", "sjob.status.steps")).To(ContainSubstring("jobUID"))
	}, SpecTimeout(time.Minute))

	It("applies the samples and waits for their end", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		kubectl(ctx, "-n", namespace, "apply", "--kustomize", config("samples"))
		kubectl(ctx, "-n", namespace, "apply", "--filename", filepath.Join(config("samples"), "three-steps.yaml")) // once more
		for _, sample := range []struct{ name, end string }{
			{"deadline-and-ttl", "False/DeadlineExceeded"}, // goes after a minute
			{"continue", "True/CompletedWithFailedSteps"},
			{"start-at", "True/AllStepsSucceeded"},
			{"suspended", "Unknown/Suspended"},
		} {
			run := &v1alpha1.SequentialJob{}
			run.Namespace, run.Name = namespace, sample.name
			Eventually(ctx, where(ctx, run)).Should(HaveSuffix(sample.end), sample.name)
		}
		kubectl(ctx, "-n", namespace, "wait", "--for=condition=Succeeded", "sequentialjob/three-steps", "--timeout=90s")
		kubectl(ctx, "-n", namespace, "wait", "--for=condition=Succeeded=False", "sequentialjob/failing-step", "--timeout=90s")
		Expect(kubectl(ctx, "-n", namespace, "get", "sequentialjobs")).To(MatchRegexp(`three-steps +True +AllStepsSucceeded +3/3`))
	}, SpecTimeout(4*time.Minute))
})
