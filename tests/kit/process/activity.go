package process

import (
	"sync"
	"time"
)

// Activity is what the operating system says of a controller. Where that can't be asked, which is everywhere but on
// Linux, it seems to be asleep all the time and to have used nothing.
type Activity struct {
	// Runnable says that the controller runs, or would if it were given a processor, or its data from a disk. One
	// that waits for a timer, an event or a response is not runnable.
	Runnable bool

	Used time.Duration // the processor time that it has had
}

// fresh is how long an Activity may be reused: reading it takes a good part of a millisecond.
const fresh = 5 * time.Millisecond

// Activity says what the controller does right now.
func (p *Process) Activity() Activity {
	p.activity.mu.Lock()
	defer p.activity.mu.Unlock()
	if now := time.Now(); now.Sub(p.activity.asked) >= fresh {
		p.activity.last, p.activity.asked = p.activity.ask(), now
	}
	return p.activity.last
}

// observed is what is known about the processes of a group.
type observed struct {
	group  int    // its ID
	script string // the path of the guard's

	mu    sync.Mutex
	last  Activity
	asked time.Time

	members []int // processes
	listed  bool  // they were looked for before
	begun   bool  // one of them was the program, or what that had started
}
