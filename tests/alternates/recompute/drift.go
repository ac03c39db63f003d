package main

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// memory is what this process knows about a Workspace's stream besides the status. Only the Workspace's reconciles use it, of which there
// is one at a time. A restart loses it, which costs a look or an update.
type memory struct {
	uid  types.UID
	look time.Time // when to look at the stream although the store has been told the spec
	sent int64     // the generation of which the stream has had the settings

	restored int       // how often settings that others had changed were put back in a row
	last     time.Time // when
	truce    time.Time // until when they are left as they are

	refused attempt // the last update that the store refused
	why     string  // as the store says
}

// attempt is an update: the settings before it, and those that were sent.
type attempt struct{ found, wanted jetstream.StreamConfig }

// recall returns what is known about a Workspace's stream. A process that starts relies on a status that says that all is well until the
// interval is over: its start is no reason to ask the store about each stream.
func (p *provisioner) recall(object *v1alpha1.Workspace) *memory {
	fresh := &memory{uid: object.UID}
	if meta.IsStatusConditionTrue(object.Status.Conditions, v1alpha1.ConditionBucketReady) {
		fresh.look = time.Now().Add(wait.Jitter(p.interval, 0.1))
	}
	known, _ := p.memories.LoadOrStore(client.ObjectKeyFromObject(object), fresh)
	if known.(*memory).uid != object.UID { // that was an earlier Workspace of this name
		p.memories.Store(client.ObjectKeyFromObject(object), fresh)
		return fresh
	}
	return known.(*memory)
}

// settingsOf returns what a found stream should be like. What the server or its operators decide is left alone, and so are the entries that
// others have in the metadata. All else differs only if somebody has changed it, or the spec has changed.
func (p *provisioner) settingsOf(object *v1alpha1.Workspace, found jetstream.StreamConfig) jetstream.StreamConfig {
	wanted := p.configOf(object)
	wanted.Description, wanted.Replicas, wanted.Placement, wanted.Duplicates = found.Description, found.Replicas, found.Placement, found.Duplicates
	for key, value := range found.Metadata {
		if key != mark && key != markCluster {
			wanted.Metadata[key] = value
		}
	}
	return wanted
}

// forbids returns why settings that differ are not put back now; nil if they may be.
func (m *memory) forbids(object *v1alpha1.Workspace, update attempt) *metav1.Condition {
	switch {
	case reflect.DeepEqual(m.refused, update): // the store would refuse it again
		return new(bucketIs(metav1.ConditionFalse, v1alpha1.ReasonCannotRestore, "the store does not change the bucket back; copy the files to another Workspace: "+m.why))
	case m.sent == object.Generation && time.Now().Before(m.truce): // a new spec is sent once in any case
		return new(bucketIs(metav1.ConditionFalse, v1alpha1.ReasonDisputed, "others keep changing the bucket; it is put back after "+m.truce.UTC().Format(time.TimeOnly)))
	}
	return nil
}

// correct updates a stream that is not as it should be. Only the store knows which settings it never changes back.
func (p *provisioner) correct(ctx context.Context, object *v1alpha1.Workspace, known *memory, update attempt) (ctrl.Result, error) {
	const invalidConfig = jetstream.ErrorCode(10052)
	_, err := p.streams.UpdateStream(ctx, update.wanted)
	if refusal, is := errors.AsType[*jetstream.APIError](err); is && refusal.ErrorCode == invalidConfig {
		known.refused, known.why = update, refusal.Description
		return ctrl.Result{RequeueAfter: again}, nil
	}
	if err != nil {
		return ctrl.Result{}, p.failed(ctx, object, err)
	}
	if known.sent == object.Generation {
		known.putBack(time.Now())
	}
	known.sent = object.Generation
	return ctrl.Result{RequeueAfter: again}, nil
}

// putBack notes that settings were put back which others had changed. From the third time in a row on, the next time has to wait, twice as
// long each time, up to a limit. The interval has no part in that: with a short one, a busy process could miss the whole pause.
func (m *memory) putBack(now time.Time) {
	const few, first, doublings, calm = 3, 3 * time.Second, 7, time.Hour // calm is after how long without a change a row is over
	if now.Sub(m.last) > calm {
		m.restored = 0
	}
	m.restored, m.last = m.restored+1, now
	if m.restored >= few {
		m.truce = now.Add(first << min(m.restored-few, doublings))
	}
}

// keep puts an object into a bucket that has none. Each bucket gets it before it is ready: from then on, one without any content has lost it,
// even if no program has stored anything.
func (p *provisioner) keep(ctx context.Context, object *v1alpha1.Workspace) error {
	bucket, err := p.streams.ObjectStore(ctx, v1alpha1.BucketName(object.UID))
	if err != nil {
		return err
	}
	_, err = bucket.PutBytes(ctx, ".keep", nil)
	return err
}

// purged says whether a stream has had content and has none any more.
func purged(stream *jetstream.StreamInfo) bool {
	return stream.State.Msgs == 0 && stream.State.LastSeq > 0
}
