package buckets_test

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

const (
	// patience is the timeout of stores whose server responds, or whose requests fail without waiting for it.
	patience = 30 * time.Second
	// impatience is the timeout of stores whose server does not respond.
	impatience = 100 * time.Millisecond
)

// storeOf connects to the server as the operator does.
func storeOf(s *natsserver.Server) *buckets.Store {
	return connect(buckets.Options{URL: s.URL(), Timeout: patience})
}

func connect(o buckets.Options) *buckets.Store {
	store, err := buckets.Connect(o)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(store.Close)
	return store
}

// othersOf is a client of the server that can do everything.
func othersOf(s *natsserver.Server) jetstream.JetStream {
	_, js := s.Client()
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
