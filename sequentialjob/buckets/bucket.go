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
	Retain   bool // whoever removes buckets without an owner must leave this one
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

	// Emptied says that the bucket has had content and has none any more, not even the traces of deleted objects: it was purged,
	// or its content has expired. A bucket looks the same if the only thing that ever happened to it is a put that failed after
	// its first chunk: the client purges those.
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
// change back. Another bucket would have them as they should be, without the content.
func (b Bucket) Locked() []string {
	return differing(b.config, configOf(Wanted{}), true)
}
