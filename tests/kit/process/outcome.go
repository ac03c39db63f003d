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

// Outcome tells how the controller ended or, while it runs, what it has printed so far.
func (p *Process) Outcome() Outcome {
	if p.hasEnded() {
		return p.outcome
	}
	return p.seen(-1)
}

// How tells in words how the controller ended; it is empty while it runs.
func (p *Process) How() string {
	if !p.hasEnded() {
		return ""
	}
	return p.outcome.How
}

// ExitCode is that of a controller that has ended; -1 after Kill.
func (p *Process) ExitCode() int {
	if !p.hasEnded() {
		return -1
	}
	return p.outcome.ExitCode
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// seen is what is known of a controller by what it has printed.
func (p *Process) seen(exitCode int) Outcome {
	const lines = 10
	log := p.log.end()
	return Outcome{ExitCode: exitCode, Panic: FindPanic(log), LogFull: p.log.full(), LastLines: lastLines(log, lines)}
}

// conclude tells how the controller ended after it was asked to, or by itself.
func (p *Process) conclude(asked string) Outcome {
	const panicked = 2 // a Go program's exit code then
	state := p.command.ProcessState
	outcome := p.seen(state.ExitCode())
	switch {
	case asked == killed:
		outcome.How = killed
	case outcome.ExitCode == panicked && outcome.Panic != nil && !outcome.Panic.Recovered:
		outcome.How, _, _ = strings.Cut(outcome.Panic.Message, "\n")
	case asked == stopped:
		outcome.How = stopped
	case outcome.ExitCode > 128:
		// Its guard, a shell, tells so that a signal ended it.
		outcome.How = fmt.Sprintf("exit code %d, after signal: %s", outcome.ExitCode, syscall.Signal(outcome.ExitCode-128))
	case outcome.ExitCode >= 0:
		outcome.How = fmt.Sprintf("exit code %d", outcome.ExitCode)
	default:
		outcome.How = state.String() // "signal: killed"
	}
	return outcome
}
