package buckets_test

import (
	"bufio"
	"context"
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

	"example.com/controller-course/sequentialjob/buckets"
)

const (
	storage = 64 << 20 // how much a server stores, in bytes

	// patience is the timeout of stores whose server responds, or whose requests fail without waiting for it.
	patience = 30 * time.Second
	// impatience is the timeout of stores whose server does not respond.
	impatience = 100 * time.Millisecond
)

// server is a NATS server, as a process of its own. It keeps its address and its files while it is down.
type server struct {
	address string
	config  string // path of its configuration
	running *exec.Cmd
}

// startServer starts a server with JetStream. More is what else its configuration has.
func startServer(more ...string) *server {
	s := newServer(more...)
	s.start()
	return s
}

// newServer returns a server that is down.
func newServer(more ...string) *server {
	return newServerWith(append(more, fmt.Sprintf("jetstream { store_dir: %q, max_file_store: %d }", GinkgoT().TempDir(), storage))...)
}

// newServerWith returns a server that is down, with a configuration of its own.
func newServerWith(config ...string) *server {
	s := &server{address: freeAddress(), config: filepath.Join(GinkgoT().TempDir(), "nats-server.conf")}
	lines := append([]string{fmt.Sprintf("listen: %q", s.address)}, config...)
	Expect(os.WriteFile(s.config, []byte(strings.Join(lines, "\n")), 0o644)).To(Succeed())
	DeferCleanup(func() {
		if s.running != nil {
			s.end(syscall.SIGTERM)
		}
	})
	return s
}

// Ports of servers are from a range of their own, which no system uses for ports that it chooses itself. So nobody else gets
// such a port while its server is down.
const firstPort, ports = 30000, 2700

var nextPort = rand.IntN(ports) // of several test programs, each begins elsewhere

func freeAddress() string {
	for range ports {
		nextPort = (nextPort + 1) % ports
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", firstPort+nextPort))
		if err == nil {
			Expect(listener.Close()).To(Succeed())
			return listener.Addr().String()
		}
	}
	Fail("no port is free")
	return ""
}

// start returns once the server greets its clients, which it does when JetStream has read its files.
func (s *server) start() {
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

// kill ends the server as a crash does.
func (s *server) kill() { s.end(syscall.SIGKILL) }

func (s *server) end(signal os.Signal) {
	s.signal(signal)
	_ = s.running.Wait() // its exit code says only how it was ended
	s.running = nil
}

func (s *server) signal(signal os.Signal) {
	Expect(s.running.Process.Signal(signal)).To(Succeed())
}

// pause stops the server from responding, until the spec ends. Its connections stay.
func (s *server) pause() {
	s.signal(syscall.SIGSTOP)
	var status syscall.WaitStatus
	_, err := syscall.Wait4(s.running.Process.Pid, &status, syscall.WUNTRACED, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(status.Stopped()).To(BeTrue())
	DeferCleanup(func() { s.signal(syscall.SIGCONT) })
}

func (s *server) url() string { return "nats://" + s.address }

// store connects to the server as the operator does.
func (s *server) store() *buckets.Store {
	return connect(buckets.Options{URL: s.url(), Timeout: patience})
}

func connect(o buckets.Options) *buckets.Store {
	store, err := buckets.Connect(o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(store.Close)
	return store
}

// client connects to the server as others do.
func (s *server) client(options ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	nc, err := nats.Connect(s.url(), options...)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(nc.Close)
	js, err := jetstream.New(nc, jetstream.WithDefaultTimeout(patience))
	Expect(err).NotTo(HaveOccurred())
	return nc, js
}

// others is a client of the server that can do everything.
func (s *server) others() jetstream.JetStream {
	_, js := s.client()
	return js
}

// wanted is the bucket that most specs create.
func wanted(name string) buckets.Wanted {
	return buckets.Wanted{
		Name: name, Capacity: 1 << 20,
		Owner: buckets.Owner{Cluster: "cluster-1", UID: "uid-of-" + name, Namespace: "default", Name: name},
	}
}

func create(ctx context.Context, store *buckets.Store, w buckets.Wanted) *buckets.Bucket {
	bucket, err := store.Create(ctx, w)
	Expect(err).NotTo(HaveOccurred())
	return bucket
}

// look returns the bucket, which must exist.
func look(ctx context.Context, store *buckets.Store, name string) *buckets.Bucket {
	bucket, err := store.Look(ctx, name)
	Expect(err).NotTo(HaveOccurred())
	Expect(bucket).NotTo(BeNil())
	return bucket
}

// objects returns the bucket as nats.go sees it.
func objects(ctx context.Context, js jetstream.JetStream, bucket string) jetstream.ObjectStore {
	store, err := js.ObjectStore(ctx, bucket)
	Expect(err).NotTo(HaveOccurred())
	return store
}

func put(ctx context.Context, bucket jetstream.ObjectStore, name, content string) {
	_, err := bucket.PutString(ctx, name, content)
	Expect(err).NotTo(HaveOccurred())
}

// beRefused matches a *buckets.RefusedError with that code.
func beRefused(code int) OmegaMatcher {
	return WithTransform(func(err error) int {
		if refused, ok := errors.AsType[*buckets.RefusedError](err); ok {
			return refused.Code
		}
		return 0
	}, Equal(code))
}

// beUnavailable matches an error that says nothing about what has happened, and has this text.
func beUnavailable(text string) OmegaMatcher {
	return SatisfyAll(
		MatchError(ContainSubstring(text)),
		beRefused(0),
		Not(MatchError(buckets.ErrExists)),
		Not(MatchError(buckets.ErrGone)),
	)
}
