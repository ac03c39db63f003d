package bench

import (
	"context"
	"fmt"
	"sync"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stamps are the moments at which this process saw things happen by a watch on Jobs: what a client
// of the API sees. SequentialJobs are not watched, as that would be a part of the load.
type stamps struct {
	mu sync.Mutex

	asked    map[string]time.Time // by SequentialJob: its creation was answered
	firstJob map[string]time.Time // by SequentialJob: its first Job was seen
	lastDone map[string]time.Time // by SequentialJob: the completion of its latest finished Job was seen

	jobs      map[string]bool // Jobs whose creation was seen
	completed map[string]bool // Jobs whose completion was seen

	gaps []time.Duration // from a step's completion to the creation of the next step's Job

	changed chan struct{} // gets an element when a Job completed
}

func newStamps() *stamps {
	return &stamps{
		asked: map[string]time.Time{}, firstJob: map[string]time.Time{}, lastDone: map[string]time.Time{},
		jobs: map[string]bool{}, completed: map[string]bool{}, changed: make(chan struct{}, 1),
	}
}

// follow stamps what happens to Jobs from now on, as the cache receives the events.
func (s *stamps) follow(ctx context.Context, watched cache.Cache) error {
	informer, err := watched.GetInformer(ctx, &batchv1.Job{})
	if err != nil {
		return fmt.Errorf("watch Jobs: %w", err)
	}
	_, err = informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc:    s.see,
		UpdateFunc: func(_, now any) { s.see(now) },
	})
	if err != nil {
		return fmt.Errorf("watch Jobs: %w", err)
	}
	return nil
}

func (s *stamps) see(object any) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if job, ok := object.(*batchv1.Job); ok {
		s.seeJob(job, now)
	}
}

func (s *stamps) seeJob(job *batchv1.Job, now time.Time) {
	owner := job.Labels[v1alpha1.LabelSequentialJob]
	if !s.jobs[job.Name] {
		s.jobs[job.Name] = true
		if before, some := s.lastDone[owner]; some {
			s.gaps = append(s.gaps, now.Sub(before))
		} else {
			s.firstJob[owner] = now
		}
	}
	if !s.completed[job.Name] && isComplete(job) {
		s.completed[job.Name] = true
		s.lastDone[owner] = now
		s.notify()
	}
}

func isComplete(job *batchv1.Job) bool {
	for _, condition := range job.Status.Conditions {
		if condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

func (s *stamps) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

func (s *stamps) ask(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[name] = time.Now()
}

// waitFor waits until reached, which is called with the stamps locked, says so.
func (s *stamps) waitFor(ctx context.Context, reached func() bool) error {
	for {
		s.mu.Lock()
		done := reached()
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// untilFirstJob returns, for each SequentialJob, the time from the response to its creation to its
// first Job; 0 if the Job was seen before the response.
func (s *stamps) untilFirstJob() []time.Duration {
	var times []time.Duration
	for name, asked := range s.asked {
		times = append(times, max(0, s.firstJob[name].Sub(asked)))
	}
	return times
}
