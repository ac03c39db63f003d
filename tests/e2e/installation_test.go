package e2e_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/process"
)

// An installation is a controller in the cluster.
type installation struct {
	folder     string // with a kustomization, from the repository's root
	namespace  string
	deployment string // also the name of its ServiceAccount
}

var (
	// finished is the operator, as a user would install it.
	finished = installation{"sequentialjob/config/default", "sequentialjob-system", "sequentialjob-manager"}
	// lessons is the program of a lesson, with the role that its markers make.
	lessons = installation{"tests/e2e/controller", process.Namespace, "controller-manager"}

	judged installation
)

// managerLabel is on the pods of either.
const managerLabel = "app.kubernetes.io/component=manager"

func (i installation) config() string { return filepath.Join(repoRoot, i.folder) }

// operatorConfig is a part of the finished operator's config.
func operatorConfig(part string) string {
	return filepath.Join(repoRoot, "sequentialjob", "config", part)
}

// install installs what is judged, and waits until it is ready.
func install(ctx context.Context) {
	GinkgoHelper()
	if roles != "" {
		Expect(process.Install(ctx, admin, judged.deployment, roles)).To(Succeed())
	}
	kubectl(ctx, "apply", "--kustomize", judged.config())
	// How long that takes is the cluster's affair, as long as the program does not end.
	Eventually(ctx, func(g Gomega) {
		pods, err := managers(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(pods).NotTo(BeEmpty())
		mustRun(ctx, pods[0])
		g.Expect(notReady(pods[0])).To(BeEmpty())
	}).WithTimeout(startTimeout).Should(Succeed())
	awaitRollout(ctx)
}

// startTimeout is how long a pod may take to become ready.
const startTimeout = 4 * time.Minute

// killed is how often a container of what is judged was killed here since it was installed.
var killed int32

// mustRun fails if the program of a lesson's controller has ended by itself.
func mustRun(ctx context.Context, pod corev1.Pod) {
	GinkgoHelper()
	if roles == "" || len(pod.Status.ContainerStatuses) == 0 {
		return
	}
	status := pod.Status.ContainerStatuses[0]
	if ended := status.State.Terminated != nil && status.RestartCount >= killed || status.RestartCount > killed; ended {
		failWith(endedByItself(ctx, pod))
	}
}

// notReady says why a pod is not ready; nothing when it is.
func notReady(pod corev1.Pod) string {
	why := "it has not been started"
	for _, condition := range pod.Status.Conditions {
		if condition.Status == corev1.ConditionTrue && condition.Type == corev1.PodReady {
			return ""
		}
		if condition.Status != corev1.ConditionTrue && condition.Message != "" {
			why = condition.Message
		}
	}
	return "its pod is not ready: " + why
}

// managers returns the pods of what is judged that are not about to go.
func managers(ctx context.Context) ([]corev1.Pod, error) {
	pods, err := clients.CoreV1().Pods(judged.namespace).List(ctx, metav1.ListOptions{LabelSelector: managerLabel})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return pod.DeletionTimestamp != nil }), nil
}

// awaitRollout waits until what is judged is as its Deployment says.
func awaitRollout(ctx context.Context) {
	GinkgoHelper()
	kubectl(ctx, "-n", judged.namespace, "rollout", "status", "deployment/"+judged.deployment, fmt.Sprintf("--timeout=%s", startTimeout))
}
