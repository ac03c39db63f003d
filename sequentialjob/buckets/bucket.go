package buckets

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Owner is the mark that a bucket of ours carries in its metadata.
type Owner struct {
	Cluster   string // the identity of the Kubernetes cluster
	UID       string // of the Workspace; never empty
	Namespace string
	Name      string
}

// Wanted is a bucket as it should be.
type Wanted struct {
	Name     string // letters, digits, - and _; at most 251 characters
	Capacity int64  // in bytes, at least 1
	Owner    Owner
	Retain   bool // a sweep that removes buckets without an owner must leave this one
}

// Bucket is a bucket as the store has it.
type Bucket struct {
	Name string

	// Created is when the bucket was created, in UTC, truncated to microseconds. Another bucket of the same name has another
	// time.
	Created time.Time

	Owner    Owner // zero if the bucket carries no mark of ours
	Retain   bool
	Capacity int64  // in bytes; -1 for no limit
	Bytes    uint64 // how much it stores, with what the store adds to the files

	// Blank says that the bucket has never had content, and so has no anchor yet: see Store.Anchor.
	Blank bool

	// Emptied says that the bucket has no content any more, not even the anchor: it was purged, or its content has expired.
	Emptied bool

	config jetstream.StreamConfig
}

// bucketOf reads what the store says about a bucket's stream.
func bucketOf(info *jetstream.StreamInfo) *Bucket {
	owner, retain := marksOf(info.Config.Metadata)
	return &Bucket{
		Name:     nameOf(info.Config.Name),
		Created:  info.Created.UTC().Truncate(time.Microsecond),
		Owner:    owner,
		Retain:   retain,
		Capacity: info.Config.MaxBytes,
		Bytes:    info.State.Bytes,
		Blank:    info.State.LastSeq == 0,
		Emptied:  info.State.Msgs == 0 && info.State.LastSeq > 0,
		config:   info.Config,
	}
}

// Differs returns the names of the settings that differ from what is wanted, as the store calls them. Update puts them back.
// What the store adds by itself does not count. Locked settings are not among them.
func (b Bucket) Differs(w Wanted) []string {
	return differing(b.config, configOf(w), false)
}

// Locked returns the names of the settings, as the store calls them, that somebody has changed and that the store does not
// change back. Update is refused while there are any. Only
// another bucket would have them as they should be, without the content.
func (b Bucket) Locked() []string {
	return differing(b.config, configOf(Wanted{}), true)
}
