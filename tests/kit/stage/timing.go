package stage

import (
	"time"

	"example.com/controller-course/tests/kit/patience"
	"example.com/controller-course/tests/kit/process"
)

const (
	// Quiet is how long nothing must have moved before others act. It decides how soon that is, and
	// nothing else: a controller that is slower meets the next act earlier, which is legal too.
	Quiet = 50 * time.Millisecond

	// Still is how long nothing must have moved before it counts as rest, or before what is held
	// back is let go.
	Still = 150 * time.Millisecond

	// settling is how much of its own time a restarted process may need, once its watches are up to date,
	// until it starts to work: controller-runtime looks every 100 ms whether its caches are filled.
	settling = 300 * time.Millisecond

	// response is more processor time than a controller takes for what an event, or a response, has it do. One that
	// works for longer is at something else.
	response = 200 * time.Millisecond

	// lookEvery is how often patience looks at the controller.
	lookEvery = 50 * time.Millisecond
)

// timing is what is known about how the controller has spent its time.
type timing struct {
	clock  patience.Clock
	looked time.Duration
	active time.Time // when a request or an event had moved last, as the last look saw it

	moved  moved
	used   time.Duration // the processor time of the process when that had moved
	atWork time.Duration // when the process was seen to do something about it last
	asleep time.Duration // when it was seen first that it did nothing more about it
}

// moved is when something has moved last, as seen by the proxy and by the observer.
type moved struct {
	proxy    time.Time
	observer time.Duration
}

// Had is how long the controller has had since a moment of the run. If the machine is too busy to run it, or
// the API server too busy to respond, that is less than the time that has passed.
func (s *Stage) Had(since time.Duration) time.Duration {
	s.look()
	return s.timing.clock.Since(since)
}

func (s *Stage) look() {
	t, now := &s.timing, s.Log.Now()
	if now-t.looked < lookEvery {
		return
	}
	busy, active := s.busy()
	activity := s.activity()
	t.clock.Look(patience.Look{At: now, Runnable: activity.Runnable, Used: activity.Used, Blocked: busy && active.Equal(t.active)})
	t.looked, t.active = now, active
}

func (s *Stage) activity() process.Activity {
	_, running, _ := s.Current()
	if running == nil {
		return process.Activity{}
	}
	return running.Activity()
}

// IsQuiet says whether the controller is up, and nothing has moved for a while: no object, no request, no event, and
// not the process itself, which may not have got a processor yet for what it is about to do. It has to be asked
// more than once: what the process did right before it fell asleep may take a moment to be seen.
func (s *Stage) IsQuiet(while time.Duration) bool {
	instance, running, killed := s.Current()
	if running == nil || killed || !s.Proxy.UpToDate(instance) {
		return false
	}
	now := s.Log.Now()
	if upToDate := s.Log.UpToDate(instance); instance > 1 && (upToDate == 0 || s.Had(upToDate) < settling) {
		return false
	}
	busy, active := s.busy()
	changed := s.LastChange()
	last := max(changed, now-time.Since(active))
	if busy || now-last < while/2 {
		return false
	}
	return s.timing.quiet(now, last, moved{active, changed}, running.Activity(), while)
}

// quiet says whether a process that is seen like this has done nothing for a while, and nothing has moved since last.
func (t *timing) quiet(now, last time.Duration, as moved, activity process.Activity, while time.Duration) bool {
	if t.moved != as {
		t.moved, t.used = as, activity.Used
	}
	if activity.Runnable && activity.Used-t.used < response {
		t.atWork = now
		return false
	}
	if t.asleep <= max(last, t.atWork) {
		t.asleep = now
	}
	return now-max(last, t.atWork) >= while && now-t.asleep >= while/4
}

// takenIn waits until an instance has done what it could with the events that it has received.
func (s *Stage) takenIn(instance int) {
	const pause = 5 * time.Millisecond
	s.mu.Lock()
	running := s.processes[instance-1]
	s.mu.Unlock()
	for used := running.Activity().Used; ; time.Sleep(pause) {
		if a := running.Activity(); !a.Runnable || a.Used-used >= response {
			return
		}
	}
}
