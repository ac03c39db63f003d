package assets

import (
	"bytes"
	"context"
	"errors"
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

// runGo runs the go command in dir and returns what it wrote to stdout. When
// ctx ends it takes the compilers that go started down with it.
func runGo(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// Settings meant for the user's own code must not change what is built.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second

	err := cmd.Run()
	if ctx.Err() != nil {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whoever did not listen to SIGTERM
		}
		return "", ctx.Err()
	}
	if errors.Is(err, exec.ErrNotFound) {
		return "", err
	}
	if err != nil {
		return "", &goError{output: stderr.String() + stdout.String(), err: err}
	}
	return stdout.String(), nil
}
