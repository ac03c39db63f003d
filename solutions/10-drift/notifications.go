package main

import (
	"context"
	"strings"

	nats "github.com/nats-io/nats.go"
)

// advisories is what the subjects begin with on which the store tells of changes: CREATED, UPDATED or DELETED follows, and then the
// name of the stream.
const advisories = "$JS.EVENT.ADVISORY.STREAM."

// subscribe calls changed with the name of each bucket that any client creates, updates or deletes, this process included. It returns
// once the store has the subscription. If the store can't be reached now, it returns too, and the next connection has the subscription.
// Each notification comes at most once. Those that are sent while the connection is down never come.
func (s *store) subscribe(ctx context.Context, changed func(bucket string)) error {
	const doing = "subscribing to the store's notifications"
	subscription, err := s.connection.Subscribe(advisories+"*.*", func(notification *nats.Msg) {
		_, name, _ := strings.Cut(strings.TrimPrefix(notification.Subject, advisories), ".")
		if bucket, is := strings.CutPrefix(name, streamPrefix); is {
			changed(bucket)
		}
	})
	if err != nil {
		return s.explain(doing, err)
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := s.connection.FlushWithContext(ctx); err != nil && s.connection.IsConnected() {
		_ = subscription.Unsubscribe() // the next attempt subscribes again
		return s.explain(doing, err)
	}
	return nil
}

// connections receive something after each connection that is made. By then, the store has the subscriptions.
type connections <-chan nats.Status

// connected returns the connections from now on.
func (s *store) connected() connections { return s.connection.StatusChanged(nats.CONNECTED) }
