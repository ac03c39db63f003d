package e2e_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// lease is the lease that the operator that leads holds.
const lease = "sequentialjob.batch.example.com"

var _ = Describe("The finished operator", Ordered, func() {
	BeforeEach(setTheScene, NodeTimeout(time.Minute))

	// begin starts a run of three steps and waits until the first one runs.
	begin := func(ctx context.Context) *v1alpha1.SequentialJob {
		GinkgoHelper()
		run := aSequence("run", "--sleep=3s", "--sleep=3s", "--sleep=1s")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")
		return run
	}

	// finish waits for the end of such a run, no step of which may have run twice.
	finish := func(ctx context.Context, run *v1alpha1.SequentialJob) {
		GinkgoHelper()
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded three=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		on.eachOnce(ctx, "one", "two", "three")
	}

	It("may have its pod taken away in the middle of a run", func(ctx SpecContext) {
		run := begin(ctx)
		pod := theManagers(ctx)[0]
		kubectl(ctx, "-n", finished.namespace, "delete", "pod", pod.Name, "--force", "--grace-period=0")
		finish(ctx, run)
		awaitRollout(ctx)
		Expect(theManagers(ctx)[0].UID).NotTo(Equal(pod.UID))
	}, SpecTimeout(3*time.Minute))

	It("may have two replicas, of which the one that leads is killed", func(ctx SpecContext) {
		kubectl(ctx, "-n", finished.namespace, "scale", "deployment/"+finished.deployment, "--replicas=2")
		DeferCleanup(func(ctx SpecContext) {
			kubectl(ctx, "-n", finished.namespace, "scale", "deployment/"+finished.deployment, "--replicas=1")
			awaitRollout(ctx)
		}, NodeTimeout(2*time.Minute))
		awaitRollout(ctx)
		run := begin(ctx)

		led := holder(ctx)
		pods := theManagers(ctx)
		leader := slices.IndexFunc(pods, func(pod corev1.Pod) bool { return strings.HasPrefix(led, pod.Name+"_") })
		Expect(leader).NotTo(Equal(-1), "the lease is held by %s", led)
		kill(ctx, pods[leader])

		finish(ctx, run)
		Eventually(ctx, func() string { return holder(ctx) }).ShouldNot(Equal(led))
	}, SpecTimeout(4*time.Minute))

	It("may be replaced by its next version in the middle of a run", func(ctx SpecContext) {
		installed := &appsv1.Deployment{}
		Expect(server.Get(ctx, client.ObjectKey{Namespace: finished.namespace, Name: finished.deployment}, installed)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			setImage(ctx, installed.Spec.Template.Spec.Containers[0].Image)
		}, NodeTimeout(2*time.Minute))
		run := begin(ctx)
		setImage(ctx, nextImage)
		finish(ctx, run)
		Expect(theManagers(ctx)).To(HaveEach(HaveField("Spec.Containers", ConsistOf(HaveField("Image", nextImage)))))
	}, SpecTimeout(4*time.Minute))

	It("is measured by what its alerts speak of", func(ctx SpecContext) {
		run := begin(ctx)
		finish(ctx, run)
		kubectl(ctx, "apply", "--kustomize", operatorConfig("prometheus"))
		rules := &corev1.ConfigMap{}
		Expect(server.Get(ctx, client.ObjectKey{Namespace: finished.namespace, Name: "sequentialjob-alerts"}, rules)).To(Succeed())

		metrics, err := clients.CoreV1().Services(finished.namespace).ProxyGet("http", "sequentialjob-metrics", "metrics", "/metrics", nil).DoRaw(ctx)
		Expect(err).NotTo(HaveOccurred())
		names := alerted(rules.Data["alerts.yaml"])
		Expect(names).NotTo(BeEmpty())
		for _, name := range names {
			Expect(string(metrics)).To(ContainSubstring("\n"+name), "what an alert speaks of")
		}
		Expect(string(metrics)).NotTo(ContainSubstring(`code="403"`), "what the role does not allow")
		Expect(string(metrics)).To(ContainSubstring(`sequentialjob_finished_total{reason="AllStepsSucceeded",result="succeeded"} `))
	}, SpecTimeout(3*time.Minute))
})

// alerted returns the metrics that alerts use, except one that exists only after its first event.
func alerted(rules string) []string {
	metric := regexp.MustCompile(`\b(sequentialjob|controller_runtime|workqueue)_[a-z_]+[{\[]`)
	var names []string
	for _, found := range metric.FindAllString(rules, -1) {
		if name := found[:len(found)-1]; name != "sequentialjob_stale_reconciles_total" {
			names = append(names, name)
		}
	}
	return names
}

// theManagers are the operator's pods that are not about to go.
func theManagers(ctx context.Context) []corev1.Pod {
	GinkgoHelper()
	pods, err := managers(ctx)
	Expect(err).NotTo(HaveOccurred())
	return pods
}

// holder returns who leads.
func holder(ctx context.Context) string {
	GinkgoHelper()
	held := &coordinationv1.Lease{}
	Expect(server.Get(ctx, client.ObjectKey{Namespace: finished.namespace, Name: lease}, held)).To(Succeed())
	return ptr.Deref(held.Spec.HolderIdentity, "")
}

func setImage(ctx context.Context, image string) {
	GinkgoHelper()
	kubectl(ctx, "-n", finished.namespace, "set", "image", "deployment/"+finished.deployment, "manager="+image)
	awaitRollout(ctx)
}
