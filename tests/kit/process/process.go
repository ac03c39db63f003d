// Package process builds controllers and runs them as processes of their own, which is how they run
// in production: with a kubeconfig, under a ServiceAccount, ended by a signal. Whatever a controller does
// wrong, it ends with a known outcome, and all its processes end with it.
package process

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/guard"
)

// defaultPatience is how long a controller may take to end after SIGTERM.
const defaultPatience = 10 * time.Second

// Options tell how to run a controller.
type Options struct {
	Binary   string        // the program, in whatever language
	Config   *rest.Config  // as whom it talks to which API server
	Dir      string        // a folder of this process alone, for its kubeconfig and its log; made if it isn't there
	Args     []string      // more flags
	Env      []string      // more environment variables, as NAME=value
	Patience time.Duration // how long it may take to end after SIGTERM; 10 s where it is zero

	// Printed receives each line that the program prints, without what would move a cursor, one at a time; may be nil.
	Printed func(line string)
}

// Process is a controller that runs. Its methods may be called at any time, by many goroutines.
type Process struct {
	command     *exec.Cmd
	guard       *guard.Guard
	mark        string // what its environment has, and so that of every program that it starts
	output      *os.File
	log         *logFile
	patience    time.Duration
	metricsAddr string
	probeAddr   string
	release     func() // of the addresses
	activity    observed

	mu     sync.Mutex
	asked  string // what has been done to make it end: "stopped" or "killed"; empty for nothing
	exited bool   // a signal may reach another process from now on

	ended   chan struct{}
	outcome Outcome // since it has ended
	stop    func() error
}

// Start starts a controller. It ends with Stop, or with this process, however that ends.
func Start(options Options) (*Process, error) {
	p, err := start(options)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", options.Binary, err)
	}
	return p, nil
}

func start(options Options) (_ *Process, err error) {
	binary, err := filepath.Abs(options.Binary)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(binary); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(options.Dir, "kubeconfig")
	if err := cluster.WriteKubeconfig(kubeconfig, Namespace, options.Config); err != nil {
		return nil, err
	}
	p := &Process{mark: "COURSE_RUN=" + rand.Text(), patience: options.Patience, ended: make(chan struct{})}
	if p.patience == 0 {
		p.patience = defaultPatience
	}
	p.stop = sync.OnceValue(p.stopOnce)
	addresses, release, err := Addresses(2)
	if err != nil {
		return nil, err
	}
	p.metricsAddr, p.probeAddr, p.release = addresses[0], addresses[1], release
	defer func() {
		if err != nil {
			release()
		}
	}()
	const name = "controller"
	if p.guard, err = guard.New(filepath.Join(options.Dir, "guard"), map[string]string{name: binary}); err != nil {
		return nil, err
	}
	args := append([]string{"--metrics-bind-address=" + p.metricsAddr, "--health-probe-bind-address=" + p.probeAddr}, options.Args...)
	p.command = exec.Command(p.guard.Path(name), args...)
	p.command.Env = append(append(os.Environ(), options.Env...), "KUBECONFIG="+kubeconfig, p.mark)
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.run(filepath.Join(options.Dir, "controller.log"), options.Printed); err != nil {
		p.guard.Cut()
		return nil, err
	}
	return p, nil
}

// run starts the command with its output going to a log.
func (p *Process) run(log string, printed func(string)) error {
	file, err := os.Create(log)
	if err != nil {
		return err
	}
	p.log = &logFile{file: file}
	output, input, err := os.Pipe()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	p.command.Stdout, p.command.Stderr = input, input
	err = errors.Join(p.command.Start(), input.Close())
	if err != nil {
		return errors.Join(err, output.Close(), file.Close())
	}
	p.output = output
	p.activity.group, p.activity.script = p.command.Process.Pid, p.command.Path
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		// Until no process is left that could write, or the deadline passes.
		readLines(io.TeeReader(output, p.log), printed)
		_, _ = io.Copy(p.log, output)
	}()
	go p.wait(logged)
	return nil
}

// wait waits for the controller's end, and ends the processes that it has left running.
func (p *Process) wait(logged <-chan struct{}) {
	_ = p.command.Wait() // what it says is asked of command.ProcessState
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
	p.mu.Lock()
	p.exited = true
	asked := p.asked
	p.mu.Unlock()
	sweep(p.mark, p.patience)
	_ = p.output.SetReadDeadline(time.Now().Add(defaultPatience)) // in case a process has escaped, with the output open
	<-logged
	_ = p.output.Close()
	p.log.close()
	p.guard.Cut()
	p.release()
	p.outcome = p.conclude(asked)
	close(p.ended)
}

// Log is the path of what the controller wrote to its standard output and error: its beginning and its
// end, if that was much.
func (p *Process) Log() string { return p.log.file.Name() }

// Ended is closed when the controller has ended, and all that it had started.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// AwaitReady waits until the controller's readiness probe succeeds.
func (p *Process) AwaitReady(ctx context.Context) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for !p.ready(ctx) {
		select {
		case <-poll.C:
		case <-p.ended:
			return fmt.Errorf("the controller has ended by itself, before it was ready (%s); its log is %s", p.outcome.How, p.Log())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (p *Process) ready(ctx context.Context) bool { return p.probe(ctx, "/readyz") }

// Live says whether the controller's liveness probe succeeds, if it has one.
func (p *Process) Live(ctx context.Context) bool { return p.probe(ctx, "/healthz") }

func (p *Process) probe(ctx context.Context, path string) bool {
	response, err := get(ctx, p.probeAddr, path)
	return err == nil && response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// PeakBytes is the most memory that was resident while the controller ran. It is known once it has ended: the system
// counts a program's children that it has waited for, and so the controller as one of its guard's.
func (p *Process) PeakBytes() int64 {
	if !p.hasEnded() {
		return 0
	}
	usage := p.command.ProcessState.SysUsage().(*syscall.Rusage)
	if runtime.GOOS == "darwin" {
		return usage.Maxrss // in bytes there, in KiB elsewhere
	}
	return usage.Maxrss << 10
}
