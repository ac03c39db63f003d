package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	nats "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// storeTimeout is how long to wait for the object store's response to one request.
const storeTimeout = time.Second

// store is a connection to the object store of NATS JetStream. It knows nothing of Kubernetes.
type store struct {
	url        string
	connection *nats.Conn
	jetstream  jetstream.JetStream
}

// bucket is a bucket in the object store.
type bucket struct {
	name     string
	capacity int64  // in bytes; -1 for no limit
	owner    string // the UID in its mark; empty for a bucket without one
	created  time.Time
}

// ownerMark is the entry of a bucket's metadata that says whose it is.
const ownerMark = "batch.example.com/uid"

// connect returns a store, whether or not the server responds now.
func connect(url string) (*store, error) {
	connection, err := nats.Connect(url,
		nats.Name("sequentialjob"),
		nats.ReconnectWait(200*time.Millisecond),
		//exercise:begin connection By default, connect fails if the server is down; nats.go gives up after 60 attempts to reconnect; and it
		//exercise:task keeps the requests that fail meanwhile, to send them later. Change all three with options of nats.Connect.
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.ReconnectBufSize(-1),
		//exercise:end
		nats.IgnoreAuthErrorAbort(),
	)
	if err != nil {
		return nil, fmt.Errorf("connecting to the NATS server at NATS_URL: %w", err)
	}
	js, err := jetstream.New(connection, jetstream.WithDefaultTimeout(storeTimeout))
	if err != nil {
		connection.Close()
		return nil, fmt.Errorf("connecting to the NATS server at NATS_URL: %w", err)
	}
	return &store{url: url, connection: connection, jetstream: js}, nil
}

func (s *store) close() { s.connection.Close() }

// look returns the bucket of that name; nil if the store says that there is none.
func (s *store) look(ctx context.Context, name string) (*bucket, error) {
	stream, err := s.jetstream.Stream(ctx, "OBJ_"+name) // the stream that a bucket consists of
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("looking at bucket "+name, err)
	}
	info := stream.CachedInfo()
	return &bucket{
		name:     name,
		capacity: info.Config.MaxBytes,
		owner:    info.Config.Metadata[ownerMark],
		created:  info.Created.UTC().Truncate(time.Microsecond), // as precise as the API's MicroTime
	}, nil
}

// create creates a bucket. If it fails, the bucket may be there: the response may have been lost. If it succeeds, it may have been
// there before.
func (s *store) create(ctx context.Context, wanted bucket) error {
	_, err := s.jetstream.CreateObjectStore(ctx, configOf(wanted))
	return s.explain("creating bucket "+wanted.name, err)
}

// update replaces all settings of a bucket, even of one that has another owner. The files stay.
func (s *store) update(ctx context.Context, wanted bucket) error {
	_, err := s.jetstream.UpdateObjectStore(ctx, configOf(wanted))
	return s.explain("updating bucket "+wanted.name, err)
}

// delete deletes a bucket and its files, even one that has another owner. It succeeds if there is none.
func (s *store) delete(ctx context.Context, name string) error {
	err := s.jetstream.DeleteObjectStore(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return s.explain("deleting bucket "+name, err)
}

func configOf(wanted bucket) jetstream.ObjectStoreConfig {
	return jetstream.ObjectStoreConfig{
		Bucket:   wanted.name,
		MaxBytes: wanted.capacity,
		Storage:  jetstream.FileStorage,
		Metadata: map[string]string{ownerMark: wanted.owner},
	}
}

// explain says what failed, in words that are the same for each attempt.
func (s *store) explain(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case !s.connection.IsConnected():
		return fmt.Errorf("%s: the NATS server can't be reached", doing)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// refusedByStore says whether the store has responded that it does not do what it was asked for: it has no room, for example.
// 503 only says that it is not available now.
func refusedByStore(err error) bool {
	refusal, responded := errors.AsType[*jetstream.APIError](err)
	return responded && refusal.Code != 503
}
