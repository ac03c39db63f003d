package buckets

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Admin looks at buckets, and does to them what others do, past the proxy. A server that was down has it reconnect.
type Admin struct {
	connection *nats.Conn
	streams    jetstream.JetStream
}

// Bucket is a bucket as the server has it.
type Bucket struct {
	Name     string
	Created  time.Time
	Capacity int64             // in bytes; -1 for unlimited
	Metadata map[string]string // without what the server adds
}

// aLot ends what hangs. The client's own limits, of two and five seconds, also end what is slow on a busy machine.
const aLot = time.Minute

// Administer connects to a server. Close has to follow. On a busy machine, the server may send a PING before it responds to the client's own,
// and then the client fails: "expected 'PONG', got 'PING'". So it tries again, and requests wait until it is connected.
func (s *Server) Administer() (*Admin, error) {
	connection, err := nats.Connect(s.URL(), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond), nats.Timeout(aLot))
	if err != nil {
		return nil, fmt.Errorf("connect to the NATS server: %w", err)
	}
	streams, err := jetstream.New(connection, jetstream.WithDefaultTimeout(aLot))
	return &Admin{connection, streams}, err
}

// Close ends the connection.
func (a *Admin) Close() { a.connection.Close() }

// All returns all buckets, in the order of their names.
func (a *Admin) All(ctx context.Context) ([]Bucket, error) {
	var all []Bucket
	listed := a.streams.ListStreams(ctx)
	for info := range listed.Info() {
		name, is := strings.CutPrefix(info.Config.Name, stream)
		if !is {
			continue
		}
		metadata := map[string]string{}
		for key, value := range info.Config.Metadata {
			if !strings.HasPrefix(key, "_nats.") {
				metadata[key] = value
			}
		}
		all = append(all, Bucket{name, info.Created, info.Config.MaxBytes, metadata})
	}
	slices.SortFunc(all, func(a, b Bucket) int { return strings.Compare(a.Name, b.Name) })
	return all, listed.Err()
}

// Change changes the settings of a bucket, as somebody with the NATS client does.
func (a *Admin) Change(ctx context.Context, bucket string, change func(*jetstream.StreamConfig)) error {
	found, err := a.streams.Stream(ctx, stream+bucket)
	if err != nil {
		return fmt.Errorf("change bucket %s: %w", bucket, err)
	}
	config := found.CachedInfo().Config
	change(&config)
	if _, err := a.streams.UpdateStream(ctx, config); err != nil {
		return fmt.Errorf("change bucket %s: %w", bucket, err)
	}
	return nil
}

// Delete deletes a bucket. If there is none, that is no error.
func (a *Admin) Delete(ctx context.Context, bucket string) error {
	err := a.streams.DeleteObjectStore(ctx, bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	return err
}

// Purge removes all that is stored in a bucket.
func (a *Admin) Purge(ctx context.Context, bucket string) error {
	found, err := a.streams.Stream(ctx, stream+bucket)
	if err == nil {
		err = found.Purge(ctx)
	}
	if err != nil {
		return fmt.Errorf("empty bucket %s: %w", bucket, err)
	}
	return nil
}

// Settings are those of a bucket, as the server has them.
func (a *Admin) Settings(ctx context.Context, bucket string) (jetstream.StreamConfig, error) {
	found, err := a.streams.Stream(ctx, stream+bucket)
	if err != nil {
		return jetstream.StreamConfig{}, fmt.Errorf("read bucket %s: %w", bucket, err)
	}
	return found.CachedInfo().Config, nil
}

// Create creates a bucket with these settings, as somebody else does.
func (a *Admin) Create(ctx context.Context, settings jetstream.StreamConfig) error {
	if _, err := a.streams.CreateStream(ctx, settings); err != nil {
		return fmt.Errorf("create %s: %w", settings.Name, err)
	}
	return nil
}

// Put stores a file in a bucket.
func (a *Admin) Put(ctx context.Context, bucket, file, content string) error {
	found, err := a.streams.ObjectStore(ctx, bucket)
	if err == nil {
		_, err = found.PutString(ctx, file, content)
	}
	if err != nil {
		return fmt.Errorf("store %s in bucket %s: %w", file, bucket, err)
	}
	return nil
}

// Get returns the content of a file in a bucket.
func (a *Admin) Get(ctx context.Context, bucket, file string) (content string, err error) {
	ctx, cancel := context.WithTimeout(ctx, aLot) // or the client has a limit of its own
	defer cancel()
	found, err := a.streams.ObjectStore(ctx, bucket)
	if err == nil {
		content, err = found.GetString(ctx, file)
	}
	if err != nil {
		return "", fmt.Errorf("read %s in bucket %s: %w", file, bucket, err)
	}
	return content, nil
}
