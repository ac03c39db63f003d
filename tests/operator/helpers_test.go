package operator_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/audit"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/process"
)

// newNamespace makes a namespace. It stays: in one that goes, requests are refused that a role allows.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	Expect(server.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}

// aSequence has steps one, two and so on, each of which runs with the arguments given, which the
// simulated node understands: "--sleep=2s --exit-code=1".
func aSequence(namespace, name string, steps ...string) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for i, args := range steps {
		object.Spec.Steps = append(object.Spec.Steps, v1alpha1.Step{
			Name: []string{"one", "two", "three", "four"}[i],
			JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
				BackoffLimit: new(int32(0)),
				Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyNever,
					Containers:    []corev1.Container{{Name: "step", Image: "step:dev", Args: strings.Fields(args)}},
				}},
			}},
		})
	}
	return object
}

// current reads the current state of an object.
func current(ctx context.Context, object *v1alpha1.SequentialJob) (*v1alpha1.SequentialJob, error) {
	now := &v1alpha1.SequentialJob{}
	return now, server.Get(ctx, client.ObjectKeyFromObject(object), now)
}

// where returns the state of a run: "one=Succeeded two=Running Unknown/Running".
func where(ctx context.Context, object *v1alpha1.SequentialJob) func() (string, error) {
	return func() (string, error) {
		now, err := current(ctx, object)
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

// allSucceeded is the state of a run with the given steps that has succeeded.
func allSucceeded(steps ...string) string {
	return strings.Join(steps, "=Succeeded ") + "=Succeeded True/AllStepsSucceeded"
}

// awaitPod waits until a pod of a step runs.
func awaitPod(ctx context.Context, object *v1alpha1.SequentialJob, step string) {
	GinkgoHelper()
	Eventually(ctx, func() ([]corev1.PodPhase, error) {
		pods := &corev1.PodList{}
		err := server.List(ctx, pods, client.InNamespace(object.Namespace),
			client.MatchingLabels{v1alpha1.LabelSequentialJob: object.Name, v1alpha1.LabelStep: step})
		var phases []corev1.PodPhase
		for _, pod := range pods.Items {
			phases = append(phases, pod.Status.Phase)
		}
		return phases, err
	}).Should(ConsistOf(corev1.PodRunning), "pods of step %s", step)
}

// timesOfEnd are when a Job was complete, by the two fields that tell. They may be a second apart.
func timesOfEnd(job *batchv1.Job) []*metav1.Time {
	times := []*metav1.Time{job.Status.CompletionTime}
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobComplete {
			times = append(times, &condition.LastTransitionTime)
		}
	}
	return times
}

// eventsAbout returns the reasons of the events about an object.
func eventsAbout(ctx context.Context, object *v1alpha1.SequentialJob) func() ([]string, error) {
	return func() ([]string, error) {
		events := &eventsv1.EventList{}
		err := server.List(ctx, events, client.InNamespace(object.Namespace))
		var reasons []string
		for _, event := range events.Items {
			if event.Regarding.UID == object.UID {
				reasons = append(reasons, event.Reason)
			}
		}
		return reasons, err
	}
}

// left returns what is left in a namespace of all that an operator deals with.
func left(ctx context.Context, namespace string) func() ([]string, error) {
	return func() ([]string, error) {
		return kinds.Names(ctx, server, namespace, kinds.SequentialJob, kinds.Job, kinds.Pod)
	}
}

// countsOf counts requests of every kind but watches and those about events and leases.
func countsOf(requests []audit.Request) map[string]int {
	counts := audit.Count(requests).ByKind
	for kind := range counts {
		if strings.HasPrefix(kind, "watch ") || strings.HasSuffix(kind, " events") || strings.HasSuffix(kind, " leases") {
			delete(counts, kind)
		}
	}
	return counts
}

// watches are the requests for watches.
func watches(requests []audit.Request) []string {
	var uris []string
	for _, request := range requests {
		if request.Verb == "watch" {
			uris = append(uris, request.URI)
		}
	}
	return uris
}

// writes are the requests that change something.
func writes(requests []audit.Request) []audit.Request {
	var found []audit.Request
	for _, request := range requests {
		switch request.Verb {
		case "get", "list", "watch":
		default:
			found = append(found, request)
		}
	}
	return found
}

func readLog(p *process.Process) string {
	log, err := os.ReadFile(p.Log())
	if err != nil {
		return err.Error()
	}
	return string(log)
}
