package workspace

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/internal/attempts"
)

var (
	// A setting that was changed is put back at once. If somebody changes it again and again, it is another controller or a script,
	// and putting it back costs both sides a request each time.
	restoring = attempts.Pace{Free: 2, First: 2 * time.Second, Longest: 10 * time.Minute}

	// A Secret that the API server refuses for now is tried again like a reconcile that fails. But a refusal is in the status, and its
	// words may differ each time: the event of that write would bring the next attempt at once.
	asking = attempts.Pace{First: firstRetry, Longest: lastRetry}
)

// pauses are the waits between attempts, for each Workspace. The zero value is ready.
type pauses struct {
	mu      sync.Mutex
	entries map[types.UID]attempts.Attempts
}

// record records an attempt, and returns when the next one may be made.
func (p *pauses) record(uid types.UID, now time.Time, at attempts.Pace) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.entries[uid]
	made.Record(now)
	if p.entries == nil {
		p.entries = map[types.UID]attempts.Attempts{}
	}
	p.entries[uid] = made
	return made.Next(at)
}

// until returns when the next attempt may be made; zero for now.
func (p *pauses) until(uid types.UID, at attempts.Pace) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries[uid].Next(at)
}

func (p *pauses) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.entries, uid)
}
