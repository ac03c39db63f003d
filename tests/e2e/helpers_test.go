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
	"k8s.io/utils/ptr"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// aSequence has steps one, two and so on, each of which runs the step program with the arguments given in a
// container of the step's name.
func aSequence(name string, steps ...string) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: on.namespace, Name: name}}
	for i, args := range steps {
		step := []string{"one", "two", "three", "four"}[i]
		object.Spec.Steps = append(object.Spec.Steps, v1alpha1.Step{
			Name: step, JobTemplate: batchv1.JobTemplateSpec{Spec: running(step, args)},
		})
	}
	return object
}

// running specifies a Job that runs the step program with the arguments given, in a container of this name. It
// keeps to the restricted standard.
func running(container, args string) batchv1.JobSpec {
	return batchv1.JobSpec{
		BackoffLimit: ptr.To[int32](0),
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot:   ptr.To(true),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: container, Image: "step:dev", Args: strings.Fields(args),
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		}},
	}
}

// standing returns the state of a run: "one=Succeeded two=Running Succeeded=Unknown". It mentions suspension
// only if the run is suspended.
func standing(object *v1alpha1.SequentialJob) string {
	var parts []string
	for _, step := range object.Status.Steps {
		parts = append(parts, fmt.Sprintf("%s=%s", step.Name, step.State))
	}
	if summary := summaryOf(object); summary != nil {
		parts = append(parts, fmt.Sprintf("%s=%s", summary.Type, summary.Status))
	}
	if meta.IsStatusConditionTrue(object.Status.Conditions, v1alpha1.ConditionSuspended) {
		parts = append(parts, v1alpha1.ConditionSuspended+"=True")
	}
	return strings.Join(parts, " ")
}

func summaryOf(object *v1alpha1.SequentialJob) *metav1.Condition {
	return meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSucceeded)
}

// reasonOf is the reason that the summary of a run gives.
func reasonOf(object *v1alpha1.SequentialJob) string {
	if summary := summaryOf(object); summary != nil {
		return summary.Reason
	}
	return ""
}

// said returns what the one pod of a step has printed, as lines, each with its leading time.
func said(ctx context.Context, object *v1alpha1.SequentialJob, step string) []line {
	GinkgoHelper()
	pods, err := on.podsOf(ctx, object, step)
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

// kubectl runs kubectl as administrator and returns what it says.
func kubectl(ctx context.Context, args ...string) string {
	GinkgoHelper()
	output, err := tryKubectl(ctx, args...)
	Expect(err).NotTo(HaveOccurred())
	return output
}

func tryKubectl(ctx context.Context, args ...string) (string, error) {
	return pipeToKubectl(ctx, "", args...)
}

// pipeToKubectl runs kubectl with a manifest on its standard input.
func pipeToKubectl(ctx context.Context, manifest string, args ...string) (string, error) {
	command := kubectlCommand(ctx, args...)
	command.Stdin = strings.NewReader(manifest)
	output, err := command.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return string(output), err
}

// kubectlCommand is a call of kubectl as administrator.
func kubectlCommand(ctx context.Context, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, kubectlBin, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "KUBECACHEDIR="+kubectlCache())
	return command
}

// kubectlCache is the folder in which kubectl keeps which kinds there are.
func kubectlCache() string { return filepath.Join(filepath.Dir(kubeconfig), "kubectl") }

// read reads a whole response.
func read(stream io.ReadCloser, err error) (string, error) {
	if err != nil {
		return "", err
	}
	data, err := io.ReadAll(stream)
	return string(data), errors.Join(err, stream.Close())
}

// onNode runs a command in the container that is the cluster's node.
func onNode(ctx context.Context, args ...string) {
	GinkgoHelper()
	output, err := exec.CommandContext(ctx, "docker", append([]string{"exec", node}, args...)...).CombinedOutput()
	Expect(err).NotTo(HaveOccurred(), "%s", output)
}
