package process

import (
	"fmt"
	"strings"
	"syscall"
)

// Outcome is how a controller ended.
type Outcome struct {
	How       string   // in words: "killed", "stopped", "exit code 1", "panic: ..."; empty while it runs
	ExitCode  int      // -1 while it runs, and when a signal ended it
	Panic     *Panic   // the last one in its log; nil when there is none
	LogFull   bool     // it printed more than was kept
	LastLines []string // what it printed last
}

// Outcome returns how the controller ended or, while it runs, what it has printed so far.
func (p *Process) Outcome() Outcome {
	if p.hasEnded() {
		return p.outcome
	}
	return p.seen(-1)
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// seen is what is known about a running controller from its output.
func (p *Process) seen(exitCode int) Outcome {
	seen := printed(p.log.end(), exitCode)
	seen.LogFull = p.log.full()
	return seen
}

// printed is what is known about a program from its log.
func printed(log string, exitCode int) Outcome {
	const lines = 10
	return Outcome{ExitCode: exitCode, Panic: FindPanic(log), LastLines: lastLines(log, lines)}
}

// conclude returns how the controller ended after it was asked to, or by itself.
func (p *Process) conclude(asked string) Outcome {
	state := p.command.ProcessState
	outcome := p.seen(state.ExitCode())
	switch {
	case asked == killed:
		outcome.How = killed
	case asked == stopped && !outcome.panicked():
		outcome.How = stopped
	case outcome.ExitCode < 0:
		outcome.How = state.String() // "signal: killed"
	default:
		outcome.How = outcome.byItself()
	}
	return outcome
}

// EndOf returns how a program has ended by itself elsewhere, by its log and its exit code.
func EndOf(log string, exitCode int) Outcome {
	outcome := printed(log, exitCode)
	outcome.How = outcome.byItself()
	return outcome
}

func (o Outcome) panicked() bool {
	const panicked = 2 // a Go program's exit code then
	return o.ExitCode == panicked && o.Panic != nil && !o.Panic.Recovered
}

// byItself says how a program ended by itself.
func (o Outcome) byItself() string {
	switch {
	case o.panicked():
		headline, _, _ := strings.Cut(o.Panic.Message, "\n")
		return headline
	case o.ExitCode > 128:
		// By this code, a guard, a shell or a container runtime reports that a signal ended it.
		return fmt.Sprintf("exit code %d, after signal: %s", o.ExitCode, syscall.Signal(o.ExitCode-128))
	default:
		return fmt.Sprintf("exit code %d", o.ExitCode)
	}
}
