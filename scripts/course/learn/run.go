package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/controller-course/scripts/course/clusters"
	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/guard"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/subject"
)

func runCommand() *cobra.Command {
	var flags usage.Flags
	command := usage.Command("run N", "Run your controller on the playground, and see its log", func(cmd *cobra.Command, l usage.Lesson) error {
		if !l.Kind.IsProgram() {
			return usage.Errorf("lesson %d makes an API, and no controller that could run. To try your CRD, type go generate ./%s, make playground, "+
				"and then kubectl apply -f .cache/crd", l.Number, l.Folder())
		}
		code, err := flags.Code(l)
		if err != nil {
			return err
		}
		if err := l.MustHave(code); err != nil {
			return err
		}
		return runOnPlayground(cmd.Context(), l, code.Code, cmd.OutOrStdout())
	})
	flags.AddTo(command, "impl")
	return command
}

// runOnPlayground runs a controller in the foreground, on the cluster that stays up in the background.
func runOnPlayground(ctx context.Context, l usage.Lesson, code judge.Code, out io.Writer) error {
	folder, err := runs.Folder(fmt.Sprintf("lesson-%02d", l.Number))
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, "run")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	fmt.Fprintf(out, "Building %s.\n", repo.Short(code.Folder))
	built, err := report.Build(ctx, code, dir, out)
	if err != nil {
		return err
	}
	playground, err := clusters.FindPlayground()
	if err != nil {
		return err
	}
	if err := playground.Up(ctx, out); err != nil {
		return err
	}
	if err := install(ctx, playground, built); err != nil {
		return err
	}
	log, err := openLog(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := writeIdentity(playground.Kubeconfig(), kubeconfig); err != nil {
		return err
	}
	store, err := playground.Store()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `
In another terminal, after the lines above that begin with export and alias:

    %s

Here is your controller's log in short; all of it is in %s.
Ctrl-C ends your controller. The playground stays up.

`, strings.Join(samples(l), "\n    "), repo.Short(log.Path()))
	return runController(ctx, built.Binary, []string{"KUBECONFIG=" + kubeconfig, stage.URLOfStore + "=" + store}, dir, log, out)
}

// samples are commands that give a lesson's controller something to do.
func samples(l usage.Lesson) []string {
	switch {
	case l.Kind == lesson.ClientProgram:
		return []string{"kubectl create job hello --image=step", "kubectl get configmap job-count --output=yaml"}
	case l.Store:
		return []string{"kubectl apply -f sequentialjob/config/store/sample.yaml", "kubectl get sequentialjobs,jobs,workspaces"}
	}
	return []string{"kubectl apply -f sequentialjob/config/samples/three-steps.yaml", "kubectl get sequentialjobs,jobs"}
}

// install installs what a controller needs: the CRD and its role.
func install(ctx context.Context, playground clusters.Playground, built subject.Subject) error {
	admin, err := clientcmd.BuildConfigFromFlags("", playground.Kubeconfig())
	if err != nil {
		return err
	}
	if err := cluster.ApplyFiles(ctx, admin, built.CRDs); err != nil {
		return err
	}
	return process.Install(ctx, admin, process.ServiceAccount, built.Roles)
}

// writeIdentity writes the kubeconfig of a controller that has the permissions of its ServiceAccount, and no others.
func writeIdentity(administrator, path string) error {
	config, err := clientcmd.LoadFromFile(administrator)
	if err != nil {
		return err
	}
	current := config.Contexts[config.CurrentContext]
	current.Namespace = process.Namespace
	config.AuthInfos[current.AuthInfo].Impersonate = process.User
	return clientcmd.WriteToFile(*config, path)
}

// A logFile is the file with a controller's log as it was printed. No other copy of the controller writes to it.
type logFile struct {
	*os.File
	lock *flock.Flock
}

// openLog opens an empty log: controller.log or, while another copy of the controller runs, controller-2.log.
func openLog(dir string) (logFile, error) {
	for n := 1; ; n++ {
		name := "controller.log"
		if n > 1 {
			name = fmt.Sprintf("controller-%d.log", n)
		}
		lock := flock.New(filepath.Join(dir, name))
		free, err := lock.TryLock()
		if err != nil {
			return logFile{}, fmt.Errorf("open the log: %w", err)
		}
		if free {
			file, err := os.Create(lock.Path())
			return logFile{file, lock}, err
		}
	}
}

// Path is where the log is.
func (l logFile) Path() string { return l.lock.Path() }

// Close lets another copy of the controller have the log.
func (l logFile) Close() error { return errors.Join(l.File.Close(), l.lock.Unlock()) }

// runController runs a controller until it exits. When ctx ends, it asks the controller to exit.
func runController(ctx context.Context, binary string, env []string, dir string, log, out io.Writer) error {
	const name = "controller"
	guarded, err := guard.New(filepath.Join(dir, "guard"), map[string]string{name: binary})
	if err != nil {
		return err
	}
	defer guarded.Cut()
	const anyPort = "127.0.0.1:0"
	controller := exec.CommandContext(ctx, guarded.Path(name), "--metrics-bind-address="+anyPort, "--health-probe-bind-address="+anyPort)
	controller.Env = append(os.Environ(), env...)
	shown := &shortLog{out: out}
	printed := io.MultiWriter(log, shown)
	controller.Stdout, controller.Stderr = printed, printed
	// Otherwise Ctrl-C would reach it too, and the signal below would be the second one, which ends it immediately.
	controller.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	controller.Cancel = func() error { return syscall.Kill(-controller.Process.Pid, syscall.SIGTERM) }
	controller.WaitDelay = patience
	err = controller.Run()
	shown.end()
	if ctx.Err() != nil {
		fmt.Fprintln(out, "\nYour controller is stopped.")
		return nil
	}
	return fmt.Errorf("your controller has exited: %w", cmp.Or(err, errors.New("exit code 0")))
}

// patience is how long a controller may take to exit after SIGTERM.
const patience = 10 * time.Second
