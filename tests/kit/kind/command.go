package kind

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// A commandError is a command that failed.
type commandError struct {
	command string
	output  string // of both streams
	err     error
}

func (e *commandError) Error() string {
	return fmt.Sprintf("%s: %v: %s", e.command, e.err, strings.TrimSpace(e.output))
}

func (e *commandError) Unwrap() error { return e.err }

// run runs a command and returns what it wrote to stdout.
func run(ctx context.Context, name string, args ...string) (string, error) {
	return finish(ctx, exec.CommandContext(ctx, name, args...))
}

// finish runs a command that is set up but for its outputs.
func finish(ctx context.Context, command *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	command.WaitDelay = time.Second
	err := command.Run()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", &commandError{command: strings.Join(command.Args[:min(2, len(command.Args))], " "), output: stderr.String() + stdout.String(), err: err}
	}
	return stdout.String(), nil
}

// feed runs a command that reads what write writes.
func feed(ctx context.Context, command *exec.Cmd, write func(io.Writer) error) error {
	input, err := command.StdinPipe()
	if err != nil {
		return err
	}
	written := make(chan error, 1)
	go func() { written <- errors.Join(write(input), input.Close()) }()
	_, err = finish(ctx, command)
	if failed := <-written; err == nil { // the read error says more than the write error
		err = failed
	}
	return err
}

func docker(ctx context.Context, args ...string) (string, error) {
	output, err := run(ctx, "docker", args...)
	return strings.TrimSpace(output), err
}
