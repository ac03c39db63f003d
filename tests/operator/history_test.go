package operator_test

import (
	"context"
	"fmt"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// A history is all that ever happened to the Jobs of a namespace, in order.
type history struct {
	mu     sync.Mutex
	events []string            // "web/one created", "web/one complete", "web/one gone"
	uids   map[string][]string // by SequentialJob and step
	err    error
}

// record records the history of a namespace's Jobs from now to the end of the spec.
func record(ctx context.Context, namespace string) *history {
	GinkgoHelper()
	h := &history{uids: map[string][]string{}}
	stream, err := server.Watch(ctx, &batchv1.JobList{}, client.InNamespace(namespace))
	Expect(err).NotTo(HaveOccurred())
	done := make(chan struct{})
	go func() {
		defer close(done)
		seen := map[string]bool{}
		for event := range stream.ResultChan() {
			h.add(event, seen)
		}
	}()
	DeferCleanup(func() {
		stream.Stop()
		<-done
	})
	return h
}

func (h *history) add(event watch.Event, seen map[string]bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	job, ok := event.Object.(*batchv1.Job)
	if !ok {
		h.err = fmt.Errorf("the watch on Jobs came to an end: %v", event.Object)
		return
	}
	step := job.Labels[v1alpha1.LabelSequentialJob] + "/" + job.Labels[v1alpha1.LabelStep]
	note := func(what string) {
		if key := string(job.UID) + what; !seen[key] {
			seen[key] = true
			h.events = append(h.events, step+" "+what)
		}
	}
	if event.Type == watch.Added {
		h.uids[step] = append(h.uids[step], string(job.UID))
	}
	note("created")
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue {
			note("complete")
		}
	}
	if event.Type == watch.Deleted {
		note("gone")
	}
}

// awaitCreated waits until the Job of a step has been created: "run/one".
func (h *history) awaitCreated(ctx context.Context, step string) {
	GinkgoHelper()
	Eventually(ctx, func() ([]string, error) { return h.so() }).Should(ContainElement(step + " created"))
}

// so returns what has happened so far.
func (h *history) so() ([]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.events...), h.err
}

// jobs returns the UIDs of all Jobs there have ever been, by SequentialJob and step.
func (h *history) jobs() (map[string][]string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	uids := map[string][]string{}
	for step, of := range h.uids {
		uids[step] = append([]string(nil), of...)
	}
	return uids, h.err
}

// expectOneJobEach expects that each step of an object, by its status, has had one Job ever, the one
// that the status names.
func expectOneJobEach(h *history, object *v1alpha1.SequentialJob) {
	GinkgoHelper()
	for _, step := range object.Status.Steps {
		Eventually(h.jobs).Should(HaveKeyWithValue(object.Name+"/"+step.Name, ConsistOf(string(step.JobUID))))
	}
}
