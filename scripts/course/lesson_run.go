package main

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

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/controller-course/scripts/course/clusters"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/guard"
	"example.com/controller-course/tests/kit/process"
)

func newRunCmd() *cobra.Command {
	var impl string
	command := lessonCmd("run N", "Run your controller on the playground, with its log before your eyes", func(cmd *cobra.Command, l lesson) error {
		if !l.isController() {
			return usageError{fmt.Errorf("lesson %d makes an API, and no controller that could run", l.Number)}
		}
		what := judging{lesson: l, code: codeOf(l.Folder, impl, "")}
		if err := what.sensible(); err != nil {
			return err
		}
		return runOnPlayground(cmd.Context(), l, what.code, cmd.OutOrStdout())
	})
	command.Flags().StringVar(&impl, "impl", "", "folder of another Go main package to run")
	return command
}

// runOnPlayground runs a controller in the foreground, on the cluster that stays up in the background.
func runOnPlayground(ctx context.Context, l lesson, what code, out io.Writer) error {
	folder, err := runsFolder(fmt.Sprintf("lesson-%02d", l.Number))
	if err != nil {
		return err
	}
	dir := filepath.Join(folder, "run")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	made, broken, err := what.build(ctx, dir)
	if err != nil {
		return err
	}
	if broken != nil {
		if err := writeFinding(out, *broken); err != nil {
			return err
		}
		return errors.New("there is nothing to run")
	}
	playground, err := clusters.FindPlayground()
	if err != nil {
		return err
	}
	if err := playground.Up(ctx, out); err != nil {
		return err
	}
	if err := install(ctx, playground, made); err != nil {
		return err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := writeIdentity(playground.Kubeconfig(), kubeconfig); err != nil {
		return err
	}
	fmt.Fprintf(out, `
In another terminal, after the lines above that begin with export and alias:

    %s

Here is your controller's log; Ctrl-C ends it. The playground stays up.

`, strings.Join(l.samples(), "\n    "))
	return runController(ctx, made.binary, kubeconfig, dir, out)
}

// samples are commands by which a lesson's controller gets something to do.
func (l lesson) samples() []string {
	if l.Number < firstController {
		return []string{"kubectl create job hello --image=step", "kubectl get configmap job-count --output=yaml"}
	}
	return []string{"kubectl apply -f sequentialjob/config/samples/three-steps.yaml", "kubectl get sequentialjobs,jobs"}
}

// install installs what a controller needs: its kind, and its role.
func install(ctx context.Context, playground clusters.Playground, made built) error {
	admin, err := clientcmd.BuildConfigFromFlags("", playground.Kubeconfig())
	if err != nil {
		return err
	}
	if err := cluster.ApplyFiles(ctx, admin, made.crds); err != nil {
		return err
	}
	return process.Install(ctx, admin, process.ServiceAccount, made.roles)
}

// writeIdentity writes the kubeconfig of a controller that has the rights of its ServiceAccount, and no more.
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

// runController runs a controller until it ends, or is asked to because ctx has ended.
func runController(ctx context.Context, binary, kubeconfig, dir string, out io.Writer) error {
	const name = "controller"
	guarded, err := guard.New(filepath.Join(dir, "guard"), map[string]string{name: binary})
	if err != nil {
		return err
	}
	defer guarded.Cut()
	const anyPort = "127.0.0.1:0"
	controller := exec.CommandContext(ctx, guarded.Path(name), "--metrics-bind-address="+anyPort, "--health-probe-bind-address="+anyPort)
	controller.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	controller.Stdout, controller.Stderr = out, out
	// Ctrl-C would reach it too, and then the signal below would be the second one, which ends it at once.
	controller.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	controller.Cancel = func() error { return syscall.Kill(-controller.Process.Pid, syscall.SIGTERM) }
	controller.WaitDelay = patience
	err = controller.Run()
	if ctx.Err() != nil {
		fmt.Fprintln(out, "\nYour controller is stopped.")
		return nil
	}
	return fmt.Errorf("your controller has ended by itself: %w", cmp.Or(err, errors.New("exit code 0")))
}

// patience is how long a controller has to end once it is asked to.
const patience = 10 * time.Second
