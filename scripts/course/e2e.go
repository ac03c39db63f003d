package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/kit/repo"
)

func newE2ECmd() *cobra.Command {
	return &cobra.Command{
		Use:   "e2e",
		Short: "Judge the finished operator and the solutions on a cluster with real containers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runE2E(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// runE2E judges the finished operator and then, by what holds from their lessons on, the solutions.
func runE2E(ctx context.Context, out, shown io.Writer) error {
	r, err := openRealCluster(ctx, shown)
	if err != nil {
		return err
	}
	defer r.release()
	began := time.Now()
	problems := r.judgeOperator(ctx, out, shown)
	for _, judged := range checks.Lessons() {
		if judged.Number < firstController || ctx.Err() != nil {
			continue
		}
		of, err := findLesson(judged.Number)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\nThe solution of lesson %d:\n", of.Number)
		made, err := buildForCluster(ctx, of, code{folder: of.Solution}, out, shown)
		if err == nil {
			err = r.judgeLesson(ctx, made, "", out, shown)
		}
		problems = errors.Join(problems, err)
	}
	fmt.Fprintf(out, "\nAll of it took %s, after %s for the cluster.\n", since(began, time.Now()), r.took)
	return problems
}

// A realCluster is the course's cluster, with what specs need on it.
type realCluster struct {
	cluster *kind.Cluster
	kubectl string
	specs   string // the program that they are
	source  string // the folder that it runs in
	dir     string // for what they leave
	took    time.Duration
	release func()
}

// openRealCluster brings the cluster up, or finds it up, and keeps others from judging on it until it is released.
func openRealCluster(ctx context.Context, shown io.Writer) (*realCluster, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	r := &realCluster{dir: filepath.Join(root, ".cache", "e2e"), source: filepath.Join(root, "tests", "e2e")}
	if r.release, err = waitForTurn(ctx, r.dir, shown); err != nil {
		return nil, err
	}
	began := time.Now()
	if r.cluster, err = kind.Up(ctx, shown); err != nil {
		r.release()
		return nil, err
	}
	r.took = since(began, time.Now())
	if err := r.prepare(ctx, shown); err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

// prepare gets what every spec needs: the specs, kubectl, and the program that steps run.
func (r *realCluster) prepare(ctx context.Context, shown io.Writer) error {
	programs, err := assets.Full(ctx, shown)
	if err != nil {
		return err
	}
	r.kubectl = programs.Path(assets.Kubectl)
	r.specs = filepath.Join(r.dir, "specs")
	err = alive.To(shown).During("the specs", time.Minute, func() error {
		compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", r.specs, ".")
		compile.Dir = r.source
		if output, err := compile.CombinedOutput(); err != nil {
			return fmt.Errorf("compile the specs in tests/e2e: %w\n%s", err, output)
		}
		return nil
	})
	if err != nil {
		return err
	}
	step, err := kind.BuildStepImage(ctx, shown)
	if err != nil {
		return err
	}
	return r.cluster.Load(ctx, step)
}

// judgeOperator runs all specs with the finished operator.
func (r *realCluster) judgeOperator(ctx context.Context, out, shown io.Writer) error {
	images, err := kind.BuildOperatorImages(ctx, shown)
	if err != nil {
		return err
	}
	if err := r.cluster.Load(ctx, images...); err != nil {
		return err
	}
	logs := filepath.Join(r.dir, "operator")
	began := time.Now()
	err = r.run(ctx, trialRun{logs: logs, out: out, args: []string{"-ginkgo.v"}, env: []string{"E2E_NEXT_IMAGE=" + kind.NextImage}})
	fmt.Fprintf(out, "The specs took %s.\n", since(began, time.Now()))
	if err != nil {
		return fmt.Errorf("the finished operator: %w\n%s", err, r.whatIsLeft(logs, shown))
	}
	return nil
}

// A trialRun is one run of specs.
type trialRun struct {
	logs     string // folder for what specs that fail leave; emptied first
	args     []string
	env      []string
	out      io.Writer
	verdicts func(e2e.Verdict) // is told of each verdict as soon as it is there; may be nil
}

// run runs specs. The error tells that not all of them passed.
func (r *realCluster) run(ctx context.Context, of trialRun) error {
	if err := errors.Join(os.RemoveAll(of.logs), os.MkdirAll(of.logs, 0o755)); err != nil {
		return err
	}
	specs := exec.CommandContext(ctx, r.specs, append(of.args, "-test.timeout=30m", fmt.Sprintf("-ginkgo.no-color=%t", color.NoColor))...)
	specs.Dir = r.source
	specs.Env = append(os.Environ(), append(of.env,
		"E2E_KUBECONFIG="+r.cluster.Kubeconfig(), "E2E_KUBECTL="+r.kubectl, "E2E_LOGS="+of.logs, "E2E_NODE="+kind.Node)...)
	specs.Stdout, specs.Stderr = of.out, of.out
	specs.Cancel = func() error { return specs.Process.Signal(syscall.SIGINT) }
	specs.WaitDelay = time.Minute
	told := func() {}
	if of.verdicts != nil {
		var err error
		if told, err = listen(specs, of.verdicts); err != nil {
			return err
		}
	}
	err := specs.Run()
	told()
	if err != nil {
		return fmt.Errorf("not all specs passed: %w", err)
	}
	return nil
}

// listen has a program's verdicts told. The function that it returns waits, once the program has ended, until
// all are.
func listen(specs *exec.Cmd, verdict func(e2e.Verdict)) (told func(), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	specs.ExtraFiles = []*os.File{to} // the first of them is e2e.Verdicts
	specs.Env = append(specs.Env, "E2E_VERDICTS=1")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for decoder := json.NewDecoder(from); ; {
			var one e2e.Verdict
			if decoder.Decode(&one) != nil {
				return
			}
			verdict(one)
		}
	}()
	return func() {
		_ = to.Close()
		<-ended
		_ = from.Close()
	}, nil
}

// whatIsLeft collects the node's logs, and says where to look.
func (r *realCluster) whatIsLeft(logs string, shown io.Writer) string {
	if err := r.cluster.Logs(filepath.Join(logs, "node")); err != nil {
		fmt.Fprintf(shown, "The node's logs could not be collected: %v\n", err)
	}
	return fmt.Sprintf("Logs of the controller, of steps and of the node, objects and events are in %s\n"+
		"The cluster is still there: export KUBECONFIG=%s", fromHere(logs), r.cluster.Kubeconfig())
}

func since(from, to time.Time) time.Duration { return to.Sub(from).Round(time.Second) }
