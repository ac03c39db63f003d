package e2e_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// ownLabel is on namespaces that these specs have made.
const ownLabel = "batch.example.com/e2e"

// newNamespace makes a namespace that holds pods to the restricted standard. It stays until the next
// run: in one that goes, requests are refused that the operator's role allows.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-", Labels: map[string]string{
		ownLabel: "", "pod-security.kubernetes.io/enforce": "restricted",
	}}}
	Expect(server.Create(ctx, namespace)).To(Succeed())
	keepOnFailure(namespace.Name)
	return namespace.Name
}

// aSequence has steps one, two and so on, each of which runs the step program with the arguments given.
func aSequence(namespace string, steps ...string) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "run"}}
	for i, args := range steps {
		object.Spec.Steps = append(object.Spec.Steps, v1alpha1.Step{
			Name: []string{"one", "two", "three", "four"}[i],
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
				BackoffLimit: ptr.To[int32](0),
				Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot:   ptr.To(true),
						SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{{
						Name: "step", Image: "step:dev", Args: strings.Fields(args),
						SecurityContext: &corev1.SecurityContext{
							AllowPrivilegeEscalation: ptr.To(false),
							Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
						},
					}},
				}},
			}},
		})
	}
	return object
}

// where tells where a run stands: "one=Succeeded two=Running Unknown/Running".
func where(ctx context.Context, object *v1alpha1.SequentialJob) func() (string, error) {
	return func() (string, error) {
		now := &v1alpha1.SequentialJob{}
		err := server.Get(ctx, client.ObjectKeyFromObject(object), now)
		return standing(now), err
	}
}

func standing(object *v1alpha1.SequentialJob) string {
	var parts []string
	for _, step := range object.Status.Steps {
		parts = append(parts, fmt.Sprintf("%s=%s", step.Name, step.State))
	}
	if summary := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSucceeded); summary != nil {
		parts = append(parts, fmt.Sprintf("%s/%s", summary.Status, summary.Reason))
	}
	return strings.Join(parts, " ")
}

// podsOf returns the pods of a step.
func podsOf(ctx context.Context, object *v1alpha1.SequentialJob, step string) ([]corev1.Pod, error) {
	pods := &corev1.PodList{}
	err := server.List(ctx, pods, client.InNamespace(object.Namespace),
		client.MatchingLabels{v1alpha1.LabelSequentialJob: object.Name, v1alpha1.LabelStep: step})
	return pods.Items, err
}

// awaitRunning waits until the program of a step runs.
func awaitRunning(ctx context.Context, object *v1alpha1.SequentialJob, step string) {
	GinkgoHelper()
	Eventually(ctx, func() ([]corev1.PodPhase, error) {
		pods, err := podsOf(ctx, object, step)
		var phases []corev1.PodPhase
		for _, pod := range pods {
			phases = append(phases, pod.Status.Phase)
		}
		return phases, err
	}).Should(ConsistOf(corev1.PodRunning), "pods of step %s", step)
}

// said returns what the one pod of a step has printed, as lines with the time that each begins with.
func said(ctx context.Context, object *v1alpha1.SequentialJob, step string) []line {
	GinkgoHelper()
	pods, err := podsOf(ctx, object, step)
	Expect(err).NotTo(HaveOccurred())
	Expect(pods).To(HaveLen(1), "pods of step %s", step)
	log, err := clients.CoreV1().Pods(object.Namespace).GetLogs(pods[0].Name, &corev1.PodLogOptions{}).Stream(ctx)
	Expect(err).NotTo(HaveOccurred())
	defer log.Close()
	var lines []line
	for scanner := bufio.NewScanner(log); scanner.Scan(); {
		stamp, text, _ := strings.Cut(scanner.Text(), " ")
		at, err := time.Parse(time.RFC3339Nano, stamp)
		Expect(err).NotTo(HaveOccurred())
		lines = append(lines, line{at, text})
	}
	return lines
}

type line struct {
	at   time.Time
	text string
}

// left returns what is left in a namespace of all that an operator deals with.
func left(ctx context.Context, namespace string) func() ([]string, error) {
	return func() ([]string, error) {
		var names []string
		for kind, list := range map[string]client.ObjectList{
			"SequentialJob": &v1alpha1.SequentialJobList{}, "Job": &batchv1.JobList{}, "Pod": &corev1.PodList{},
		} {
			if err := server.List(ctx, list, client.InNamespace(namespace)); err != nil {
				return nil, err
			}
			if err := meta.EachListItem(list, func(object runtime.Object) error {
				names = append(names, kind+" "+object.(client.Object).GetName())
				return nil
			}); err != nil {
				return nil, err
			}
		}
		return names, nil
	}
}

// kubectl runs kubectl as administrator and returns what it says.
func kubectl(ctx context.Context, args ...string) string {
	GinkgoHelper()
	output, err := tryKubectl(ctx, args...)
	Expect(err).NotTo(HaveOccurred())
	return output
}

func tryKubectl(ctx context.Context, args ...string) (string, error) {
	command := exec.CommandContext(ctx, kubectlBin, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBECACHEDIR="+filepath.Join(filepath.Dir(kubeconfig), "kubectl"))
	output, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return string(output), err
}

// read reads all of what a request answers.
func read(stream io.ReadCloser, err error) (string, error) {
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(stream)
	return string(data), errors.Join(err, stream.Close())
}
