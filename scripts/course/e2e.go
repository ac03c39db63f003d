package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fatih/color"
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/assets"
	"example.com/controller-course/scripts/kind"
	"example.com/controller-course/scripts/repo"
)

func newE2ECmd() *cobra.Command {
	return &cobra.Command{
		Use:   "e2e",
		Short: "Judge the finished operator on a cluster with real containers",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runE2E(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// runE2E runs the specs of tests/e2e on the course's cluster with fresh images.
func runE2E(ctx context.Context, out, progress io.Writer) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	began := time.Now()
	cluster, err := kind.Up(ctx, progress)
	if err != nil {
		return err
	}
	up := time.Now()
	programs, err := assets.Full(ctx, progress)
	if err != nil {
		return err
	}
	images, err := kind.BuildImages(ctx, progress)
	if err != nil {
		return err
	}
	if err := cluster.Load(ctx, images...); err != nil {
		return err
	}
	logs := filepath.Join(root, ".cache", "e2e")
	if err := os.RemoveAll(logs); err != nil {
		return err
	}
	loaded := time.Now()

	specs := exec.CommandContext(ctx, "go", "test", "-count=1", "-timeout=30m", "-v", "./tests/e2e",
		"-ginkgo.v", fmt.Sprintf("-ginkgo.no-color=%t", color.NoColor))
	specs.Dir = root
	specs.Env = append(os.Environ(), "E2E_KUBECONFIG="+cluster.Kubeconfig(), "E2E_KUBECTL="+programs.Path(assets.Kubectl),
		"E2E_LOGS="+logs, "E2E_NEXT_IMAGE="+kind.NextImage, "E2E_NODE="+kind.Node)
	specs.Stdout, specs.Stderr = out, out
	specs.Cancel = func() error { return specs.Process.Signal(syscall.SIGINT) }
	specs.WaitDelay = time.Minute
	err = specs.Run()
	fmt.Fprintf(out, "The cluster took %s, images %s, specs %s.\n", since(began, up), since(up, loaded), since(loaded, time.Now()))
	if err != nil {
		node := filepath.Join(logs, "node")
		if collected := cluster.Logs(node); collected != nil {
			fmt.Fprintf(progress, "The node's logs could not be collected: %v\n", collected)
		}
		return fmt.Errorf("not all specs passed: %w\nLogs of the operator, of steps and of the node, objects and events are in %s\n"+
			"The cluster is still there: export KUBECONFIG=%s", err, logs, cluster.Kubeconfig())
	}
	return nil
}

func since(from, to time.Time) time.Duration { return to.Sub(from).Round(time.Second) }
