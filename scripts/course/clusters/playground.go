package clusters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/repo"
)

// PlaygroundCommand returns the command playground.
func PlaygroundCommand() *cobra.Command {
	verbs := map[string]func(Playground, context.Context, io.Writer) error{
		"up":    Playground.Up,
		"down":  Playground.down,
		"serve": Playground.serve, // which up runs in the background
	}
	return &cobra.Command{
		Use:       "playground up|down",
		Short:     "Start or stop a full cluster, with an object store, that stays up in the background",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: slices.Collect(maps.Keys(verbs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := FindPlayground()
			if err != nil {
				return err
			}
			return verbs[args[0]](p, cmd.Context(), cmd.OutOrStdout())
		},
	}
}

// A Playground is a full cluster and an object store that a process in the background owns. The process holds the
// lock as long as it lives. All files of the playground are in one folder, except the locks,
// which stay.
type Playground struct {
	dir string
}

// FindPlayground returns the repository's playground, whether it is up or not.
func FindPlayground() (Playground, error) {
	root, err := repo.Root()
	return Playground{filepath.Join(root, ".cache", "playground")}, err
}

// Kubeconfig is the path of the administrator's kubeconfig, which exists while the playground is up.
func (p Playground) Kubeconfig() string { return filepath.Join(p.dir, "kubeconfig") }
func (p Playground) pidFile() string    { return filepath.Join(p.dir, "pid") }
func (p Playground) storeURL() string   { return filepath.Join(p.dir, "store-url") }
func (p Playground) log() string        { return filepath.Join(p.dir, "playground.log") }
func (p Playground) lock() *flock.Flock { return flock.New(p.dir + ".lock") }

// waitForTurn waits until no other up or down is running.
func (p Playground) waitForTurn(ctx context.Context, out io.Writer) (release func(), err error) {
	return alive.To(out).Lock(ctx, p.dir+".turn", "another command that starts or stops the playground")
}

// Up starts the playground, unless it is up, and says how to use it.
func (p Playground) Up(ctx context.Context, out io.Writer) error {
	binaries, err := assets.Full(ctx, out) // here, where the user sees it
	if err != nil {
		return err
	}
	if _, err := assets.NATS(ctx, out); err != nil {
		return err
	}
	release, err := p.waitForTurn(ctx, out)
	if err != nil {
		return err
	}
	defer release()
	running, err := p.isRunning()
	if err != nil {
		return err
	}
	if running {
		fmt.Fprintln(out, "The playground is up already.")
	} else {
		stop := alive.To(out).ShowAlive("Starting the playground", time.Now())
		err := p.start(ctx)
		stop()
		if err != nil {
			return fmt.Errorf("start the playground: %w", err)
		}
	}
	store, err := p.Store()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `The playground is a full cluster with one simulated node. To use it:

    export KUBECONFIG=%q
    alias kubectl=%q
    kubectl get nodes

There is an object store too, for Workspaces. To use it, and to look into its buckets:

    export NATS_URL=%q       # for the operator, before you start it
    go run %s object ls      # the client of NATS, built at the first call

To stop both: make playground-down
`, p.Kubeconfig(), binaries.Path(assets.Kubectl), store, natsClient)
	return nil
}

// Store is the URL of the playground's object store.
func (p Playground) Store() (url string, err error) {
	content, err := os.ReadFile(p.storeURL())
	if err != nil {
		return "", fmt.Errorf("find the playground's object store: %w; stop the playground, which is of an earlier version: make playground-down", err)
	}
	return string(content), nil
}

// natsClient is the command-line client of NATS. It reads NATS_URL.
const natsClient = "github.com/nats-io/natscli/nats@v0.5.0"

// start starts the process in the background and waits until its cluster is ready: then
// there is a kubeconfig.
func (p Playground) start(ctx context.Context) error {
	if err := os.RemoveAll(p.dir); err != nil { // left by one that was killed
		return err
	}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.Create(p.log())
	if err != nil {
		return err
	}
	defer log.Close()
	server := exec.Command(self, "playground", "serve")
	server.Stdout, server.Stderr = log, log
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives this terminal
	if err := server.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()

	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
			if _, err := os.Stat(p.Kubeconfig()); err == nil {
				return nil
			}
		case <-ended:
			said, _ := os.ReadFile(p.log())
			return errors.New(strings.TrimPrefix(strings.TrimSpace(string(said)), "Error: "))
		case <-ctx.Done():
			_ = server.Process.Signal(syscall.SIGTERM)
			<-ended
			return errors.Join(ctx.Err(), os.RemoveAll(p.dir))
		}
	}
}

// serve is the process in the background.
func (p Playground) serve(ctx context.Context, out io.Writer) error {
	lock := p.lock()
	if locked, err := lock.TryLock(); err != nil || !locked {
		return errors.Join(errors.New("the playground is up already"), err)
	}
	defer lock.Unlock()
	if err := os.WriteFile(p.pidFile(), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		return err
	}
	store, err := buckets.Start(ctx, filepath.Join(p.dir, "store"), out)
	if err != nil {
		return err
	}
	c, err := cluster.Start(ctx, cluster.Options{Full: true, Dir: filepath.Join(p.dir, "cluster"), Out: out})
	if err != nil {
		return errors.Join(err, store.Stop())
	}
	if err := p.publish(c, store); err != nil {
		return errors.Join(err, c.Stop(), store.Stop())
	}
	<-c.Done()
	return errors.Join(c.Stop(), store.Stop())
}

// publish writes where the cluster and the store are. The kubeconfig comes last: when it is there, all is.
func (p Playground) publish(c *cluster.Cluster, store *buckets.Server) error {
	if err := os.WriteFile(p.storeURL(), []byte(store.URL()), 0o644); err != nil {
		return err
	}
	return cluster.WriteKubeconfig(p.Kubeconfig(), "", c.Config())
}

// down stops the playground and removes its folder.
func (p Playground) down(ctx context.Context, out io.Writer) error {
	release, err := p.waitForTurn(ctx, out)
	if err != nil {
		return err
	}
	defer release()
	running, err := p.isRunning()
	if err != nil {
		return err
	}
	if running {
		if err := p.stop(ctx); err != nil {
			return fmt.Errorf("stop the playground: %w", err)
		}
		fmt.Fprintln(out, "The playground is stopped.")
	} else {
		fmt.Fprintln(out, "The playground is not up.")
	}
	return os.RemoveAll(p.dir)
}

// stop stops the process in the background and waits until it has exited.
func (p Playground) stop(ctx context.Context) error {
	data, err := os.ReadFile(p.pidFile())
	if err != nil {
		return err
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		return fmt.Errorf("read %s: %w", p.pidFile(), err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	lock := p.lock()
	defer lock.Unlock()
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		// The cluster stops with its process, however that ends.
		return errors.Join(err, syscall.Kill(pid, syscall.SIGKILL))
	}
	return nil
}

// isRunning says whether the process in the background is alive. The pid file is not enough
// for that: another process may have the number by now.
func (p Playground) isRunning() (bool, error) {
	lock := p.lock()
	free, err := lock.TryLock()
	if err != nil {
		return false, fmt.Errorf("find whether the playground is up: %w", err)
	}
	return !free, lock.Unlock()
}
