package buckets

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// anchor is the name of an object in each bucket, which is deleted from the beginning.
const anchor = "batch.example.com/anchor"

// Anchor stores the trace of a deleted object in a bucket. No client lists it, and only a purge or an expiry removes it. So a
// bucket without it has lost what was in it. Without the anchor, the same could be due to a first put that failed: the client
// purges what it has stored of the file until then. The error is a *RefusedError (if the capacity is too small, for example), or
// another one if the store is not available. To anchor a bucket again changes nothing.
func (s *Store) Anchor(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	// What nats.go stores for an object that was deleted.
	trace, err := json.Marshal(jetstream.ObjectInfo{ObjectMeta: jetstream.ObjectMeta{Name: anchor}, Bucket: name, Deleted: true})
	if err != nil {
		return err
	}
	message := nats.NewMsg("$O." + name + ".M." + base64.URLEncoding.EncodeToString([]byte(anchor)))
	message.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	message.Data = trace
	if _, err := s.js.PublishMsg(ctx, message); err != nil {
		return s.explain("anchoring bucket "+name, err)
	}
	return nil
}
