package e2e_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/observer"
)

// A scene is a namespace of its own for a spec, with all that becomes of what is in it.
type scene struct {
	namespace string
	log       *history.Log
	observer  *observer.Observer // nil where only what kubectl says is looked at

	guard sync.Mutex
	pods  []string // the step of each pod that there ever was, in the order of their creation
}

// on is the scene of the spec that runs.
var on *scene

// ownLabel is on namespaces that these specs have made.
const ownLabel = "batch.example.com/e2e"

// setTheScene makes a namespace for SequentialJobs and all that becomes of them.
func setTheScene(ctx SpecContext) {
	enter(ctx)
	on.observe(ctx, kinds.Default...)
	on.watchPods(context.WithoutCancel(ctx))
}

// enter makes a namespace for the spec.
func enter(ctx context.Context) {
	GinkgoHelper()
	on = &scene{namespace: newNamespace(ctx), log: history.NewLog()}
}

// newNamespace makes a namespace that holds pods to the restricted standard. It stays until the next run: in
// one that goes, requests are refused that the controller's role allows.
func newNamespace(ctx context.Context) string {
	GinkgoHelper()
	namespace := aNamespace("")
	Expect(server.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}

// aNamespace is one of these specs, with a new name where none is given.
func aNamespace(name string) *corev1.Namespace {
	meta := metav1.ObjectMeta{Name: name, Labels: map[string]string{ownLabel: "", "pod-security.kubernetes.io/enforce": "restricted"}}
	if name == "" {
		meta.GenerateName = "e2e-"
	}
	return &corev1.Namespace{ObjectMeta: meta}
}

// observe notes what becomes of objects of these kinds until the spec ends.
func (s *scene) observe(ctx context.Context, of ...kinds.Kind) {
	GinkgoHelper()
	observed, err := observer.Start(context.WithoutCancel(ctx), observer.Options{Config: admin, Namespace: s.namespace, Kinds: of, Log: s.log})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(observed.Stop)
	s.observer = observed
}

// watchPods notes what becomes of the pods until the spec ends.
func (s *scene) watchPods(ctx context.Context) {
	GinkgoHelper()
	ctx, cancel := context.WithCancel(ctx)
	DeferCleanup(cancel)
	events, err := server.Watch(ctx, &corev1.PodList{}, client.InNamespace(s.namespace))
	Expect(err).NotTo(HaveOccurred())
	go func() {
		said := map[string]string{}
		for event := range events.ResultChan() {
			pod, is := event.Object.(*corev1.Pod)
			if !is {
				continue
			}
			if event.Type == watch.Added {
				s.add(stepOf(pod))
			}
			now := strings.ToLower(string(pod.Status.Phase))
			if event.Type == watch.Deleted {
				now = "gone"
			}
			if what := fmt.Sprintf("Pod %s of step %s: %s", pod.Name, stepOf(pod), now); said[pod.Name] != what {
				said[pod.Name] = what
				s.log.Stimulate("kubelet", what)
			}
		}
	}()
}

// stepOf is the step that a pod is of: aSequence names the container for it.
func stepOf(pod *corev1.Pod) string { return pod.Spec.Containers[0].Name }

// add notes that there is a new pod.
func (s *scene) add(step string) {
	s.guard.Lock()
	defer s.guard.Unlock()
	s.pods = append(s.pods, step)
}

// podsEver returns the step of each pod that there ever was, as in "one one two".
func (s *scene) podsEver() string {
	s.guard.Lock()
	defer s.guard.Unlock()
	return strings.Join(s.pods, " ")
}

// jobsEver returns the step of each Job that there ever was.
func (s *scene) jobsEver(ctx context.Context) string {
	GinkgoHelper()
	_, err := s.observer.Sync(ctx)
	Expect(err).NotTo(HaveOccurred())
	var steps []string
	for _, change := range s.log.Run().Changes {
		if change.Resource == kinds.Job.Resource && change.Type == string(watch.Added) {
			steps = append(steps, kinds.StepOf(change.Object))
		}
	}
	return strings.Join(steps, " ")
}

// eachOnce fails unless these steps had one Job and one pod each, one step after the other, and no other step
// had any.
func (s *scene) eachOnce(ctx context.Context, steps ...string) {
	GinkgoHelper()
	s.jobsWere(ctx, steps...)
	s.podsWere(ctx, steps...)
}

// jobsWere fails unless these steps had a Job each, in this order.
func (s *scene) jobsWere(ctx context.Context, steps ...string) {
	GinkgoHelper()
	if ever := s.jobsEver(ctx); ever != strings.Join(steps, " ") {
		Fail(fmt.Sprintf("Jobs were created for the steps %q, in this order; it had to be %q.", ever, strings.Join(steps, " ")))
	}
}

// podsWere fails unless these steps had a pod each, in this order. The watch may have yet to tell of the last ones.
func (s *scene) podsWere(ctx context.Context, steps ...string) {
	GinkgoHelper()
	want := strings.Join(steps, " ")
	until(ctx, func() (string, error) {
		ever := s.podsEver()
		if !strings.HasPrefix(want, ever) {
			Fail(fmt.Sprintf("Pods were made for the steps %q, in this order; it had to be %q.", ever, want))
		}
		if ever != want {
			return fmt.Sprintf("pods had been made for the steps %q only; it had to be %q", ever, want), nil
		}
		return "", nil
	})
}

// jobOf returns the Job of a step; nil when there is none.
func (s *scene) jobOf(ctx context.Context, object *v1alpha1.SequentialJob, step string) (*batchv1.Job, error) {
	jobs := &batchv1.JobList{}
	if err := server.List(ctx, jobs, client.InNamespace(s.namespace)); err != nil {
		return nil, err
	}
	for _, job := range jobs.Items {
		if job.Spec.Template.Spec.Containers[0].Name == step && (metav1.IsControlledBy(&job, object) || metav1.GetControllerOf(&job) == nil) {
			return &job, nil
		}
	}
	return nil, nil
}

// podsOf returns the pods of a step's Job.
func (s *scene) podsOf(ctx context.Context, object *v1alpha1.SequentialJob, step string) ([]corev1.Pod, error) {
	job, err := s.jobOf(ctx, object, step)
	if err != nil || job == nil {
		return nil, err
	}
	pods := &corev1.PodList{}
	err = server.List(ctx, pods, client.InNamespace(s.namespace), client.MatchingLabels{batchv1.ControllerUidLabel: string(job.UID)})
	return pods.Items, err
}

// awaitRunning waits until the program of a step runs.
func (s *scene) awaitRunning(ctx context.Context, object *v1alpha1.SequentialJob, step string) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		pods, err := s.podsOf(ctx, object, step)
		running := slices.ContainsFunc(pods, func(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning })
		if err != nil || running {
			return "", err
		}
		return fmt.Sprintf("no pod of step %s was running", step), nil
	})
}

