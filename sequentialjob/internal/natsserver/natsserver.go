// Package natsserver runs NATS servers for specs, each as a process of its own. The environment variable NATS_SERVER says where the
// program is.
package natsserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Storage is how much a server stores, in bytes.
const Storage = 64 << 20

// patience ends a request that hangs.
const patience = 30 * time.Second

// Require fails a suite that does not know where the server's program is.
func Require() {
	GinkgoHelper()
	if os.Getenv("NATS_SERVER") == "" {
		Fail("these specs run against a real NATS server, and NATS_SERVER doesn't say where its binary is: run `make test`, which builds it and sets that")
	}
}

// Server is a NATS server. It keeps its address and its files while it is down.
type Server struct {
	address string
	config  string // path of its configuration
	running *exec.Cmd
}

// Start starts a server with JetStream. More is what else its configuration has.
func Start(more ...string) *Server {
	s := New(more...)
	s.Start()
	return s
}

// New returns a server with JetStream that is down.
func New(more ...string) *Server {
	return NewWith(append(more, fmt.Sprintf("jetstream { store_dir: %q, max_file_store: %d }", GinkgoT().TempDir(), Storage))...)
}

// NewWith returns a server that is down, with a configuration of its own.
func NewWith(config ...string) *Server {
	s := &Server{address: FreeAddress(), config: filepath.Join(GinkgoT().TempDir(), "nats-server.conf")}
	lines := append([]string{fmt.Sprintf("listen: %q", s.address)}, config...)
	Expect(os.WriteFile(s.config, []byte(strings.Join(lines, "\n")), 0o644)).To(Succeed())
	DeferCleanup(func() {
		if s.running != nil {
			s.Stop()
		}
	})
	return s
}

// Servers have ports of a range of their own, from which no system chooses by itself. So nobody else gets a server's port while it is
// down.
const firstPort, ports = 30000, 2700

// nextPort is where to look for the next free port. Of several programs, each begins elsewhere.
var nextPort = rand.IntN(ports)

// FreeAddress returns an address at which nothing listens.
func FreeAddress() string {
	GinkgoHelper()
	for range ports {
		nextPort = (nextPort + 1) % ports
		if listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", firstPort+nextPort)); err == nil {
			Expect(listener.Close()).To(Succeed())
			return listener.Addr().String()
		}
	}
	Fail("no port is free for a NATS server")
	return ""
}

// Start returns once the server greets its clients, which it does when JetStream has read its files.
func (s *Server) Start() {
	s.running = exec.Command(os.Getenv("NATS_SERVER"), "--config", s.config)
	s.running.Stdout, s.running.Stderr = GinkgoWriter, GinkgoWriter
	Expect(s.running.Start()).To(Succeed())
	Eventually(func() (string, error) {
		connection, err := net.Dial("tcp", s.address)
		if err != nil {
			return "", err
		}
		defer connection.Close()
		return bufio.NewReader(connection).ReadString('\n')
	}).Should(HavePrefix("INFO "))
}

// Stop ends the server.
func (s *Server) Stop() { s.end(syscall.SIGTERM) }

// Kill ends the server as a crash does.
func (s *Server) Kill() { s.end(syscall.SIGKILL) }

// Reconfigure replaces a text in the configuration of a server that is down.
func (s *Server) Reconfigure(old, text string) {
	GinkgoHelper()
	config, err := os.ReadFile(s.config)
	Expect(err).NotTo(HaveOccurred())
	Expect(os.WriteFile(s.config, []byte(strings.ReplaceAll(string(config), old, text)), 0o644)).To(Succeed())
}

func (s *Server) end(signal os.Signal) {
	s.Signal(signal)
	_ = s.running.Wait() // its exit code says only how it was ended
	s.running = nil
}

// Signal sends a signal to the server.
func (s *Server) Signal(signal os.Signal) {
	Expect(s.running.Process.Signal(signal)).To(Succeed())
}

// Pause stops the server from responding, until the spec ends. Its connections stay.
func (s *Server) Pause() {
	s.Signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	_, err := syscall.Wait4(s.running.Process.Pid, &status, syscall.WUNTRACED, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(status.Stopped()).To(BeTrue())
	DeferCleanup(func() { s.Signal(syscall.SIGCONT) })
}

// Address is where the server listens.
func (s *Server) Address() string { return s.address }

// URL is what clients connect to.
func (s *Server) URL() string { return "nats://" + s.address }

// Client connects to the server as others do.
func (s *Server) Client(options ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	GinkgoHelper()
	nc, err := nats.Connect(s.URL(), options...)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	Expect(err).NotTo(HaveOccurred())
	return nc, js
}

// Requests returns what the server's API is asked while something happens, as subjects without "$JS.API.": "STREAM.INFO.OBJ_web".
func (s *Server) Requests(something func()) []string {
	GinkgoHelper()
	nc, _ := s.Client()
	const audit = "$JS.EVENT.ADVISORY.API"
	told, err := nc.SubscribeSync(audit)
	Expect(err).NotTo(HaveOccurred())
	Expect(nc.Flush()).To(Succeed())
	something()
	Expect(nc.Flush()).To(Succeed())
	var asked []string
	for {
		message, err := told.NextMsg(time.Millisecond) // all have been received
		if errors.Is(err, nats.ErrTimeout) {
			return asked
		}
		Expect(err).NotTo(HaveOccurred())
		var advisory struct {
			Subject string `json:"subject"`
		}
		Expect(json.Unmarshal(message.Data, &advisory)).To(Succeed())
		asked = append(asked, strings.TrimPrefix(advisory.Subject, "$JS.API."))
	}
}
