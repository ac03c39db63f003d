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

	"example.com/controller-course/tests/kit/history"
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
	killed chan int // is told who was killed
}

func newBench(t *testing.T, change ...func(*proxy.Options)) *bench {
	leaks := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leaks) })
	b := &bench{T: t, server: newFakeServer(t), log: history.NewLog(), killed: make(chan int, 10)}
	config := &rest.Config{Host: b.server.URL}
	options := proxy.Options{
		Server: config, Admin: config, Namespace: namespace, Log: b.log,
		Kill: func(instance int) { b.killed <- instance },
	}
	for _, change := range change {
		change(&options)
	}
	var err error
	if b.proxy, err = proxy.New(options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.proxy.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) inject(lines ...string) {
	b.Helper()
	for _, line := range lines {
		fault, err := proxy.ParseFault(line)
		if err != nil {
			b.Fatal(err)
		}
		b.proxy.Inject(fault)
	}
}

// eventually waits until something holds.
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
	select {
	case killed := <-b.killed:
		if killed != instance {
			b.Fatalf("instance %d was killed, want %d", killed, instance)
		}
	case <-time.After(patience):
		b.Fatal("nobody was killed")
	}
}

func (b *bench) awaitQuiet() {
	b.Helper()
	b.eventually("quiet", func() bool { busy, _ := b.proxy.Busy(); return !busy })
}

// instance is a client behind a door.
type instance struct {
	*bench
	url    string
	client *http.Client
}

func (b *bench) instance(n int) *instance {
	b.Helper()
	config, err := b.proxy.Door(n)
	if err != nil {
		b.Fatal(err)
	}
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

func (i *instance) askAs(method, path, contentType, body string) reply {
	i.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, i.url+path, strings.NewReader(body))
	if err != nil {
		i.Fatal(err)
	}
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

// watching is a watch that a client has opened.
type watching struct {
	*instance
	code  int
	lines chan string // closed at its end
	cut   error       // known then; nil for a watch that has ended as it should
	stop  func()
}

func (i *instance) watch(path, query string) *watching {
	i.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, i.url+path+"?watch=true&"+query, nil)
	if err != nil {
		i.Fatal(err)
	}
	response, err := i.client.Do(request)
	if err != nil {
		i.Fatal(err)
	}
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

// want waits for events, told as "ADDED web-build@12".
func (w *watching) want(events ...string) {
	w.Helper()
	for _, want := range events {
		select {
		case line, ok := <-w.lines:
			if !ok {
				w.Fatalf("the watch has ended (%v), want %s", w.cut, want)
			}
			if got := short(line); got != want {
				w.Fatalf("received %s, want %s", got, want)
			}
		case <-time.After(patience):
			w.Fatalf("nothing was received, want %s", want)
		}
	}
}

// wantEnd waits for the end and returns how it came.
func (w *watching) wantEnd() error {
	w.Helper()
	select {
	case line, ok := <-w.lines:
		if ok {
			w.Fatalf("received %s, want the end", short(line))
		}
	case <-time.After(patience):
		w.Fatal("the watch has not ended")
	}
	return w.cut
}

// wantNothing says that there is nothing now.
func (w *watching) wantNothing() {
	w.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.Fatalf("the watch has ended: %v", w.cut)
		}
		w.Fatalf("received %s, want nothing", short(line))
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

// calls are the names of what was asked, with what was answered and told.
func (b *bench) calls() []string {
	var calls []string
	for _, request := range b.log.Run().Requests {
		calls = append(calls, fmt.Sprintf("%s %d %d", request.Call, request.Code, request.Told))
	}
	return calls
}

// moments are the names of the events that were received.
func (b *bench) moments() []string {
	var moments []string
	for _, frame := range b.log.Run().Frames {
		moments = append(moments, frame.Moment.String())
	}
	return moments
}

// received waits until so many events are in the log.
func (b *bench) awaitReceived(n int) {
	b.Helper()
	b.eventually(fmt.Sprintf("%d events received", n), func() bool { return len(b.log.Run().Frames) >= n })
}
