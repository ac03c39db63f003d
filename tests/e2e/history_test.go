package e2e_test

import (
	"context"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// A history knows every Job and every pod that there ever was in a namespace.
type history struct {
	mu   sync.Mutex
	ever map[string][]string // UIDs by step, of "Job" and "Pod"
}

// record records until the spec ends.
func record(namespace string) *history {
	GinkgoHelper()
	ctx, cancel := context.WithCancel(context.Background())
	DeferCleanup(cancel)
	h := &history{ever: map[string][]string{}}
	for kind, list := range map[string]client.ObjectList{"Job": &batchv1.JobList{}, "Pod": &corev1.PodList{}} {
		events, err := server.Watch(ctx, list, client.InNamespace(namespace))
		Expect(err).NotTo(HaveOccurred())
		go func() {
			for event := range events.ResultChan() {
				if object, ok := event.Object.(client.Object); ok && event.Type != watch.Bookmark {
					h.add(kind, object)
				}
			}
		}()
	}
	return h
}

func (h *history) add(kind string, object client.Object) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := kind + " of " + object.GetLabels()[v1alpha1.LabelStep]
	if uid := string(object.GetUID()); !slices.Contains(h.ever[key], uid) {
		h.ever[key] = append(h.ever[key], uid)
	}
}

// counts returns how many Jobs and pods each step ever had.
func (h *history) counts() map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	counts := map[string]int{}
	for key, uids := range h.ever {
		counts[key] = len(uids)
	}
	return counts
}

// once is the counts of steps that ran once each.
func once(steps ...string) map[string]int {
	counts := map[string]int{}
	for _, step := range steps {
		counts["Job of "+step] = 1
		counts["Pod of "+step] = 1
	}
	return counts
}
