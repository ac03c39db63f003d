package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"example.com/controller-course/tests/kit/assets"
)

// A store is the node's containerd, run on this machine with nothing but the part that keeps images.
type store struct {
	ctr, address string
	process      *exec.Cmd
	ended        chan error
	log          string
}

// settings of the store; what isn't needed would reach for this machine's own folders.
const storeSettings = `version = 3
root = %q
state = %q
disabled_plugins = [
  "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri",
]
[grpc]
address = %q
[ttrpc]
address = %q
`

func startStore(ctx context.Context, b *builder) (*store, error) {
	address := filepath.Join(b.dir, "containerd.sock")
	settings := fmt.Sprintf(storeSettings, filepath.Join(b.root(), "var", "lib", "containerd"), filepath.Join(b.dir, "state"), address, address+".ttrpc")
	file := filepath.Join(b.dir, "containerd.toml")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil {
		return nil, err
	}
	s := &store{ctr: b.programs.Path(assets.Ctr), address: address, ended: make(chan error, 1), log: filepath.Join(b.dir, "containerd.log")}
	log, err := os.Create(s.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	s.process = exec.CommandContext(ctx, "setpriv", "--pdeathsig", "KILL", b.programs.Path(assets.Containerd), "--config", file)
	s.process.Stdout, s.process.Stderr = log, log
	if err := s.process.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.process.Wait() }()
	return s, s.awaitReady(ctx)
}

func (s *store) awaitReady(ctx context.Context) error {
	poll := time.NewTicker(50 * time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
			if _, err := run(ctx, s.ctr, "--address", s.address, "version"); err == nil {
				return nil
			}
		case err := <-s.ended:
			said, _ := os.ReadFile(s.log)
			return errors.Join(fmt.Errorf("containerd has ended: %s", said), err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add adds an image; it is unpacked on the node, when its first container starts.
func (s *store) add(ctx context.Context, image image) error {
	load := exec.CommandContext(ctx, s.ctr, "--address", s.address, "--namespace", "k8s.io", "images", "import", "--no-unpack", "-")
	return feed(ctx, load, image.write)
}

// stop stops the store, so that what it holds is on disk.
func (s *store) stop() error {
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return <-s.ended
}
