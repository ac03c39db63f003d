package buckets_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/must"
)

func TestAServerThatIsKilledKeepsItsBuckets(t *testing.T) {
	b := newBench(t)
	client, js := b.client(1)
	must.Succeed(t, create(t.Context(), js, "ws-1"))
	store, err := js.ObjectStore(t.Context(), "ws-1")
	must.Succeed(t, err)
	_, err = store.PutString(t.Context(), "greeting", "hello")
	must.Succeed(t, err)

	must.Succeed(t, b.server.Kill())
	b.eventually("the client notices", func() bool { return !client.IsConnected() })
	if err := js.DeleteObjectStore(t.Context(), "ws-1"); !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.Fatalf("a request to a server that is down: %v", err)
	}
	must.Succeed(t, b.server.Resume(t.Context()))
	b.eventually("the client has reconnected", client.IsConnected)
	got, err := store.GetString(t.Context(), "greeting")
	must.Succeed(t, err)
	if got != "hello" {
		t.Errorf("the bucket has %q", got)
	}
}

// The server reserves a bucket's capacity when it is created, so a store can be full without any content.
func TestAFullStore(t *testing.T) {
	b := newBench(t)
	js := b.direct()
	big := jetstream.ObjectStoreConfig{Bucket: "big", MaxBytes: buckets.Storage}
	_, err := js.CreateObjectStore(t.Context(), big)
	must.Succeed(t, err)
	if err := create(t.Context(), js, "ws-1"); !isCode(10047)(err) {
		t.Errorf("creating a bucket in a full store: %v", err)
	}
}
