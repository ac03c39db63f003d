package process

import (
	"fmt"
	"syscall"
	"time"

	"example.com/controller-course/tests/kit/patience"
)

// SigtermError reports that a controller did not end in time after SIGTERM and had to be killed.
type SigtermError struct {
	Patience time.Duration // the time that it had
	Log      string        // the path of its log
}

func (e *SigtermError) Error() string {
	return fmt.Sprintf("the controller had not ended %s after SIGTERM and was killed; its log is %s", e.Patience, e.Log)
}

// Ways to end a controller.
const (
	stopped = "stopped"
	killed  = "killed"
)

// Stop asks the controller to end, and makes it end if it doesn't in time; then it returns a
// *SigtermError. It returns nil if the controller had ended before.
func (p *Process) Stop() error { return p.stop() }

func (p *Process) stopOnce() error {
	began := time.Now()
	p.end(stopped, syscall.SIGTERM)
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for clock := (patience.Clock{}); clock.Since(0) < p.patience; {
		a := p.Activity()
		clock.Look(patience.Look{At: time.Since(began), Runnable: a.Runnable, Used: a.Used})
		select {
		case <-p.ended:
			return nil
		case <-look.C:
		}
	}
	if !p.end(killed, syscall.SIGKILL) {
		<-p.ended // in the very moment
		return nil
	}
	<-p.ended
	return &SigtermError{Patience: p.patience, Log: p.Log()}
}

// Kill ends the controller as a crash would.
func (p *Process) Kill() {
	p.end(killed, syscall.SIGKILL)
	<-p.ended
}

// end sends the controller a signal, unless it has ended.
func (p *Process) end(how string, signal syscall.Signal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exited {
		return false
	}
	if p.asked != killed {
		p.asked = how
	}
	_ = syscall.Kill(-p.command.Process.Pid, signal) // it may be ending already
	return true
}
