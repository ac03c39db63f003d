// Package load runs a command on a machine that is kept busy: the system's load average stays at or above a
// goal, by processes that do nothing but use a processor.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"example.com/controller-course/tests/kit/guard"
)

// Options tell what to run under which load.
type Options struct {
	Average float64   // the load average, over one minute, that the machine keeps while the command runs
	Command []string  // the program and its arguments
	Stdin   io.Reader // the command's
	Stdout  io.Writer // the command's
	Stderr  io.Writer // the command's; the load averages are printed here as well
}

const (
	// every is how often the kernel recomputes the load average, from how many processes run or wait for a
	// processor at that moment.
	every = 5 * time.Second

	// margin is added to the goal, because what else runs on the machine comes and goes.
	margin = 0.5

	// most is how many busy processes there are at most, as a multiple of the goal. More of them raise the
	// load average sooner.
	most = 4
)

// decay is how much of the load average is left after every.
var decay = math.Exp(-every.Seconds() / 60)

// Run raises the load average to the goal, runs the command while it stays there, and returns the command's exit
// code. The busy processes end with Run, or with this process, however that ends.
func Run(ctx context.Context, options Options) (code int, err error) {
	dir, err := os.MkdirTemp("", "load-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	l := &load{goal: options.Average + margin}
	if l.guard, err = guard.New(dir, map[string]string{spinner: "/bin/sh"}); err != nil {
		return 0, err
	}
	defer l.end()
	if l.average, err = average(); err != nil {
		return 0, err
	}
	fmt.Fprintf(options.Stderr, "Load average at the start: %.2f. Keeping it at %.2f or above.\n", l.average, options.Average)
	for l.average < options.Average {
		if err := l.keep(ctx); err != nil {
			return 0, err
		}
	}

	command := exec.CommandContext(ctx, options.Command[0], options.Command[1:]...)
	command.Stdin, command.Stdout, command.Stderr = options.Stdin, options.Stdout, options.Stderr
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	if err := command.Start(); err != nil {
		return 0, err
	}
	running, ended := context.WithCancel(ctx)
	kept := make(chan error)
	l.samples = []float64{l.average}
	go func() {
		var err error
		for err == nil {
			err = l.keep(running)
		}
		kept <- err
	}()
	err = command.Wait()
	ended()
	if keepErr := <-kept; !errors.Is(keepErr, context.Canceled) {
		return 0, keepErr
	}
	sum := 0.0
	for _, sample := range l.samples {
		sum += sample
	}
	fmt.Fprintf(options.Stderr, "Load average while %s ran: at least %.2f, %.2f on average, at most %.2f.\n",
		strings.Join(options.Command, " "), slices.Min(l.samples), sum/float64(len(l.samples)), slices.Max(l.samples))
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return failed.ExitCode(), context.Cause(ctx)
	}
	return 0, err
}

// spinner is the name of the busy processes.
const spinner = "spin"

type load struct {
	goal    float64
	guard   *guard.Guard
	busy    []*exec.Cmd // processes
	average float64     // as it was read last
	samples []float64
}

// keep waits until the load average has been computed again, and starts or ends as many processes as bring it to
// the goal the next time.
func (l *load) keep(ctx context.Context) error {
	select {
	case <-time.After(every):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	now, err := average()
	if err != nil {
		return err
	}
	want := needed(l.average, now, l.goal, len(l.busy))
	l.average = now
	l.samples = append(l.samples, now)
	for len(l.busy) < want {
		process := exec.Command(l.guard.Path(spinner), "-c", "while :; do :; done")
		process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := process.Start(); err != nil {
			return err
		}
		l.busy = append(l.busy, process)
	}
	for len(l.busy) > want {
		l.stop()
	}
	return nil
}

// stop ends the busy process that was started last.
func (l *load) stop() {
	last := len(l.busy) - 1
	_ = syscall.Kill(-l.busy[last].Process.Pid, syscall.SIGKILL) // with its guard
	_ = l.busy[last].Wait()                                      // says that it was killed
	l.busy = l.busy[:last]
}

// end ends all busy processes.
func (l *load) end() {
	for len(l.busy) > 0 {
		l.stop()
	}
	l.guard.Cut()
}

// needed is how many busy processes bring the load average to the goal, given what it was before, what it is now,
// and how many busy processes there were between.
func needed(before, now, goal float64, busy int) int {
	others := max(0, (now-before*decay)/(1-decay)-float64(busy))
	all := (goal - now*decay) / (1 - decay)
	return int(min(max(0, math.Ceil(all-others)), math.Ceil(most*goal)))
}

// average is the system's load average over one minute.
func average() (float64, error) {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0, fmt.Errorf("read the load average, which only Linux has: %w", err)
	}
	var average float64
	_, err = fmt.Sscan(string(text), &average)
	return average, err
}
