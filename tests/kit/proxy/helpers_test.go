package proxy_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
)

// patience bounds what usually takes a fraction of it.
const patience = 2 * time.Minute

const (
	namespace = "run"
	jobs      = "/apis/batch/v1/namespaces/run/jobs"
	sequences = "/apis/batch.example.com/v1alpha1/namespaces/run/sequentialjobs"
)

// bench is a proxy before a fake API server, with a client for each instance.
type bench struct {
	*testing.T
	server *fakeServer
	proxy  *proxy.Proxy
	log    *history.Log
	killed chan int // receives the instance that was killed
}

func newBench(t *testing.T, change ...func(*proxy.Options)) *bench {
	forbidLeaks(t)
	server := newFakeServer(t)
	b := newBenchAt(t, &rest.Config{Host: server.URL}, namespace, change...)
	b.server = server
	return b
}

// newBenchAt is newBench before any API server.
func newBenchAt(t *testing.T, server *rest.Config, namespace string, change ...func(*proxy.Options)) *bench {
	b := &bench{T: t, log: history.NewLog(), killed: make(chan int, 10)}
	options := proxy.Options{
		Server: server, Admin: server, Namespace: namespace, Log: b.log,
		Kill: func(instance int) { b.killed <- instance },
	}
	for _, change := range change {
		change(&options)
	}
	var err error
	b.proxy, err = proxy.New(options)
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, b.proxy.Close()) })
	return b
}

// forbidLeaks fails the test if goroutines are still running at its end. It is called before anything starts.
func forbidLeaks(t *testing.T) {
	leaks := goleak.IgnoreCurrent()
	// Those of client-go, which stay. The proxy's connections are not made by that package.
	administrators := goleak.IgnoreAnyFunction("golang.org/x/net/http2.(*clientConnReadLoop).run")
	t.Cleanup(func() { goleak.VerifyNone(t, leaks, administrators) })
}

func (b *bench) inject(lines ...string) {
	b.Helper()
	for _, line := range lines {
		fault, err := proxy.ParseFault(line)
		must.Succeed(b, err)
		b.proxy.Inject(fault)
	}
}

func (b *bench) eventually(what string, holds func() bool) {
	b.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			b.Fatalf("%s: not after %s", what, patience)
		}
		time.Sleep(time.Millisecond)
	}
}

func (b *bench) awaitKill(instance int) {
	b.Helper()
	killed, _ := receive(b, b.killed, "the instance that is killed")
	assert.Equal(b, "the instance that is killed", killed, instance)
}

func (b *bench) awaitQuiet() {
	b.Helper()
	b.eventually("quiet", func() bool { busy, _ := b.proxy.Busy(); return !busy })
}

func (b *bench) awaitUp(instance int) {
	b.Helper()
	b.eventually("up to date", func() bool { return b.proxy.UpToDate(instance) })
}

// receive waits for what comes from a channel; open is false when that was closed.
func receive[T any](t testing.TB, from <-chan T, what string) (got T, open bool) {
	t.Helper()
	select {
	case got, open = <-from:
	case <-time.After(patience):
		t.Fatalf("%s: not after %s", what, patience)
	}
	return got, open
}

func (b *bench) wantPending(n int) {
	b.Helper()
	if pending := b.proxy.Pending(); len(pending) != n {
		b.Errorf("pending: %v, want %d", pending, n)
	}
}

// wantOneFault says that one fault has struck, and is over.
func (b *bench) wantOneFault(line string) {
	b.Helper()
	if faults := b.log.Run().Faults; len(faults) != 1 || faults[0].String() != line || faults[0].Healed == 0 {
		b.Errorf("faults: %v, want %s", faults, line)
	}
}

func (b *bench) wantCalls(want ...string) {
	b.Helper()
	assert.Equal(b, "calls", b.calls(), want)
}

func (b *bench) wantAsked(want ...string) {
	b.Helper()
	assert.Equal(b, "what the API server was asked", b.server.lines(), want)
}

// instance is a client of a door.
type instance struct {
	*bench
	url    string
	client *http.Client
}

func (b *bench) instance(n int) *instance {
	b.Helper()
	config, err := b.proxy.Door(n)
	must.Succeed(b, err)
	transport := &http.Transport{DisableCompression: true}
	b.Cleanup(transport.CloseIdleConnections)
	return &instance{bench: b, url: config.Host, client: &http.Client{Transport: transport}}
}

