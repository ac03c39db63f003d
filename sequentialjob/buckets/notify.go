package buckets

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"
)

// advisories is the prefix of the subjects of the store's advisories about streams. The event follows, and then the stream.
const advisories = "$JS.EVENT.ADVISORY.STREAM."

// Notify calls changed with the name of each bucket that any client has created, updated or deleted, when the store's advisory
// about it arrives. An advisory arrives at most once, and there is none about content. So Notify calls gap when advisories may be
// missing: after each reconnect, and when they arrived faster than changed returned. Both functions may be called at the same
// time. The calls end with ctx.
//
// Notify returns once the store has the subscription. A caller that looks at all buckets afterwards misses nothing. If the store
// can't be reached now, Notify returns immediately, and gap is called once it can. The error says why the store does not confirm
// the subscription.
func (s *Store) Notify(ctx context.Context, changed func(bucket string), gap func()) error {
	before := s.nc.LastError()
	connected := s.nc.StatusChanged(nats.CONNECTED)
	dropped := 0
	subscription, err := s.nc.Subscribe(advisories+"*.*", func(m *nats.Msg) {
		if bucket, ok := bucketIn(m.Subject); ok {
			changed(bucket)
		}
		// Messages are dropped only while others wait, so each drop is seen here.
		if now, err := m.Sub.Dropped(); err == nil && now > dropped {
			dropped = now
			gap()
		}
	})
	if err != nil {
		s.nc.RemoveStatusListener(connected)
		return s.explain("subscribing to the store's notifications", err)
	}
	stop := func() {
		_ = subscription.Unsubscribe() // fails only if the connection is closed, and then there is no subscription
		s.nc.RemoveStatusListener(connected)
	}
	if err := s.confirm(ctx); err != nil {
		stop()
		return s.explain("subscribing to the store's notifications", err)
	}
	if last := s.nc.LastError(); last != before && errors.Is(last, nats.ErrPermissionViolation) && strings.Contains(last.Error(), advisories) {
		stop()
		return s.explain("subscribing to the store's notifications", last)
	}
	go func() {
		defer stop()
		for {
			select {
			case <-connected: // and subscribed again: the next request comes after that
				gap()
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// confirm returns once the store has all subscriptions, or if it can't be reached: then it gets them with the next connection.
func (s *Store) confirm(ctx context.Context) error {
	if !s.nc.IsConnected() && !s.nc.IsClosed() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.nc.FlushWithContext(ctx)
	if errors.Is(err, nats.ErrConnectionClosed) && !s.nc.IsClosed() {
		return nil // it was lost meanwhile
	}
	return err
}

// bucketIn returns the bucket that an advisory is about. It returns false for an advisory about something else.
func bucketIn(subject string) (bucket string, ok bool) {
	event, stream, _ := strings.Cut(strings.TrimPrefix(subject, advisories), ".")
	if !slices.Contains([]string{"CREATED", "UPDATED", "DELETED"}, event) {
		return "", false
	}
	return strings.CutPrefix(stream, streamPrefix)
}
