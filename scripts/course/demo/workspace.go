package demo

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/fatih/color"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

func (d *demo) showWorkspace(ctx context.Context) error {
	d.say("store/sample.yaml: two steps that share a file",
		"The run has a Workspace: a bucket in an object store outside the cluster. The node here is simulated and runs no\n"+
			"programs. So the demo runs the steps' program itself, with the environment variables that the pods have.")
	v, err := d.apply(ctx, "workspace", filepath.Join(d.operator.Source, "config", "store", "sample.yaml"))
	if err != nil {
		return err
	}
	defer v.stop()
	for _, step := range []string{"build", "ship"} {
		if err := v.follow(ctx, isRunning(step)); err != nil {
			return err
		}
		pod, err := d.awaitPod(ctx, v1alpha1.JobName("workspace", step))
		if err != nil {
			return err
		}
		if err := d.runStep(ctx, pod); err != nil {
			return err
		}
	}
	if err := v.follow(ctx, isFinished); err != nil {
		return err
	}
	err = d.checkEnding(ctx, v.object, ending{
		summary: metav1.ConditionTrue, reason: v1alpha1.ReasonAllStepsSucceeded, jobs: 2,
		states: []v1alpha1.StepState{v1alpha1.StepSucceeded, v1alpha1.StepSucceeded},
	})
	if err != nil {
		return err
	}
	return d.runKubectl(ctx, "get", "workspaces")
}

func buildStep(ctx context.Context, binary string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	return process.Build(ctx, filepath.Join(root, "tests", "step"), binary)
}

// runStep runs the program of a step's pod to its end, as a node would, and shows what it prints.
func (d *demo) runStep(ctx context.Context, pod *corev1.Pod) error {
	container := pod.Spec.Containers[0]
	environment, err := d.environment(ctx, pod.Namespace, container)
	if err != nil {
		return err
	}
	program := exec.CommandContext(ctx, d.stepProgram(), container.Args...)
	program.Env = environment
	output, err := program.CombinedOutput()
	for line := range bytes.Lines(output) {
		fmt.Fprint(d.out, color.New(color.Faint).Sprintf("           %s: %s", pod.Labels[v1alpha1.LabelStep], line))
	}
	if err != nil {
		return fmt.Errorf("the program of pod %s: %w", pod.Name, err)
	}
	return nil
}

// environment returns the variables that a container has from Secrets.
func (d *demo) environment(ctx context.Context, namespace string, container corev1.Container) (variables []string, err error) {
	for _, from := range container.EnvFrom {
		if from.SecretRef == nil {
			continue
		}
		secret := &corev1.Secret{}
		if err := d.server.Get(ctx, client.ObjectKey{Namespace: namespace, Name: from.SecretRef.Name}, secret); err != nil {
			return nil, fmt.Errorf("read the Secret with a container's environment: %w", err)
		}
		for name, value := range secret.Data {
			variables = append(variables, from.Prefix+name+"="+string(value))
		}
	}
	return variables, nil
}