// awaitJob waits until the Job of a step is over in some way.
func (s *scene) awaitJob(ctx context.Context, object *v1alpha1.SequentialJob, step string, over batchv1.JobConditionType) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		job, err := s.jobOf(ctx, object, step)
		if err != nil {
			return "", err
		}
		if job == nil {
			return fmt.Sprintf("step %s of SequentialJob %s had no Job", step, object.Name), nil
		}
		if !isOver(job, over) {
			return fmt.Sprintf("Job %s, of step %s, was not %s", job.Name, step, over), nil
		}
		return "", nil
	})
}

// isOver says whether a Job is over in some way.
func isOver(job *batchv1.Job, over batchv1.JobConditionType) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == over && c.Status == corev1.ConditionTrue
	})
}

// awaitStanding waits until a run has a state, "one=Succeeded two=Running Succeeded=Unknown". The finished operator
// must also give this reason. The controllers of lessons may choose their own reasons.
func (s *scene) awaitStanding(ctx context.Context, object *v1alpha1.SequentialJob, there, reason string) {
	GinkgoHelper()
	want := withReason(there, reason)
	until(ctx, func() (string, error) {
		now := &v1alpha1.SequentialJob{}
		err := server.Get(ctx, client.ObjectKeyFromObject(object), now)
		if got := withReason(standing(now), reasonOf(now)); got != want {
			return fmt.Sprintf("the status of SequentialJob %s said\n    %s\nand not\n    %s", object.Name, got, want), err
		}
		return "", err
	})
}

// withReason adds the summary's reason to a run's state, for the finished operator.
func withReason(standing, reason string) string {
	if judged != finished {
		return standing
	}
	return standing + " for " + reason
}

// awaitNothing waits until nothing is left in the namespace of all that a controller deals with.
func (s *scene) awaitNothing(ctx context.Context) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		left, err := kinds.Names(ctx, server, s.namespace, kinds.SequentialJob, kinds.Job, kinds.Pod)
		if len(left) > 0 {
			return "there was still " + strings.Join(left, ", "), err
		}
		return "", err
	})
}

// How often is looked whether something has happened, and how many of these times at the log as well.
const (
	lookEvery  = 100 * time.Millisecond
	looksAtLog = 50
)

// until waits until nothing is missing, and fails with what is missing when nothing has happened for longer than
// patience.
func until(ctx context.Context, missing func() (string, error)) {
	GinkgoHelper()
	happened, last := 0, time.Now()
	for look := 1; ; look++ {
		what, err := missing()
		Expect(err).NotTo(HaveOccurred())
		if what == "" {
			return
		}
		if now := on.happened(); now != happened {
			happened, last = now, time.Now()
		}
		if look%looksAtLog == 0 && !isAPI() {
			if log, err := managersLog(ctx); err == nil { // else its pod is on its way
				mustBeSound(ctx, log) // or nothing will happen any more
			}
		}
		if time.Since(last) > patience {
			Fail(fmt.Sprintf("For %g s nothing happened any more, and %s.", patience.Seconds(), what))
		}
		select {
		case <-ctx.Done():
			Fail(fmt.Sprintf("After %s there was no end of it, and %s.", context.Cause(ctx), what))
		case <-time.After(lookEvery):
		}
	}
}

// happened is how much has happened by now.
func (s *scene) happened() int {
	run := s.log.Run()
	return len(run.Changes) + len(run.Stimuli)
}
