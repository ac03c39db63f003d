package workspace

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// pace says how long to wait between attempts: not at all before there have been free of them, then first, and twice as long each
// time, up to longest.
type pace struct {
	free           int
	first, longest time.Duration
}

var (
	// A setting that was changed is put back at once. If somebody changes it again and again, it is another controller or a script,
	// and putting it back costs both sides a request each time.
	restoring = pace{free: 2, first: 2 * time.Second, longest: 10 * time.Minute}

	// A Secret that the API server refuses for now is tried again like a reconcile that fails. But a refusal is in the status, and its
	// words may differ each time: the event of that write would bring the next attempt at once.
	asking = pace{free: 0, first: firstRetry, longest: lastRetry}
)

// calm is after how long without an attempt the next one is the first again.
const calm = 30 * time.Minute

// pauses are the waits between attempts, for each Workspace. The zero value is ready.
type pauses struct {
	mu      sync.Mutex
	entries map[types.UID]attempts
}

type attempts struct {
	count int
	last  time.Time
}

// record records an attempt, and returns when the next one may be made.
func (p *pauses) record(uid types.UID, now time.Time, at pace) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	entry := p.entries[uid]
	if now.Sub(entry.last) > calm {
		entry.count = 0
	}
	entry.count++
	entry.last = now
	if p.entries == nil {
		p.entries = map[types.UID]attempts{}
	}
	p.entries[uid] = entry
	return entry.next(at)
}

// until returns when the next attempt may be made; zero for now.
func (p *pauses) until(uid types.UID, at pace) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries[uid].next(at)
}

func (p *pauses) forget(uid types.UID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.entries, uid)
}

func (a attempts) next(at pace) time.Time {
	if a.count <= at.free {
		return time.Time{}
	}
	wait := at.first
	for range a.count - at.free - 1 {
		wait = min(2*wait, at.longest)
	}
	return a.last.Add(wait)
}
