package main

import (
	"reflect"

	"github.com/nats-io/nats.go/jetstream"
)

// streamPrefix and the name of a bucket are the name of the stream that it consists of.
const streamPrefix = "OBJ_"

// The marks are the entries of a bucket's metadata that say whose it is.
const (
	markUID       = "batch.example.com/uid"       // of the Workspace
	markWorkspace = "batch.example.com/workspace" // its namespace and name: "default/files"
	markCluster   = "batch.example.com/cluster"   // in which the Workspace is: the UID of the namespace kube-system
	markRetain    = "batch.example.com/retain"    // "true" if the bucket stays when the Workspace goes; else not there
)

// wantedBucket is a bucket as it should be.
type wantedBucket struct {
	name     string
	capacity int64 // in bytes
	marks    map[string]string
}

// configOf is the configuration of a bucket's stream, as every client of the object store expects it. It has the server's defaults
// too, so that it can be compared with what the server responds.
func configOf(wanted wantedBucket) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              streamPrefix + wanted.name,
		Subjects:          []string{"$O." + wanted.name + ".C.>", "$O." + wanted.name + ".M.>"}, // chunks of files, and what is known about files
		Retention:         jetstream.LimitsPolicy,
		MaxBytes:          wanted.capacity,
		MaxMsgs:           -1,
		MaxMsgSize:        -1,
		MaxMsgsPerSubject: -1,
		MaxConsumers:      -1,
		Discard:           jetstream.DiscardNew,
		Storage:           jetstream.FileStorage,
		Replicas:          1,
		AllowRollup:       true,
		AllowDirect:       true,
		Metadata:          wanted.marks,
	}
}

// setting is a setting of a bucket that others can change, and that has a meaning for files. A description may be anybody's.
type setting struct {
	name   string // as the store calls it
	locked bool   // the store never changes it back
	of     func(jetstream.StreamConfig) any
}

var settings = []setting{
	{name: "subjects", of: func(c jetstream.StreamConfig) any { return c.Subjects }},
	{name: "retention", of: func(c jetstream.StreamConfig) any { return c.Retention }},
	{name: "max_bytes", of: func(c jetstream.StreamConfig) any { return c.MaxBytes }},
	{name: "max_msgs", of: func(c jetstream.StreamConfig) any { return c.MaxMsgs }},
	{name: "max_msg_size", of: func(c jetstream.StreamConfig) any { return c.MaxMsgSize }},
	{name: "max_msgs_per_subject", of: func(c jetstream.StreamConfig) any { return c.MaxMsgsPerSubject }},
	{name: "max_age", of: func(c jetstream.StreamConfig) any { return c.MaxAge }},
	{name: "discard", of: func(c jetstream.StreamConfig) any { return c.Discard }},
	{name: "discard_new_per_subject", of: func(c jetstream.StreamConfig) any { return c.DiscardNewPerSubject }},
	{name: "num_replicas", of: func(c jetstream.StreamConfig) any { return c.Replicas }},
	{name: "compression", of: func(c jetstream.StreamConfig) any { return c.Compression }},
	{name: "no_ack", of: func(c jetstream.StreamConfig) any { return c.NoAck }},
	{name: "placement", of: func(c jetstream.StreamConfig) any { return c.Placement }},
	{name: "sources", of: func(c jetstream.StreamConfig) any { return c.Sources }},
	{name: "subject_transform", of: func(c jetstream.StreamConfig) any { return c.SubjectTransform }},
	{name: "republish", of: func(c jetstream.StreamConfig) any { return c.RePublish }},
	{name: "allow_rollup_hdrs", of: func(c jetstream.StreamConfig) any { return c.AllowRollup }},
	{name: "allow_direct", of: func(c jetstream.StreamConfig) any { return c.AllowDirect }},
	{name: "mirror_direct", of: func(c jetstream.StreamConfig) any { return c.MirrorDirect }},
	{name: "allow_atomic", of: func(c jetstream.StreamConfig) any { return c.AllowAtomicPublish }},
	{name: "allow_batched", of: func(c jetstream.StreamConfig) any { return c.AllowBatchPublish }},
	{name: "consumer_limits", of: func(c jetstream.StreamConfig) any { return c.ConsumerLimits }},
	{name: "subject_delete_marker_ttl", of: func(c jetstream.StreamConfig) any { return c.SubjectDeleteMarkerTTL }},
	{name: "metadata", of: func(c jetstream.StreamConfig) any { return ownEntries(c.Metadata) }},

	{name: "sealed", locked: true, of: func(c jetstream.StreamConfig) any { return c.Sealed }},
	{name: "deny_delete", locked: true, of: func(c jetstream.StreamConfig) any { return c.DenyDelete }},
	{name: "deny_purge", locked: true, of: func(c jetstream.StreamConfig) any { return c.DenyPurge }},
	{name: "allow_msg_ttl", locked: true, of: func(c jetstream.StreamConfig) any { return c.AllowMsgTTL }},
	{name: "allow_msg_counter", locked: true, of: func(c jetstream.StreamConfig) any { return c.AllowMsgCounter }},
	{name: "allow_msg_schedules", locked: true, of: func(c jetstream.StreamConfig) any { return c.AllowMsgSchedules }},
}

// ownEntries are those entries of a bucket's metadata that are compared with what is wanted.
func ownEntries(metadata map[string]string) map[string]string {
	//exercise:begin own-entries So far, the metadata is not compared at all, and somebody may remove your marks. But the server adds entries
	//exercise:task of its own to the metadata, and others may too. Which ones are yours?
	own := map[string]string{}
	for _, key := range []string{markUID, markWorkspace, markCluster, markRetain} {
		if value, is := metadata[key]; is {
			own[key] = value
		}
	}
	return own
	//exercise:starter return nil
	//exercise:end
}

// differing are the names of the settings, locked ones or others, that differ.
func differing(is, want jetstream.StreamConfig, locked bool) (names []string) {
	for _, one := range settings {
		if one.locked == locked && !reflect.DeepEqual(one.of(is), one.of(want)) {
			names = append(names, one.name)
		}
	}
	return names
}
