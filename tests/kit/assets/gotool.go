package assets

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// goError is a failed run of the go command.
type goError struct {
	output string // of both streams
	err    error
}

func (e *goError) Error() string {
	return fmt.Sprintf("go: %v:\n%s", e.err, strings.TrimSpace(e.output))
}

func (e *goError) Unwrap() error { return e.err }

//go:embed go.sh
var goScript string

// waitDelay is how long a stopped go command waits for processes that hold its output open.
const waitDelay = time.Minute

// runGo runs the go command in dir, with or without C, and returns what it wrote to stdout. When ctx ends, or this
// process is killed, it takes the compilers that go started down with it.
func runGo(ctx context.Context, dir string, cgo bool, args ...string) (string, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return "", err
	}
	lifeline, held, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer lifeline.Close()
	defer held.Close()
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", goScript, "go.sh"}, args...)...)
	cmd.Dir = dir
	cmd.Stdin = lifeline
	// Settings meant for the user's own code must not change what is built.
	cgoEnabled := "CGO_ENABLED=0"
	if cgo {
		cgoEnabled = "CGO_ENABLED=1"
	}
	cmd.Env = append(os.Environ(), cgoEnabled, "GOFLAGS=", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = waitDelay

	err = cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // for processes that ignored SIGTERM
		}
		return "", ctx.Err()
	}
	if err != nil {
		return "", &goError{output: stderr.String() + stdout.String(), err: err}
	}
	return stdout.String(), nil
}