// reply is what a client got; cut is the error of one that got nothing, or not all.
type reply struct {
	code   int
	header http.Header
	body   string
	cut    error
}

func (i *instance) ask(method, path, body string) reply {
	return i.askAs(method, path, "application/json", body)
}

func (i *instance) asking(method, path, body string) <-chan reply {
	answered := make(chan reply, 1)
	go func() { answered <- i.ask(method, path, body) }()
	return answered
}

func (i *instance) askAs(method, path, contentType, body string) reply {
	i.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request := i.request(ctx, method, path, body)
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Accept", "application/vnd.kubernetes.protobuf, */*")
	response, err := i.client.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			i.Fatalf("%s %s was never answered", method, path)
		}
		return reply{cut: err}
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	return reply{code: response.StatusCode, header: response.Header, body: string(read), cut: err}
}

func (i *instance) request(ctx context.Context, method, path, body string) *http.Request {
	i.Helper()
	request, err := http.NewRequestWithContext(ctx, method, i.url+path, strings.NewReader(body))
	must.Succeed(i, err)
	return request
}

// watching is a watch that a client has opened.
type watching struct {
	*instance
	code  int
	lines chan string // closed at its end
	cut   error       // known then; nil for a watch that has ended as it should
	stop  func()
}

// open is watch, with the API server's end.
func (i *instance) open(path, query string) (*watching, *fakeWatch) {
	i.Helper()
	w := i.watch(path, query)
	return w, i.server.next(i.T)
}

func (i *instance) watch(path, query string) *watching {
	i.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request := i.request(ctx, http.MethodGet, path+"?watch=true&"+query, "")
	response, err := i.client.Do(request)
	must.Succeed(i, err)
	w := &watching{instance: i, code: response.StatusCode, lines: make(chan string, 1000)}
	done := make(chan struct{})
	w.stop = func() { cancel(); <-done }
	i.Cleanup(w.stop)
	go func() {
		defer close(done)
		defer close(w.lines)
		defer response.Body.Close()
		lines := bufio.NewReader(response.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				if err != io.EOF {
					w.cut = err
				}
				return
			}
			w.lines <- strings.TrimSpace(line)
		}
	}()
	return w
}

func (w *watching) want(events ...string) {
	w.Helper()
	for _, want := range events {
		line, open := receive(w, w.lines, want)
		if !open {
			w.Fatalf("the watch has ended (%v), want %s", w.cut, want)
		}
		if got := short(line); got != want {
			w.Fatalf("received %s, want %s", got, want)
		}
	}
}

// wantEnd waits for the end and returns how it came.
func (w *watching) wantEnd() error {
	w.Helper()
	if line, open := receive(w, w.lines, "the end of the watch"); open {
		w.Fatalf("received %s, want the end", short(line))
	}
	return w.cut
}

func (w *watching) wantNothing() {
	w.Helper()
	select {
	case line, open := <-w.lines:
		w.Fatalf("received %q (open: %t), want nothing", short(line), open)
	default:
	}
}

func short(line string) string {
	var said struct {
		Type   string
		Object struct {
			Code     int
			Metadata struct{ Name, ResourceVersion string }
		}
	}
	if err := json.Unmarshal([]byte(line), &said); err != nil {
		return line
	}
	if said.Object.Code > 0 {
		return fmt.Sprintf("%s %d", said.Type, said.Object.Code)
	}
	return fmt.Sprintf("%s %s@%s", said.Type, said.Object.Metadata.Name, said.Object.Metadata.ResourceVersion)
}

func (b *bench) calls() []string {
	var calls []string
	for _, request := range b.log.Run().Requests {
		calls = append(calls, fmt.Sprintf("%s %d %d", request.Call, request.Code, request.Returned))
	}
	return calls
}

func (b *bench) moments() []string {
	var moments []string
	for _, frame := range b.log.Run().Frames {
		moments = append(moments, frame.Moment.String())
	}
	return moments
}

func (b *bench) awaitReceived(n int) {
	b.Helper()
	b.eventually(fmt.Sprintf("%d events received", n), func() bool { return len(b.log.Run().Frames) >= n })
}
