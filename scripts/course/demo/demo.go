// Package demo shows the finished operator at work on its samples.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/subject"
)

// limit is several times what the demo takes once everything is built.
const limit = 5 * time.Minute

// Command returns the command demo.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show the finished operator at work on its samples, on a cluster of its own",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), cmd.OutOrStdout())
		},
	}
}

// run shows the operator at work and fails unless every sample ends as it must. After a failure the logs stay.
func run(ctx context.Context, out io.Writer) error {
	binaries, err := assets.Full(ctx, out)
	if err != nil {
		return err
	}
	if _, err := assets.NATS(ctx, out); err != nil {
		return err
	}
	dir, err := makeFolder()
	if err != nil {
		return err
	}
	operator, err := subject.Finished(filepath.Join(dir, "operator"))
	if err != nil {
		return err
	}
	d := &demo{dir: dir, out: out, operator: operator, kubectl: binaries.Path(assets.Kubectl)}
	err = d.show(ctx)
	if err == nil || ctx.Err() != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return fmt.Errorf("the demo failed: %w\nThe operator's log is %s, the cluster's are in %s",
		err, filepath.Join(dir, "operator", "controller.log"), filepath.Join(dir, "cluster", "logs"))
}

// makeFolder makes a folder for one run of the demo.
func makeFolder() (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	parent := filepath.Join(root, ".cache", "demo")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "")
}

// show shows each part of the demo.
func (d *demo) show(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not finish within %s", limit))
	defer cancel()

	fmt.Fprintln(d.out, "Starting a cluster of plain processes (etcd, API server, controllers, scheduler, one simulated node) and an object store, and building the operator.")
	ctx, stop, err := d.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	fmt.Fprintln(d.out, "All are up. The operator runs as a ServiceAccount of its own, with no more rights than the role that it ships.")

	for _, part := range []func(context.Context) error{d.showSuccess, d.showFailure, d.showSuspension, d.showWorkspace, d.showByKubectl} {
		fmt.Fprintln(d.out)
		if err := part(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause // what follows from it says less
			}
			return err
		}
	}
	fmt.Fprint(d.out, `
Every sample has ended as expected. To try it yourself, with a copy of a sample or one of your own:

    make playground          # a cluster that stays up; follow its instructions
    kubectl apply -k sequentialjob/config/crd
    go run ./sequentialjob   # the operator; the rest in another terminal
    kubectl apply -f sequentialjob/config/samples/three-steps.yaml
    kubectl get sequentialjobs --watch

The samples are in sequentialjob/config/samples.
`)
	return nil
}

// A demo is the cluster, the object store and the operator that it shows.
type demo struct {
	dir      string
	out      io.Writer
	operator subject.Subject
	kubectl  string
	cluster  *cluster.Cluster
	store    *buckets.Server
	server   client.WithWatch
}

// start starts the cluster, the object store and the operator. The context that it returns ends when one of them does.
func (d *demo) start(ctx context.Context) (running context.Context, stop func() error, err error) {
	building, buildCtx := errgroup.WithContext(ctx)
	building.Go(func() error { return d.operator.Build(buildCtx) })
	building.Go(func() error { return buildStep(buildCtx, d.stepProgram()) })
	building.Go(func() (err error) {
		d.store, err = buckets.Start(ctx, filepath.Join(d.dir, "store"), d.out)
		return err
	})
	building.Go(func() (err error) {
		d.cluster, err = cluster.Start(ctx, cluster.Options{
			Full: true, CRDs: []string{d.operator.CRDs}, Dir: filepath.Join(d.dir, "cluster"), Out: d.out,
		})
		return err
	})
	err = building.Wait()
	if d.cluster == nil {
		return nil, nil, errors.Join(err, d.stopStore())
	}
	var operator *process.Process
	if err == nil {
		operator, err = d.startOperator(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, d.stopStore(), d.cluster.Stop())
	}

	running, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-operator.Ended():
			end(errors.New("the operator has exited unexpectedly"))
		case <-d.cluster.Done():
			end(errors.New("the cluster has exited unexpectedly"))
		case <-running.Done():
		}
	}()
	return running, func() error {
		end(nil)
		return errors.Join(operator.Stop(), d.stopStore(), d.cluster.Stop())
	}, nil
}

func (d *demo) stopStore() error {
	if d.store == nil {
		return nil
	}
	return d.store.Stop()
}

func (d *demo) startOperator(ctx context.Context) (*process.Process, error) {
	if err := d.makeClients(); err != nil {
		return nil, err
	}
	operator, err := d.operator.StartWithStore(ctx, d.cluster, filepath.Join(d.dir, "operator"), d.store.URL())
	if err != nil {
		return nil, err
	}
	if err := operator.AwaitReady(ctx); err != nil {
		return nil, errors.Join(err, operator.Stop())
	}
	return operator, nil
}

func (d *demo) makeClients() (err error) {
	if err := cluster.WriteKubeconfig(d.kubeconfig(), "", d.cluster.Config()); err != nil {
		return err
	}
	d.server, err = kinds.NewClient(d.cluster.Config())
	return err
}

func (d *demo) stepProgram() string { return filepath.Join(d.dir, "step") }
func (d *demo) kubeconfig() string  { return filepath.Join(d.dir, "kubeconfig") }

// say explains what follows.
func (d *demo) say(title, text string) {
	if title != "" {
		fmt.Fprintln(d.out, color.New(color.Bold).Sprint(title))
	}
	fmt.Fprintln(d.out, text)
}

// runKubectl runs kubectl and shows its output.
func (d *demo) runKubectl(ctx context.Context, args ...string) error {
	fmt.Fprintln(d.out, color.New(color.Bold).Sprint("\n$ kubectl "+strings.Join(args, " ")))
	kubectl := exec.CommandContext(ctx, d.kubectl, args...)
	kubectl.Env = append(os.Environ(), "KUBECONFIG="+d.kubeconfig(), "KUBECACHEDIR="+filepath.Join(d.dir, "kubectl-cache"))
	kubectl.Stdout, kubectl.Stderr = d.out, d.out
	if err := kubectl.Run(); err != nil {
		return fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// showByKubectl shows what remains of all samples, as any user would look at it.
func (d *demo) showByKubectl(ctx context.Context) error {
	d.say("What kubectl says", "One SequentialJob for each sample, and a Job for each step that ran; the events tell the story of a run.")
	for _, args := range [][]string{
		{"get", "sequentialjobs,jobs"},
		{"events", "--for", "sequentialjob/failing-step"},
		{"events", "--for", "sequentialjob/suspended"},
	} {
		if err := d.runKubectl(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}
