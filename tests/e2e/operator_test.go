package e2e_test

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The operator as it is installed.
const (
	operatorNamespace = "sequentialjob-system"
	operatorLabel     = "app.kubernetes.io/component=manager"
	deployment        = "deployment/sequentialjob-manager"
	lease             = "sequentialjob.batch.example.com"
)

var _ = Describe("The operator", Ordered, func() {
	var namespace string
	var ever *history

	BeforeEach(func(ctx SpecContext) {
		namespace = newNamespace(ctx)
		ever = record(namespace)
	}, NodeTimeout(time.Minute))

	// finish waits for the end of a run of three steps, none of which may have run twice.
	finish := func(ctx context.Context) {
		GinkgoHelper()
		run := aSequence(namespace, "", "", "")
		Eventually(ctx, where(ctx, run)).Should(Equal("one=Succeeded two=Succeeded three=Succeeded True/AllStepsSucceeded"))
		Expect(ever.counts()).To(Equal(once("one", "two", "three")))
	}

	// begin starts a run of three steps and waits until the first one runs.
	begin := func(ctx context.Context) {
		GinkgoHelper()
		run := aSequence(namespace, "--sleep=3s", "--sleep=3s", "--sleep=1s")
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitRunning(ctx, run, "one")
	}

	It("may have its pod taken away in the middle of a run", func(ctx SpecContext) {
		begin(ctx)
		pod := managers(ctx)[0]
		kubectl(ctx, "-n", operatorNamespace, "delete", "pod", pod.Name, "--force", "--grace-period=0")
		finish(ctx)
		awaitRollout(ctx)
		Expect(managers(ctx)[0].UID).NotTo(Equal(pod.UID))
	}, SpecTimeout(3*time.Minute))

	It("may have two replicas, of which the one that leads is killed", func(ctx SpecContext) {
		kubectl(ctx, "-n", operatorNamespace, "scale", deployment, "--replicas=2")
		DeferCleanup(func(ctx SpecContext) {
			kubectl(ctx, "-n", operatorNamespace, "scale", deployment, "--replicas=1")
			awaitRollout(ctx)
		}, NodeTimeout(2*time.Minute))
		awaitRollout(ctx)
		begin(ctx)

		led := holder(ctx)
		pods := managers(ctx)
		leader := slices.IndexFunc(pods, func(pod corev1.Pod) bool { return strings.HasPrefix(led, pod.Name+"_") })
		Expect(leader).NotTo(Equal(-1), "the lease is held by %s", led)
		kill(ctx, pods[leader])

		finish(ctx)
		Eventually(ctx, func() string { return holder(ctx) }).ShouldNot(Equal(led))
	}, SpecTimeout(4*time.Minute))

	It("may be replaced by its next version in the middle of a run", func(ctx SpecContext) {
		installed := &appsv1.Deployment{}
		Expect(server.Get(ctx, client.ObjectKey{Namespace: operatorNamespace, Name: strings.TrimPrefix(deployment, "deployment/")}, installed)).To(Succeed())
		DeferCleanup(func(ctx SpecContext) {
			setImage(ctx, installed.Spec.Template.Spec.Containers[0].Image)
		}, NodeTimeout(2*time.Minute))
		begin(ctx)
		setImage(ctx, nextImage)
		finish(ctx)
		Expect(managers(ctx)).To(HaveEach(HaveField("Spec.Containers", ConsistOf(HaveField("Image", nextImage)))))
	}, SpecTimeout(4*time.Minute))

	It("is measured by what its alerts speak of", func(ctx SpecContext) {
		begin(ctx)
		finish(ctx)
		kubectl(ctx, "apply", "--kustomize", config("prometheus"))
		rules := &corev1.ConfigMap{}
		Expect(server.Get(ctx, client.ObjectKey{Namespace: operatorNamespace, Name: "sequentialjob-alerts"}, rules)).To(Succeed())

		metrics, err := clients.CoreV1().Services(operatorNamespace).ProxyGet("http", "sequentialjob-metrics", "metrics", "/metrics", nil).DoRaw(ctx)
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

// The role that the operator ships has to suffice for all that it does in these specs.
var _ = AfterEach(func(ctx SpecContext) {
	Eventually(ctx, func() (string, error) {
		return read(clients.CoreV1().Pods(operatorNamespace).GetLogs(managers(ctx)[0].Name, &corev1.PodLogOptions{}).Stream(ctx))
	}).ShouldNot(ContainSubstring("forbidden"), "the operator's log")
}, NodeTimeout(time.Minute))

// alerted returns the metrics that alerts go by, but for one that begins to exist with its first event.
func alerted(rules string) []string {
	metric := regexp.MustCompile(`\b(sequentialjob|controller_runtime|workqueue)_[a-z_]+[{\[]`)
	var names []string
	for _, found := range metric.FindAllString(rules, -1) {
		if name := found[:len(found)-1]; name != "sequentialjob_passes_put_off_total" {
			names = append(names, name)
		}
	}
	return names
}

// managers returns the operator's pods that are not about to go.
func managers(ctx context.Context) []corev1.Pod {
	GinkgoHelper()
	pods, err := clients.CoreV1().Pods(operatorNamespace).List(ctx, metav1.ListOptions{LabelSelector: operatorLabel})
	Expect(err).NotTo(HaveOccurred())
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil })
}

// holder returns who leads.
func holder(ctx context.Context) string {
	GinkgoHelper()
	held := &coordinationv1.Lease{}
	Expect(server.Get(ctx, client.ObjectKey{Namespace: operatorNamespace, Name: lease}, held)).To(Succeed())
	return ptr.Deref(held.Spec.HolderIdentity, "")
}

// kill kills a pod's container without a warning, so that it can't hand over its lease.
func kill(ctx context.Context, pod corev1.Pod) {
	GinkgoHelper()
	id := strings.TrimPrefix(pod.Status.ContainerStatuses[0].ContainerID, "containerd://")
	output, err := exec.CommandContext(ctx, "docker", "exec", node, "crictl", "stop", "--timeout", "0", id).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", output)
}

func setImage(ctx context.Context, image string) {
	GinkgoHelper()
	kubectl(ctx, "-n", operatorNamespace, "set", "image", deployment, "manager="+image)
	awaitRollout(ctx)
}

// awaitRollout waits until the operator is as its Deployment says, and leads.
func awaitRollout(ctx context.Context) {
	GinkgoHelper()
	kubectl(ctx, "-n", operatorNamespace, "rollout", "status", deployment, "--timeout=90s")
}
