package buckets

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// streamPrefix and a bucket's name are the name of its stream.
const streamPrefix = "OBJ_"

// The keys of a bucket's metadata that are ours.
const (
	keyCluster   = "batch.example.com/cluster"
	keyUID       = "batch.example.com/uid"
	keyNamespace = "batch.example.com/namespace"
	keyName      = "batch.example.com/name"
	keyRetain    = "batch.example.com/retain" // "true", or not there
)

// configOf is the configuration of a bucket's stream: that of jetstream.CreateObjectStore, which every client expects. Here it
// has the defaults of the server too, so that it can be compared with what the server returns.
func configOf(w Wanted) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              streamOf(w.Name),
		Description:       fmt.Sprintf("Workspace %s in namespace %s", w.Owner.Name, w.Owner.Namespace),
		Subjects:          []string{"$O." + w.Name + ".C.>", "$O." + w.Name + ".M.>"}, // chunks, and what is known about objects
		Retention:         jetstream.LimitsPolicy,
		MaxConsumers:      -1,
		MaxMsgs:           -1,
		MaxBytes:          w.Capacity,
		MaxMsgsPerSubject: -1,
		MaxMsgSize:        -1,
		Discard:           jetstream.DiscardNew,
		Storage:           jetstream.FileStorage,
		Replicas:          1,
		AllowRollup:       true,
		AllowDirect:       true,
		Metadata:          marks(w),
	}
}

// settings are the fields by which a bucket is compared with what is wanted. They are listed one by one because the server adds
// values that nobody has set: duplicate_window, and metadata about its own version.
var settings = []struct {
	name   string // as the store calls it
	locked bool   // the store does not change it back
	value  func(jetstream.StreamConfig) any
}{
	{name: "description", value: func(c jetstream.StreamConfig) any { return c.Description }},
	{name: "subjects", value: func(c jetstream.StreamConfig) any { return c.Subjects }},
	{name: "retention", value: func(c jetstream.StreamConfig) any { return c.Retention }},
	{name: "max_consumers", value: func(c jetstream.StreamConfig) any { return c.MaxConsumers }},
	{name: "max_msgs", value: func(c jetstream.StreamConfig) any { return c.MaxMsgs }},
	{name: "max_bytes", value: func(c jetstream.StreamConfig) any { return c.MaxBytes }},
	{name: "max_age", value: func(c jetstream.StreamConfig) any { return c.MaxAge }},
	{name: "max_msgs_per_subject", value: func(c jetstream.StreamConfig) any { return c.MaxMsgsPerSubject }},
	{name: "max_msg_size", value: func(c jetstream.StreamConfig) any { return c.MaxMsgSize }},
	{name: "discard", value: func(c jetstream.StreamConfig) any { return c.Discard }},
	{name: "discard_new_per_subject", value: func(c jetstream.StreamConfig) any { return c.DiscardNewPerSubject }},
	{name: "num_replicas", value: func(c jetstream.StreamConfig) any { return c.Replicas }},
	{name: "placement", value: func(c jetstream.StreamConfig) any { return c.Placement }},
	{name: "no_ack", value: func(c jetstream.StreamConfig) any { return c.NoAck }},
	{name: "compression", value: func(c jetstream.StreamConfig) any { return c.Compression }},
	{name: "allow_rollup_hdrs", value: func(c jetstream.StreamConfig) any { return c.AllowRollup }},
	{name: "allow_direct", value: func(c jetstream.StreamConfig) any { return c.AllowDirect }},
	{name: "mirror_direct", value: func(c jetstream.StreamConfig) any { return c.MirrorDirect }},
	{name: "allow_atomic", value: func(c jetstream.StreamConfig) any { return c.AllowAtomicPublish }},
	{name: "allow_batched", value: func(c jetstream.StreamConfig) any { return c.AllowBatchPublish }},
	{name: "sources", value: func(c jetstream.StreamConfig) any { return c.Sources }},
	{name: "subject_transform", value: func(c jetstream.StreamConfig) any { return c.SubjectTransform }},
	{name: "republish", value: func(c jetstream.StreamConfig) any { return c.RePublish }},
	{name: "consumer_limits", value: func(c jetstream.StreamConfig) any { return c.ConsumerLimits }},
	{name: "subject_delete_marker_ttl", value: func(c jetstream.StreamConfig) any { return c.SubjectDeleteMarkerTTL }},
	{name: "metadata", value: func(c jetstream.StreamConfig) any { return ours(c.Metadata) }},

	{name: "storage", locked: true, value: func(c jetstream.StreamConfig) any { return c.Storage }},
	{name: "sealed", locked: true, value: func(c jetstream.StreamConfig) any { return c.Sealed }},
	{name: "deny_delete", locked: true, value: func(c jetstream.StreamConfig) any { return c.DenyDelete }},
	{name: "deny_purge", locked: true, value: func(c jetstream.StreamConfig) any { return c.DenyPurge }},
	{name: "allow_msg_ttl", locked: true, value: func(c jetstream.StreamConfig) any { return c.AllowMsgTTL }},
	{name: "allow_msg_counter", locked: true, value: func(c jetstream.StreamConfig) any { return c.AllowMsgCounter }},
	{name: "allow_msg_schedules", locked: true, value: func(c jetstream.StreamConfig) any { return c.AllowMsgSchedules }},
	{name: "persist_mode", locked: true, value: func(c jetstream.StreamConfig) any { return c.PersistMode }},
}

// differing returns the names of the settings, locked ones or others, that differ.
func differing(is, want jetstream.StreamConfig, locked bool) []string {
	var names []string
	for _, setting := range settings {
		if setting.locked == locked && !reflect.DeepEqual(setting.value(is), setting.value(want)) {
			names = append(names, setting.name)
		}
	}
	return names
}

// marks are our metadata of a bucket.
func marks(w Wanted) map[string]string {
	metadata := map[string]string{
		keyCluster:   w.Owner.Cluster,
		keyUID:       w.Owner.UID,
		keyNamespace: w.Owner.Namespace,
		keyName:      w.Owner.Name,
	}
	if w.Retain {
		metadata[keyRetain] = "true"
	}
	return metadata
}

// marksOf reads what marks made.
func marksOf(metadata map[string]string) (owner Owner, retain bool) {
	owner = Owner{Cluster: metadata[keyCluster], UID: metadata[keyUID], Namespace: metadata[keyNamespace], Name: metadata[keyName]}
	return owner, metadata[keyRetain] == "true"
}

// ours is the part of a bucket's metadata that is ours.
func ours(metadata map[string]string) map[string]string {
	part := map[string]string{}
	for _, key := range []string{keyCluster, keyUID, keyNamespace, keyName, keyRetain} {
		if value, ok := metadata[key]; ok {
			part[key] = value
		}
	}
	return part
}

func streamOf(bucket string) string { return streamPrefix + bucket }

func nameOf(stream string) string { return strings.TrimPrefix(stream, streamPrefix) }
