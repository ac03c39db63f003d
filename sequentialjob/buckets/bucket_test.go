package buckets

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
)

func someBucket() Wanted {
	return Wanted{Name: "ws-1", Capacity: 1 << 20, Owner: Owner{Cluster: "cluster-1", UID: "uid", Namespace: "default", Name: "web"}}
}

// The server lets nobody change these settings. A bucket has them if somebody has created it so, with our mark.
func TestLocked(t *testing.T) {
	for name, test := range map[string]struct {
		edit func(*jetstream.StreamConfig)
		want []string
	}{
		"as wanted":           {func(*jetstream.StreamConfig) {}, nil},
		"storage":             {func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }, []string{"storage"}},
		"allow_msg_counter":   {func(c *jetstream.StreamConfig) { c.AllowMsgCounter = true }, []string{"allow_msg_counter"}},
		"persist_mode":        {func(c *jetstream.StreamConfig) { c.PersistMode = jetstream.AsyncPersistMode }, []string{"persist_mode"}},
		"what is not locked":  {func(c *jetstream.StreamConfig) { c.MaxBytes, c.Metadata = 1, nil }, nil},
		"several in one look": {func(c *jetstream.StreamConfig) { c.Sealed, c.DenyPurge = true, true }, []string{"sealed", "deny_purge"}},
	} {
		t.Run(name, func(t *testing.T) {
			config := configOf(someBucket())
			test.edit(&config)
			bucket := bucketOf(&jetstream.StreamInfo{Config: config})
			if diff := cmp.Diff(test.want, bucket.Locked()); diff != "" {
				t.Errorf("Locked() (-want +got):\n%s", diff)
			}
			for _, setting := range bucket.Differs(someBucket()) {
				if slices.Contains(test.want, setting) {
					t.Errorf("Differs() has %s, which Update can't put back", setting)
				}
			}
		})
	}
}

func TestBucketOf(t *testing.T) {
	created := time.Date(2026, 11, 25, 3, 4, 5, 123456789, time.FixedZone("CET", 3600))
	for name, test := range map[string]struct {
		info jetstream.StreamInfo
		want Bucket
	}{
		"ours": {
			jetstream.StreamInfo{
				Created: created,
				Config: jetstream.StreamConfig{Name: "OBJ_ws-1", MaxBytes: 7, Metadata: map[string]string{
					"batch.example.com/cluster": "c", "batch.example.com/uid": "u", "batch.example.com/namespace": "ns",
					"batch.example.com/name": "n", "batch.example.com/retain": "true", "_nats.level": "0",
				}},
				State: jetstream.StreamState{Msgs: 2, LastSeq: 3, Bytes: 9},
			},
			Bucket{
				Name: "ws-1", Created: time.Date(2026, 11, 25, 2, 4, 5, 123456000, time.UTC), Capacity: 7, Bytes: 9, Retain: true,
				Owner: Owner{Cluster: "c", UID: "u", Namespace: "ns", Name: "n"},
			},
		},
		"somebody else's": {
			jetstream.StreamInfo{Created: created, Config: jetstream.StreamConfig{Name: "OBJ_photos", MaxBytes: -1}},
			Bucket{Name: "photos", Created: time.Date(2026, 11, 25, 2, 4, 5, 123456000, time.UTC), Capacity: -1, Blank: true},
		},
		"emptied": {
			jetstream.StreamInfo{Created: created, Config: jetstream.StreamConfig{Name: "OBJ_ws-1"}, State: jetstream.StreamState{FirstSeq: 4, LastSeq: 3}},
			Bucket{Name: "ws-1", Created: time.Date(2026, 11, 25, 2, 4, 5, 123456000, time.UTC), Emptied: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := bucketOf(&test.info)
			test.want.config = test.info.Config
			if diff := cmp.Diff(&test.want, got, cmp.AllowUnexported(Bucket{})); diff != "" {
				t.Errorf("bucketOf() (-want +got):\n%s", diff)
			}
			if got.Created.Location() != time.UTC {
				t.Errorf("Created is %s", got.Created)
			}
		})
	}
}
