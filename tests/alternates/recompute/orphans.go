package main

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// sweepAgain sweeps at the start, and then after each interval, until ctx is done.
func (p *provisioner) sweepAgain(ctx context.Context) error {
	wait.JitterUntilWithContext(ctx, func(ctx context.Context) {
		if err := p.sweep(ctx); err != nil {
			ctrl.LoggerFrom(ctx).Error(err, "looking for streams whose Workspaces are gone")
		}
	}, p.interval, 0.1, true)
	return nil
}

// sweep deletes the streams whose Workspaces are gone: somebody has removed a finalizer by hand, or a request of a dead process was done
// late. The order makes it safe. Each marked stream had a Workspace before it was listed. So one that the API server does not have after
// that is gone, and its UID never comes back.
func (p *provisioner) sweep(ctx context.Context) error {
	streams, orphans := p.streams.ListStreams(ctx), map[types.UID]string{}
	for stream := range streams.Info() {
		if owner := p.ownerOf(stream.Config); owner != "" {
			orphans[owner] = stream.Config.Name
		}
	}
	if err := streams.Err(); err != nil {
		return err
	}
	workspaces := &metav1.PartialObjectMetadataList{}
	workspaces.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace + "List"))
	if err := p.live.List(ctx, workspaces); err != nil {
		return err
	}
	for i := range workspaces.Items {
		delete(orphans, workspaces.Items[i].UID)
	}
	var failed []error
	for owner, name := range orphans {
		stream, err := p.streams.Stream(ctx, name)
		if err == nil && p.ownerOf(stream.CachedInfo().Config) == owner { // it may have been unmarked since, in order to stay
			err = p.streams.DeleteStream(ctx, name)
		}
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

// ownerOf is the UID of the Workspace without which a stream would be an orphan; empty if it is not for this cluster's controller to delete.
func (p *provisioner) ownerOf(config jetstream.StreamConfig) types.UID {
	owner := types.UID(config.Metadata[mark])
	if config.Metadata[markCluster] != p.cluster || config.Name != "OBJ_"+v1alpha1.BucketName(owner) {
		return ""
	}
	return owner
}
