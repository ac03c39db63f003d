// Command course is the program behind make.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/scripts/course/campaigns"
	"example.com/controller-course/scripts/course/clusters"
	"example.com/controller-course/scripts/course/demo"
	"example.com/controller-course/scripts/course/doctor"
	"example.com/controller-course/scripts/course/explore"
	"example.com/controller-course/scripts/course/generate"
	"example.com/controller-course/scripts/course/killmatrix"
	"example.com/controller-course/scripts/course/learn"
	"example.com/controller-course/scripts/course/load"
	"example.com/controller-course/scripts/course/mutationscore"
	"example.com/controller-course/scripts/course/performance"
	"example.com/controller-course/scripts/course/realcluster"
	"example.com/controller-course/scripts/course/usage"
)

const (
	exitFailed    = 1
	exitUsage     = 2
	exitNotJudged = 3
)

func main() {
	collectSeldom()
	// Users need none of the messages of Kubernetes' clients, which log in three ways.
	log.SetLogger(logr.Discard())
	runtime.ErrorHandlers = nil
	ctx := logr.NewContext(context.Background(), logr.Discard())

	ctx, stop := interruptible(ctx)
	code := run(ctx, newRootCmd(), os.Stderr)
	stop()
	os.Exit(code)
}

// collectSeldom has less time spent on collecting garbage. A run of checks allocates much, keeps little, and needs the processor for
// the controller.
func collectSeldom() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// interruptible returns a context that ends with the first Ctrl-C. The second one ends the process, should a command hang.
func interruptible(ctx context.Context) (_ context.Context, stop func()) {
	ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

func newRootCmd() *cobra.Command {
	root := &cobra.Command{
		Use:   "course",
		Short: "The program behind make",
		Long: "The program behind make.\n\n" +
			"The exit code is 0 if all is well, 1 if something failed, and 2 if the command can't be understood. It is 3 if nothing\n" +
			"failed, but not everything could be judged: a fault did not strike, or a situation did not come about.",
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetFlagErrorFunc(usage.FlagError)
	lesson := learn.LessonCommand()
	lesson.AddCommand(campaigns.LessonCommand(), explore.LessonCommand(), performance.LessonCommand(), realcluster.LessonCommand())
	root.AddCommand(
		campaigns.Command(),
		clusters.AssetsCommand(),
		clusters.KindCommand(),
		clusters.NodeImageCommand(),
		clusters.PlaygroundCommand(),
		demo.Command(),
		doctor.Command(),
		explore.Command(),
		generate.CarryForwardCommand(),
		generate.PagesCommand(),
		generate.StartersCommand(),
		killmatrix.Command(),
		learn.ProgressCommand(),
		learn.SolutionCommand(),
		lesson,
		load.Command(),
		mutationscore.Command(),
		performance.BenchCommand(),
		performance.MeasureCommand(),
		campaigns.RoadCommand(),
		realcluster.Command(),
	)
	return root
}

// run runs a command and returns the exit code. If the command failed, it says why on stderr.
func run(ctx context.Context, root *cobra.Command, stderr io.Writer) int {
	started := false
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()) // cobra itself does it later
		started = err == nil
		return err
	}
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	if exited, ok := errors.AsType[load.ExitError](err); ok {
		return int(exited)
	}
	_, misused := errors.AsType[usage.Error](err)
	_, notJudged := errors.AsType[usage.NotJudged](err)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "Error: interrupted")
		return exitFailed
	case notJudged:
		fmt.Fprintln(stderr, err)
		return exitNotJudged
	case misused:
		fmt.Fprintln(stderr, "Error:", err)
		return exitUsage
	case started:
		fmt.Fprintln(stderr, "Error:", err)
		return exitFailed
	default: // cobra did not understand the command line
		fmt.Fprintf(stderr, "Error: %v; see scripts/%s --help\n", err, strings.Replace(cmd.CommandPath(), "course", "course.sh", 1))
		return exitUsage
	}
}
