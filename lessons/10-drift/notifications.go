package main

import (
	"context"
	"errors"
	"strings"

	nats "github.com/nats-io/nats.go"
)

// advisories is what the subjects begin with on which the store tells of changes: CREATED, UPDATED or DELETED follows, and then the
// name of the stream.
const advisories = "$JS.EVENT.ADVISORY.STREAM."

// subscribe calls changed with the name of each bucket that any client creates, updates or deletes, this process included. It returns
// once the store has the subscription. If the store can't be reached now, it returns too, and the subscription is made with the next
// connection. Each notification comes at most once. Those that are sent while the connection is down never come.
func (s *store) subscribe(ctx context.Context, changed func(bucket string)) error {
	_, err := s.connection.Subscribe(advisories+"*.*", func(notification *nats.Msg) {
		_, name, _ := strings.Cut(strings.TrimPrefix(notification.Subject, advisories), ".")
		if bucket, is := strings.CutPrefix(name, streamPrefix); is {
			changed(bucket)
		}
	})
	if err != nil || !s.connection.IsConnected() {
		return s.explainSubscription(err)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	err = s.connection.FlushWithContext(ctx)
	if errors.Is(err, nats.ErrConnectionClosed) || !s.connection.IsConnected() {
		return nil // it was lost meanwhile, and the next one has the subscription
	}
	return s.explainSubscription(err)
}

func (s *store) explainSubscription(err error) error {
	if err == nil {
		return nil
	}
	return s.explain("subscribing to the store's notifications", err)
}

// connections receive something after each connection that is made. By then, the store has the subscriptions.
type connections <-chan nats.Status

// connected returns the connections from now on.
func (s *store) connected() connections { return s.connection.StatusChanged(nats.CONNECTED) }
