// Package buckets runs what is outside the Kubernetes API in some lessons: a NATS server, whose object store has buckets. A proxy
// in front of it names and records the requests of a controller, and does to them what production does.
package buckets

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/guard"
	"example.com/controller-course/tests/kit/process"
)

// Storage is how much a server stores, in bytes. A bucket reserves its capacity when it is created, so that a test can fill it.
const Storage = 64 << 20

const configuration = `listen: %q
server_name: "buckets"
jetstream {
  store_dir: %q
  max_file_store: %d
  max_memory_store: %d
}
`

// Server is a NATS server with JetStream, as a process of its own.
type Server struct {
	address string
	release func() // of the address
	dir     string
	guard   *guard.Guard
	running *exec.Cmd // nil while it is down
}

// Start starts a server that keeps its files and its log below dir. It returns once the server accepts connections. No process
// outlives the caller. If the server has to be built, out receives the progress.
func Start(ctx context.Context, dir string, out io.Writer) (*Server, error) {
	program, err := assets.NATS(ctx, out)
	if err != nil {
		return nil, err
	}
	addresses, release, err := process.Addresses(1)
	if err != nil {
		return nil, err
	}
	s := &Server{address: addresses[0], release: release, dir: dir}
	if s.guard, err = guard.New(dir, map[string]string{string(assets.Nats): program}); err != nil {
		s.release()
		return nil, err
	}
	config := fmt.Sprintf(configuration, s.address, filepath.Join(dir, "data"), Storage, Storage)
	err = os.WriteFile(s.configPath(), []byte(config), 0o644)
	if err == nil {
		err = s.Resume(ctx)
	}
	if err != nil {
		s.guard.Cut()
		s.release()
		return nil, err
	}
	return s, nil
}

// Address is where the server listens, also after it has been down.
func (s *Server) Address() string { return s.address }

// URL is what clients connect to.
func (s *Server) URL() string { return "nats://" + s.address }

// Resume starts a server that is down, at its address and with its files. It returns once the server accepts connections.
func (s *Server) Resume(ctx context.Context) error {
	log, err := os.OpenFile(s.logPath(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close() // the process has its own
	command := exec.Command(s.guard.Path(string(assets.Nats)), "--config", s.configPath())
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start the NATS server: %w", err)
	}
	s.running = command
	if err := s.ready(ctx); err != nil {
		return errors.Join(err, s.Kill())
	}
	return nil
}

// ready waits until the server greets a client. It does so once JetStream has read its files.
func (s *Server) ready(ctx context.Context) error {
	const limit, pause = time.Minute, 5 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		err := s.greeted()
		if err == nil {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return fmt.Errorf("the NATS server does not accept connections (%w); the end of its log, %s: %s", err, s.logPath(), s.lastLines())
		}
	}
}

func (s *Server) greeted() error {
	connection, err := net.Dial("tcp", s.address)
	if err != nil {
		return err
	}
	defer connection.Close()
	line, err := bufio.NewReader(connection).ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "INFO ") {
		err = fmt.Errorf("it greets with %q", line)
	}
	return err
}

// Kill ends the server as a crash would. What it has confirmed is on its disk.
func (s *Server) Kill() error { return s.end(syscall.SIGKILL) }

// Stop ends the server for good.
func (s *Server) Stop() error {
	err := s.end(syscall.SIGTERM)
	s.guard.Cut()
	s.release()
	return err
}

func (s *Server) end(signal syscall.Signal) error {
	if s.running == nil {
		return nil
	}
	if err := syscall.Kill(-s.running.Process.Pid, signal); err != nil {
		return fmt.Errorf("end the NATS server: %w", err)
	}
	_ = s.running.Wait() // its exit code says only how it was ended
	s.running = nil
	return s.gone()
}

// gone waits until nobody listens at the server's address: its process is a child of the one that was waited for.
func (s *Server) gone() error {
	const limit, pause = 10 * time.Second, 5 * time.Millisecond
	for end := time.Now().Add(limit); ; time.Sleep(pause) {
		listener, err := net.Listen("tcp", s.address)
		if err == nil {
			return listener.Close()
		}
		if time.Now().After(end) {
			return fmt.Errorf("the NATS server has been ended, and its address is still in use: %w", err)
		}
	}
}

func (s *Server) configPath() string { return filepath.Join(s.dir, "nats-server.conf") }

func (s *Server) logPath() string { return filepath.Join(s.dir, "nats-server.log") }

// lastLines is the end of the server's log.
func (s *Server) lastLines() string {
	const most = 1000
	text, err := os.ReadFile(s.logPath())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
