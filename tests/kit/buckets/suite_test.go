package buckets_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

// patience ends a test that hangs.
const patience = 30 * time.Second

// bench is a server with a proxy in front of it.
type bench struct {
	*testing.T
	server *buckets.Server
	proxy  *buckets.Proxy
	log    *history.Log

	mu      sync.Mutex
	clients map[int]*nats.Conn // of the instances that are alive
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, log: history.NewLog(), clients: map[int]*nats.Conn{}}
	server, err := buckets.Start(t.Context(), t.TempDir(), os.Stderr)
	must.Succeed(t, err)
	b.server = server
	b.proxy = buckets.New(buckets.Options{
		Server: server.Address(), Log: b.log, Kill: b.kill,
		Logical: func(bucket string) history.Logical {
			if bucket == "ws-1" {
				return "web"
			}
			return history.Logical(bucket)
		},
	})
	t.Cleanup(func() {
		for _, client := range b.clients {
			client.Close()
		}
		b.proxy.Close()
		must.Succeed(t, server.Stop())
	})
	return b
}

// kill ends a client of an instance without a word.
func (b *bench) kill(instance int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if client := b.clients[instance]; client != nil {
		client.Close()
		delete(b.clients, instance)
	}
}

// alive says whether an instance was not killed.
func (b *bench) alive(instance int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.clients[instance] != nil
}

// client connects a client as a controller does.
func (b *bench) client(instance int, options ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	b.Helper()
	url, err := b.proxy.Door(instance)
	must.Succeed(b, err)
	options = append([]nats.Option{nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.ReconnectWait(10 * time.Millisecond)}, options...)
	client, err := nats.Connect(url, options...)
	must.Succeed(b, err)
	b.mu.Lock()
	b.clients[instance] = client
	b.mu.Unlock()
	js, err := jetstream.New(client, jetstream.WithDefaultTimeout(300*time.Millisecond))
	must.Succeed(b, err)
	return client, js
}

// direct connects a client past the proxy.
func (b *bench) direct() jetstream.JetStream {
	b.Helper()
	client, err := nats.Connect(b.server.URL())
	must.Succeed(b, err)
	b.Cleanup(client.Close)
	js, err := jetstream.New(client)
	must.Succeed(b, err)
	return js
}

func (b *bench) inject(lines ...string) {
	b.Helper()
	for _, line := range lines {
		fault, err := buckets.ParseFault(line)
		must.Succeed(b, err)
		b.proxy.Inject(fault)
	}
}

// exists says whether there is a bucket.
func (b *bench) exists(bucket string) bool {
	b.Helper()
	_, err := b.direct().ObjectStore(b.Context(), bucket)
	if err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		b.Fatal(err)
	}
	return err == nil
}

func (b *bench) eventually(what string, holds func() bool) {
	b.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b.Fatalf("%s: not after %s", what, patience)
		}
	}
}

// request is the last request of that name in the log.
func (b *bench) request(name string) history.Request {
	b.Helper()
	var found history.Request
	for _, r := range b.log.Run().Requests {
		if r.Call.String() == name {
			found = r
		}
	}
	if found.ID == 0 {
		b.Fatalf("no request %q among %v", name, b.log.Run().Requests)
	}
	return found
}

func create(ctx context.Context, js jetstream.JetStream, bucket string) error {
	_, err := js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, MaxBytes: 1 << 20})
	return err
}
