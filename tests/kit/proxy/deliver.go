package proxy

import (
	"net/http"
	"time"

	"example.com/controller-course/tests/kit/history"
)

// step is what to do next on a stream.
type step int

const (
	wait step = iota
	send
	abort
	finish
)

// deliver sends events as they may go, until the watch ends or the client has gone.
func (s *stream) deliver(w http.ResponseWriter, gone <-chan struct{}) {
	for {
		switch step, f := s.next(); step {
		case send:
			s.send(w, f)
		case abort:
			panic(http.ErrAbortHandler)
		case finish:
			return
		case wait:
			select {
			case <-s.wake:
			case <-gone:
				return
			}
		}
	}
}

// next returns what to do next. A process that is about to be killed receives no more events: its watches end with it.
func (s *stream) next() (step, *frame) {
	p := s.door.lock()
	defer p.mu.Unlock()
	switch {
	case s.door.dead:
		return wait, nil
	case s.cut:
		return abort, nil
	case len(s.queue) == 0 && s.over:
		return finish, nil
	case len(s.queue) == 0 || s.queue[0].held:
		return wait, nil
	}
	f := s.queue[0]
	switch f.fault.Action {
	case Cut:
		s.cut = true
		p.options.Log.Heal(f.struck)
		return abort, nil
	case CrashAtEvent:
		s.door.dead = true
	}
	return send, f
}

// send delivers one event. The time is taken first, so that what the controller does upon it comes
// later in the history too.
func (s *stream) send(w http.ResponseWriter, f *frame) {
	s.delivered(f, s.door.proxy.options.Log.Now())
	_, err := w.Write(f.line)
	if err == nil {
		err = http.NewResponseController(w).Flush()
	}
	if err != nil {
		s.delivered(f, 0)
		panic(http.ErrAbortHandler)
	}
	s.sent(f)
	if f.fault.Action == CrashAtEvent {
		s.door.kill()
		s.door.proxy.options.Log.Heal(f.struck)
		panic(http.ErrAbortHandler)
	}
}

func (s *stream) delivered(f *frame, at time.Duration) {
	if f.place > 0 {
		s.door.proxy.options.Log.Write(func(run *history.Run) { run.Frames[f.place-1].Delivered = at })
	}
}

func (s *stream) sent(f *frame) {
	p := s.door.lock()
	defer p.mu.Unlock()
	if len(s.queue) > 0 && s.queue[0] == f {
		s.queue = s.queue[1:]
	}
	s.markShown(f)
	if f.about {
		s.touch()
	}
	if f.initEnd && !s.up {
		s.setUp()
	}
}
