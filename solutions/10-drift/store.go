package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	nats "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// storeTimeout is how long to wait for the object store's response to one request.
const storeTimeout = time.Second

// listTimeout is how long a list of all buckets may take, however many pages it has.
const listTimeout = time.Minute

// store is a connection to the object store of NATS JetStream. It knows nothing of Kubernetes.
type store struct {
	url        string
	connection *nats.Conn
	jetstream  jetstream.JetStream
}

// bucket is a bucket in the object store.
type bucket struct {
	name     string
	created  time.Time
	settings jetstream.StreamConfig

	// blank says that nothing has ever been stored in it, so it has no anchor yet.
	blank bool
	// emptied says that nothing is stored in it any more, not even the anchor: somebody has purged it, or what was in it has expired.
	emptied bool
}

// connect returns a store, whether or not the server responds now.
func connect(url string) (*store, error) {
	connection, err := nats.Connect(url,
		nats.Name("sequentialjob"),
		nats.ReconnectWait(200*time.Millisecond),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1),
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
	stream, err := s.jetstream.Stream(ctx, streamPrefix+name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("looking at bucket "+name, err)
	}
	return bucketOf(stream.CachedInfo()), nil
}

// list returns all buckets in the store, by name. The store lists them in pages of 256, in the order of their names. If a bucket is
// deleted between two pages, another one moves to the page that was read already. So a bucket that is missing here may exist.
func (s *store) list(ctx context.Context) (map[string]*bucket, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	page := time.AfterFunc(storeTimeout, cancel) // each page has the time of one request
	defer page.Stop()
	all := map[string]*bucket{}
	streams := s.jetstream.ListStreams(ctx)
	for info := range streams.Info() {
		page.Reset(storeTimeout)
		if strings.HasPrefix(info.Config.Name, streamPrefix) {
			found := bucketOf(info)
			all[found.name] = found
		}
	}
	if err := streams.Err(); err != nil {
		return nil, s.explain("listing all buckets", err)
	}
	return all, nil
}

// create creates a bucket. If it fails, the bucket may be there: the response may have been lost. If it succeeds, it may have been
// there before.
func (s *store) create(ctx context.Context, wanted wantedBucket) error {
	_, err := s.jetstream.CreateStream(ctx, configOf(wanted))
	return s.explain("creating bucket "+wanted.name, err)
}

// anchor is the name of an object that each bucket has, marked as deleted. A program that lists or reads files does not see it. One that
// watches the bucket sees a deletion.
const anchor = "batch.example.com/anchor"

// anchor stores the trace of a deleted object in a bucket, so that a bucket that is in use is never empty. Without it, a purged
// bucket would look like one in which a program has failed to store its first file. To anchor a bucket again changes nothing.
func (s *store) anchor(ctx context.Context, name string) error {
	trace, err := json.Marshal(jetstream.ObjectInfo{ObjectMeta: jetstream.ObjectMeta{Name: anchor}, Bucket: name, Deleted: true})
	if err != nil {
		return err
	}
	message := nats.NewMsg("$O." + name + ".M." + base64.URLEncoding.EncodeToString([]byte(anchor)))
	message.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	message.Data = trace
	_, err = s.jetstream.PublishMsg(ctx, message)
	return s.explain("anchoring bucket "+name, err)
}

// update replaces all settings of a bucket, even of one that has another owner. The files stay.
func (s *store) update(ctx context.Context, wanted wantedBucket) error {
	_, err := s.jetstream.UpdateStream(ctx, configOf(wanted))
	return s.explain("updating bucket "+wanted.name, err)
}

// retain marks a bucket as one that stays when its Workspace goes. All other settings stay as they were when the bucket was looked at, so
// the store takes it even if some are locked.
func (s *store) retain(ctx context.Context, found *bucket) error {
	settings := found.settings
	settings.Metadata = maps.Clone(settings.Metadata)
	settings.Metadata[markRetain] = "true"
	_, err := s.jetstream.UpdateStream(ctx, settings)
	return s.explain("marking bucket "+found.name+" as one that stays", err)
}

// delete deletes a bucket and its files, even one that has another owner. It succeeds if there is none.
func (s *store) delete(ctx context.Context, name string) error {
	err := s.jetstream.DeleteStream(ctx, streamPrefix+name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return s.explain("deleting bucket "+name, err)
}

// bucketOf reads what the store says about the stream of a bucket.
func bucketOf(info *jetstream.StreamInfo) *bucket {
	return &bucket{
		name:     strings.TrimPrefix(info.Config.Name, streamPrefix),
		created:  info.Created.UTC().Truncate(time.Microsecond), // as precise as the API's MicroTime
		settings: info.Config,
		blank:    info.State.LastSeq == 0,
		emptied:  info.State.LastSeq > 0 && info.State.Msgs == 0,
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
