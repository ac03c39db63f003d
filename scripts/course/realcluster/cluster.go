// Package realcluster judges the operator and the code of lessons on a cluster with real containers.
package realcluster

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

	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/kit/repo"
)

// A Cluster is the course's cluster in Docker, with everything that the specs in tests/e2e need.
type Cluster struct {
	Release func() // lets another command judge on it; the cluster stays up

	cluster *kind.Cluster
	kubectl string
	program string // the compiled specs
	source  string // the folder that they run in
	dir     string // for what they leave
	took    time.Duration
}

// Open starts the cluster unless it is up. Until it is released no other command judges on it.
func Open(ctx context.Context, stderr io.Writer) (*Cluster, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: filepath.Join(root, ".cache", "e2e"), source: filepath.Join(root, "tests", "e2e")}
	if c.Release, err = runs.WaitForTurn(ctx, c.dir, stderr); err != nil {
		return nil, err
	}
	began := time.Now()
	if c.cluster, err = kind.Up(ctx, stderr); err != nil {
		c.Release()
		return nil, err
	}
	c.took = since(began)
	if err := c.prepare(ctx, stderr); err != nil {
		c.Release()
		return nil, err
	}
	return c, nil
}

// prepare provides what every spec needs: the specs, kubectl, and the program that steps run.
func (c *Cluster) prepare(ctx context.Context, stderr io.Writer) error {
	programs, err := assets.Full(ctx, stderr)
	if err != nil {
		return err
	}
	c.kubectl = programs.Path(assets.Kubectl)
	c.program = filepath.Join(c.dir, "specs")
	err = alive.To(stderr).During("the specs", time.Minute, func() error {
		compile := exec.CommandContext(ctx, "go", "test", "-c", "-o", c.program, ".")
		compile.Dir = c.source
		if output, err := compile.CombinedOutput(); err != nil {
			return fmt.Errorf("compile the specs in tests/e2e: %w\n%s", err, output)
		}
		return nil
	})
	if err != nil {
		return err
	}
	step, err := kind.BuildStepImage(ctx, stderr)
	if err != nil {
		return err
	}
	return c.cluster.Load(ctx, step)
}

// specs say which specs to run, and how.
type specs struct {
	logs     string // folder for what failed specs leave; run empties it first
	args     []string
	env      []string
	out      io.Writer
	verdicts func(e2e.Verdict) // receives each verdict as soon as it is there; may be nil
}

// run runs specs. The error says that not all of them passed.
func (c *Cluster) run(ctx context.Context, of specs) error {
	if err := errors.Join(os.RemoveAll(of.logs), os.MkdirAll(of.logs, 0o755)); err != nil {
		return err
	}
	program := exec.CommandContext(ctx, c.program, append(of.args, "-test.timeout=30m", fmt.Sprintf("-ginkgo.no-color=%t", color.NoColor))...)
	program.Dir = c.source
	program.Env = append(os.Environ(), append(of.env,
		"E2E_KUBECONFIG="+c.cluster.Kubeconfig(), "E2E_KUBECTL="+c.kubectl, "E2E_LOGS="+of.logs, "E2E_NODE="+kind.Node)...)
	program.Stdout, program.Stderr = of.out, of.out
	program.Cancel = func() error { return program.Process.Signal(syscall.SIGINT) }
	program.WaitDelay = time.Minute
	wait := func() {}
	if of.verdicts != nil {
		var err error
		if wait, err = listen(program, of.verdicts); err != nil {
			return err
		}
	}
	err := program.Run()
	wait()
	if err != nil {
		return fmt.Errorf("not all specs passed: %w", err)
	}
	return nil
}

// listen passes a program's verdicts on. After the program has exited, wait waits for the last of them.
func listen(program *exec.Cmd, verdict func(e2e.Verdict)) (wait func(), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	program.ExtraFiles = []*os.File{to} // the first of them is e2e.Verdicts
	program.Env = append(program.Env, "E2E_VERDICTS=1")
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

// whatIsLeft collects the node's logs and says where to look.
func (c *Cluster) whatIsLeft(logs string, stderr io.Writer) string {
	if err := c.cluster.Logs(filepath.Join(logs, "node")); err != nil {
		fmt.Fprintf(stderr, "The node's logs could not be collected: %v\n", err)
	}
	return fmt.Sprintf("Logs of the controller, of steps and of the node, objects and events are in %s\n"+
		"The cluster is still there: export KUBECONFIG=%s", repo.Short(logs), c.cluster.Kubeconfig())
}

func since(began time.Time) time.Duration { return time.Since(began).Round(time.Second) }
