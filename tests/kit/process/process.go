// Package process builds controllers and runs them as processes of their own, which is how they run
// in production: with a kubeconfig, under a ServiceAccount, ended by a signal.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/guard"
)

// patience is how long a controller may take to end after SIGTERM.
const patience = 10 * time.Second

// Build compiles the main package in dir to the file binary.
func Build(ctx context.Context, dir, binary string) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = dir
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // on which go ends its compilers too
	build.WaitDelay = patience
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", dir, err, output)
	}
	return nil
}

// Options tell how to run a controller.
type Options struct {
	Binary string       // the program
	Config *rest.Config // as whom it talks to which API server
	Dir    string       // a folder for its kubeconfig and its log; made if it isn't there
	Args   []string     // more flags
}

// Process is a controller that runs.
type Process struct {
	command     *exec.Cmd
	guard       *guard.Guard
	log         *os.File
	metricsAddr string
	probeAddr   string
	ended       chan struct{}
}

// Start starts a controller. It ends with Stop, or with this process, however that ends.
func Start(options Options) (*Process, error) {
	p, err := start(options)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", options.Binary, err)
	}
	return p, nil
}

func start(options Options) (*Process, error) {
	if err := os.MkdirAll(options.Dir, 0o755); err != nil {
		return nil, err
	}
	kubeconfig := filepath.Join(options.Dir, "kubeconfig")
	if err := writeKubeconfig(kubeconfig, options.Config); err != nil {
		return nil, err
	}
	addresses, err := freeAddresses(2)
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(options.Dir, "controller.log"))
	if err != nil {
		return nil, err
	}
	p := &Process{log: log, metricsAddr: addresses[0], probeAddr: addresses[1], ended: make(chan struct{})}
	const name = "controller"
	if p.guard, err = guard.New(filepath.Join(options.Dir, "guard"), map[string]string{name: options.Binary}); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	args := append([]string{"--metrics-bind-address=" + p.metricsAddr, "--health-probe-bind-address=" + p.probeAddr}, options.Args...)
	p.command = exec.Command(p.guard.Path(name), args...)
	p.command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	p.command.Stdout, p.command.Stderr = log, log
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.command.Start(); err != nil {
		p.guard.Cut()
		return nil, errors.Join(err, log.Close())
	}
	go func() {
		_ = p.command.Wait() // what it says is asked of command.ProcessState
		close(p.ended)
	}()
	return p, nil
}

// MetricsURL is where the controller serves its metrics.
func (p *Process) MetricsURL() string { return "http://" + p.metricsAddr + "/metrics" }

// Log is the path of what the controller wrote to its standard output and error.
func (p *Process) Log() string { return p.log.Name() }

// Ended is closed when the controller has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Stop asks the controller to end, and makes it end if it doesn't in time; then it returns an error.
func (p *Process) Stop() error {
	defer p.log.Close()
	defer p.guard.Cut()
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGTERM) // it may have ended already
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
		_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL)
		<-p.ended
		return fmt.Errorf("the controller had not ended %s after SIGTERM and was killed; its log is %s", patience, p.Log())
	}
}

// Kill ends the controller as a crash would.
func (p *Process) Kill() {
	_ = syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) // it may have ended already
	<-p.ended
	p.guard.Cut()
	_ = p.log.Close()
}

// ExitCode is that of a controller that has ended; -1 after Kill.
func (p *Process) ExitCode() int { return p.command.ProcessState.ExitCode() }

// AwaitReady waits until the controller's readiness probe succeeds.
func (p *Process) AwaitReady(ctx context.Context) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for !p.ready(ctx) {
		select {
		case <-poll.C:
		case <-p.ended:
			return fmt.Errorf("the controller has ended by itself, before it was ready; its log is %s", p.Log())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func (p *Process) ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.probeAddr+"/readyz", nil)
	if err != nil {
		return false
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	return response.Body.Close() == nil && response.StatusCode == http.StatusOK
}

// PeakBytes is the most memory that was resident while the controller ran. It is known once it has
// ended: the system counts a program's children that it has waited for, and so the controller as
// one of its guard's.
func (p *Process) PeakBytes() int64 {
	usage, ok := p.command.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss // in bytes there, in KiB elsewhere
	}
	return usage.Maxrss << 10
}

// freeAddresses returns loopback addresses that nobody listens on.
func freeAddresses(n int) ([]string, error) {
	var addresses []string
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		defer listener.Close() // not before all are found, lest one is found twice
		addresses = append(addresses, listener.Addr().String())
	}
	return addresses, nil
}
