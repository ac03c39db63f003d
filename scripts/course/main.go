// Command course is the program behind make.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/scripts/course/campaigns"
	"example.com/controller-course/scripts/course/clusters"
	"example.com/controller-course/scripts/course/demo"
	"example.com/controller-course/scripts/course/doctor"
	"example.com/controller-course/scripts/course/generate"
	"example.com/controller-course/scripts/course/performance"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	// What Kubernetes' clients say is not for whoever runs this. They say it in three ways.
	log.SetLogger(logr.Discard())
	runtime.ErrorHandlers = nil
	ctx := logr.NewContext(context.Background(), logr.Discard())

	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	code := run(ctx, newRootCmd(), os.Stderr)
	stop()
	os.Exit(code)
}

func newRootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:           "course",
		Short:         "The program behind make",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(
		campaigns.Command(),
		clusters.AssetsCommand(),
		clusters.KindCommand(),
		clusters.NodeImageCommand(),
		clusters.PlaygroundCommand(),
		demo.Command(),
		doctor.Command(),
		generate.CarryForwardCommand(),
		generate.ConceptsCommand(),
		generate.StartersCommand(),
		newE2ECmd(),
		newLessonCmd(),
		newLoadCmd(),
		newMeasureCmd(),
		newMutantsCmd(),
		newProgressCmd(),
		newSolutionCmd(),
		performance.BenchCommand(),
	)
	return root
}

// A usageError tells that what was typed can't be meant.
type usageError struct{ error }

// An exitError is the exit code of a command that ran and has said itself why it failed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run runs a command, says on stderr why it failed if it did, and returns the
// exit code.
func run(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
	started := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()) // else that comes later
		started = err == nil
		return err
	}
	err := root.ExecuteContext(ctx)
	var misused usageError
	var exited exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exited):
		return int(exited)
	case errors.As(err, &misused):
		fmt.Fprintln(stderr, "Error:", err)
		return exitUsage
	case started:
		fmt.Fprintln(stderr, "Error:", err)
		return exitFailed
	default: // cobra did not understand the command line
		fmt.Fprintf(stderr, "Error: %v; see --help\n", err)
		return exitUsage
	}
}
