package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/kit/must"
)

func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir()) // not inside the repository: what runs, fails
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"--help", 0, ""},
		{"playground down", exitFailed, "not inside the repository"},
		{"nonsense", exitUsage, `unknown command "nonsense"`},
		{"assets --nonsense", exitUsage, "unknown flag: --nonsense; see scripts/course.sh assets --help"},
		{"assets nonsense", exitUsage, `unknown command "nonsense"`},
		{"playground nonsense", exitUsage, `invalid argument "nonsense"`},
		{"playground", exitUsage, "accepts 1 arg"},
		{"load", exitUsage, "requires at least 1 arg"},
	} {
		t.Run(test.args, func(t *testing.T) {
			root := newRootCmd()
			root.SetArgs(strings.Fields(test.args))
			root.SetOut(io.Discard)
			var stderr bytes.Buffer
			code := run(t.Context(), root, &stderr)
			if code != test.code || !strings.Contains(stderr.String(), test.says) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, &stderr, test.code, test.says)
			}
			if strings.Count(stderr.String(), "\n") > 1 {
				t.Errorf("more than one line: %s", &stderr)
			}
		})
	}
}

func TestInterruptedCommand(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	root := newRootCmd()
	root.AddCommand(&cobra.Command{Use: "try", RunE: func(cmd *cobra.Command, _ []string) error {
		interrupt()
		return fmt.Errorf("wait for a control plane: %w", cmd.Context().Err())
	}})
	root.SetArgs([]string{"try"})
	var stderr bytes.Buffer
	if code := run(ctx, root, &stderr); code != exitFailed || stderr.String() != "Error: interrupted\n" {
		t.Errorf("exit code %d, stderr %q", code, &stderr)
	}
}

func TestASecondInterruptEndsACommandThatHangs(t *testing.T) {
	const hang = "COURSE_HANG"
	if os.Getenv(hang) != "" {
		ctx, _ := interruptible(t.Context())
		fmt.Println("started")
		<-ctx.Done()
		fmt.Println("interrupted")
		select {}
	}
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	command.Env = append(os.Environ(), hang+"=1")
	output, err := command.StdoutPipe()
	must.Succeed(t, err)
	must.Succeed(t, command.Start())
	lines := bufio.NewScanner(output)
	for _, want := range []string{"started", "interrupted"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("got %q, want %q", lines.Text(), want)
		}
		must.Succeed(t, command.Process.Signal(os.Interrupt))
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		select {
		case err := <-ended:
			if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != -1 {
				t.Errorf("it ended with %v, and not by a signal", err)
			}
			return
		case <-time.After(10 * time.Millisecond): // the signal before may have come too early
			_ = command.Process.Signal(os.Interrupt)
		}
	}
}

func TestNotJudgedIsNeitherAFailureNorASuccess(t *testing.T) {
	root := newRootCmd()
	root.AddCommand(&cobra.Command{Use: "try", RunE: func(*cobra.Command, []string) error {
		return errors.Join(usage.NotJudgedf("nothing failed, but 1 of 2 checks could not be judged"), nil)
	}})
	root.SetArgs([]string{"try"})
	var stderr bytes.Buffer
	code := run(t.Context(), root, &stderr)
	if want := "nothing failed, but 1 of 2 checks could not be judged\n"; code != exitNotJudged || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q; want %d and %q", code, &stderr, exitNotJudged, want)
	}
}
