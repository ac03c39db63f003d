package buckets

import (
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Look returns the bucket of that name, or nil if there is none. The error is a *RefusedError, or another one if the store is not
// available.
func (s *Store) Look(ctx context.Context, name string) (*Bucket, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	stream, err := s.js.Stream(ctx, streamOf(name))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain("looking up bucket "+name, err)
	}
	return bucketOf(stream.CachedInfo()), nil
}

// Create creates the bucket, or returns it if it is there exactly as wanted. The error is ErrExists if the name is taken by a
// bucket with other settings, a *RefusedError, or another one if the store is not available. After any error the bucket may be
// there: the store looks for room before it looks for the name, so a full store refuses even a bucket that exists.
func (s *Store) Create(ctx context.Context, w Wanted) (*Bucket, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	stream, err := s.js.CreateStream(ctx, configOf(w))
	if err != nil {
		return nil, s.explain("creating bucket "+w.Name, err)
	}
	return bucketOf(stream.CachedInfo()), nil
}

// Update replaces all settings of the bucket, even if it has another owner: the store has no precondition on the state that was
// seen. Its content stays. The error is ErrGone if there is no such bucket, a *RefusedError (also if a setting is locked), or
// another one if the store is not available.
func (s *Store) Update(ctx context.Context, w Wanted) (*Bucket, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	stream, err := s.js.UpdateStream(ctx, configOf(w))
	if err != nil {
		return nil, s.explain("updating bucket "+w.Name, err)
	}
	return bucketOf(stream.CachedInfo()), nil
}

// Retain marks a bucket as one that a sweep must leave. All other settings stay as they were when the bucket was looked at. So it works for
// a bucket with locked settings too, which Update is refused. The errors are those of Update.
func (s *Store) Retain(ctx context.Context, bucket *Bucket) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	config := bucket.config
	config.Metadata = maps.Clone(config.Metadata)
	config.Metadata[keyRetain] = "true"
	if _, err := s.js.UpdateStream(ctx, config); err != nil {
		return s.explain("marking bucket "+bucket.Name+" as one that stays", err)
	}
	return nil
}

// Delete deletes the bucket with its content, even if it has another owner. It returns nil if there is none. The error is a *RefusedError, or
// another one if the store is not available.
func (s *Store) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	if err := s.js.DeleteStream(ctx, streamOf(name)); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return s.explain("deleting bucket "+name, err)
	}
	return nil
}

// longestList is more than any list takes. Without a deadline, nats.go gives all pages five seconds together.
const longestList = time.Hour

// List returns all buckets, sorted by name. The store lists them in pages, by number, so a bucket can be missing because another
// one was deleted meanwhile: Look says whether it is gone. Each page has the timeout of a request. The error is a *RefusedError,
// or another one if the store is not available.
func (s *Store) List(ctx context.Context) ([]Bucket, error) {
	ctx, cancel := context.WithTimeout(ctx, longestList)
	defer cancel()
	const doing = "listing buckets"
	var buckets []Bucket
	// The store could select streams by subject. But somebody may have changed the subjects of a bucket.
	streams := s.js.ListStreams(ctx)
	for {
		select {
		case info, more := <-streams.Info():
			switch {
			case more && strings.HasPrefix(info.Config.Name, streamPrefix):
				buckets = append(buckets, *bucketOf(info))
			case !more && streams.Err() != nil:
				return nil, s.explain(doing, streams.Err())
			case !more:
				return buckets, nil
			}
		case <-time.After(s.timeout): // the streams of a page come all at once, so this is how long the next page may take
			return nil, s.explain(doing, context.DeadlineExceeded)
		}
	}
}
