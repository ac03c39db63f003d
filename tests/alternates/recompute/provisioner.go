package main

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	nats "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// provisioner gives Workspaces their buckets, as streams of JetStream. Each reconcile reads live what it needs, and changes one thing
// at most: the finalizers, the stream, the Secret, or the status. Then the event of the change, or a requeue, brings the next one.
type provisioner struct {
	live     client.Reader
	writer   client.Client
	streams  jetstream.JetStream
	url      string
	cluster  string        // the UID of the namespace kube-system
	interval time.Duration // between two looks at a stream for which there is no other reason
	memories sync.Map      // *memory of each Workspace, by namespace and name
}

// again is when to go on after a change outside, of which no event tells.
const again = time.Millisecond

// The marks are the entries of a stream's metadata that say whose it is.
const (
	mark        = "batch.example.com/uid"     // of the Workspace
	markCluster = "batch.example.com/cluster" // from which the stream may be swept once the Workspace is gone; not there if it is to stay
)

// connect returns a connection that outlives every outage, and keeps no request for later.
func connect(url string) (jetstream.JetStream, error) {
	connection, err := nats.Connect(url, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.ReconnectWait(300*time.Millisecond))
	if err != nil {
		return nil, err
	}
	return jetstream.New(connection, jetstream.WithDefaultTimeout(time.Second))
}

// Reconcile reconciles one Workspace.
func (p *provisioner) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := &v1alpha1.Workspace{}
	if err := p.live.Get(ctx, request.NamespacedName, object); err != nil {
		if apierrors.IsNotFound(err) {
			p.memories.Delete(request.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	held := slices.Contains(object.Finalizers, v1alpha1.FinalizerBucket)
	switch {
	case object.DeletionTimestamp != nil && held:
		return p.end(ctx, object)
	case object.DeletionTimestamp != nil:
		return ctrl.Result{}, nil
	case !held:
		object.Finalizers = append(object.Finalizers, v1alpha1.FinalizerBucket)
		return ctrl.Result{}, p.writer.Update(ctx, object)
	}
	return p.provide(ctx, object)
}

// end removes the stream, and then the finalizer. A stream that is to stay loses the mark by which it would be swept. That keeps its
// owner's mark, so that the user can still change their mind.
func (p *provisioner) end(ctx context.Context, object *v1alpha1.Workspace) (ctrl.Result, error) {
	stream, err := p.find(ctx, object)
	if err != nil {
		return ctrl.Result{}, p.failed(ctx, object, err)
	}
	own := stream != nil && stream.Config.Metadata[mark] == string(object.UID)
	switch retain := object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain; {
	case own && !retain:
		err = p.streams.DeleteStream(ctx, stream.Config.Name)
	case own && stream.Config.Metadata[markCluster] == p.cluster:
		delete(stream.Config.Metadata, markCluster)
		_, err = p.streams.UpdateStream(ctx, stream.Config) // all else as it is, which the store accepts even if it is sealed
	default:
		object.Finalizers = slices.DeleteFunc(object.Finalizers, func(one string) bool { return one == v1alpha1.FinalizerBucket })
		return ctrl.Result{}, client.IgnoreNotFound(p.writer.Update(ctx, object))
	}
	if err != nil {
		return ctrl.Result{}, p.failed(ctx, object, err)
	}
	return ctrl.Result{RequeueAfter: again}, nil
}

// provide makes the stream as the spec asks for, then the Secret, then the status. It looks at the stream until the store has been told
// the current spec, and then once in each interval.
func (p *provisioner) provide(ctx context.Context, object *v1alpha1.Workspace) (ctrl.Result, error) {
	known, told, now := p.recall(object), object.Status.Bucket, time.Now()
	bucket, next := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionBucketReady), known.look
	if bucket != nil && bucket.Reason == v1alpha1.ReasonContentLost {
		return ctrl.Result{}, p.report(ctx, object, nil, *bucket, nil)
	}
	if bucket == nil || told == nil || told.Generation != object.Generation || !now.Before(known.look) {
		stream, err := p.find(ctx, object)
		if err != nil {
			return ctrl.Result{}, p.failed(ctx, object, err)
		}
		next = now.Add(wait.Jitter(p.interval, 0.1))
		switch {
		case stream == nil && told == nil:
			_, err := p.streams.CreateStream(ctx, p.configOf(object))
			if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return ctrl.Result{}, p.failed(ctx, object, err)
			}
			return ctrl.Result{RequeueAfter: again}, nil
		case stream == nil, told != nil && !createdAt(stream).Equal(&told.Created):
			return ctrl.Result{}, p.report(ctx, object, nil, bucketIs(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "the bucket was deleted, with all files"), nil)
		case stream.Config.Metadata[mark] != string(object.UID):
			bucket = new(bucketIs(metav1.ConditionFalse, v1alpha1.ReasonBucketConflict, "the bucket of that name is another owner's; delete it"))
			next = now.Add(min(p.interval, foreignRetry))
		case told != nil && purged(stream):
			return ctrl.Result{}, p.report(ctx, object, nil, bucketIs(metav1.ConditionFalse, v1alpha1.ReasonContentLost, "all that was in the bucket was removed"), nil)
		case !reflect.DeepEqual(stream.Config, p.settingsOf(object, stream.Config)):
			update := attempt{stream.Config, p.settingsOf(object, stream.Config)}
			if bucket = known.forbids(object, update); bucket == nil {
				return p.correct(ctx, object, known, update)
			}
		case stream.State.Msgs == 0:
			if err := p.keep(ctx, object); err != nil {
				return ctrl.Result{}, p.failed(ctx, object, err)
			}
			return ctrl.Result{RequeueAfter: again}, nil
		default:
			known.sent = object.Generation
			told = &v1alpha1.BucketStatus{Name: v1alpha1.BucketName(object.UID), Created: *createdAt(stream), Generation: object.Generation}
			bucket = new(bucketIs(metav1.ConditionTrue, v1alpha1.ReasonReady, "the store has it"))
		}
	}
	var secret *corev1.Secret
	if told != nil {
		var err error
		if secret, err = p.secret(ctx, object); err != nil {
			return ctrl.Result{}, err
		}
	}
	if err := p.report(ctx, object, told, *bucket, secret); err != nil {
		return ctrl.Result{}, err
	}
	known.look = next // not before the status has what this look has shown
	return ctrl.Result{RequeueAfter: max(again, time.Until(next))}, nil
}

// find returns the stream with the name of the bucket's; nil if there is none.
func (p *provisioner) find(ctx context.Context, object *v1alpha1.Workspace) (*jetstream.StreamInfo, error) {
	stream, err := p.streams.Stream(ctx, streamOf(object))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return stream.CachedInfo(), nil
}

// secret returns the Secret of the name of the Workspace's, after it has created it if there is none, or put back what is in its own.
func (p *provisioner) secret(ctx context.Context, object *v1alpha1.Workspace) (*corev1.Secret, error) {
	secret := &corev1.Secret{}
	err := p.live.Get(ctx, client.ObjectKey{Namespace: object.Namespace, Name: v1alpha1.BindingName(object.Name)}, secret)
	wanted := map[string][]byte{
		v1alpha1.BindingType: []byte("nats"), v1alpha1.BindingURL: []byte(p.url), v1alpha1.BindingBucket: []byte(v1alpha1.BucketName(object.UID)),
	}
	switch {
	case err == nil && metav1.IsControlledBy(secret, object) && !equality.Semantic.DeepEqual(secret.Data, wanted):
		secret.Data = wanted
		return secret, p.writer.Update(ctx, secret)
	case !apierrors.IsNotFound(err):
		return secret, err
	}
	secret.Namespace, secret.Name = object.Namespace, v1alpha1.BindingName(object.Name)
	secret.Labels = map[string]string{v1alpha1.LabelWorkspace: object.Name}
	secret.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(object, v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace))}
	secret.Data = wanted
	return secret, p.writer.Create(ctx, secret)
}

// failed reports that the store did not do what it was asked for. Settings that it was told before stay recorded. Programs use the bucket as it
// is, so its Secret is put back meanwhile.
func (p *provisioner) failed(ctx context.Context, object *v1alpha1.Workspace, err error) error {
	err = errors.Join(err, p.report(ctx, object, nil, bucketIs(metav1.ConditionUnknown, v1alpha1.ReasonStoreUnavailable, "the object store does not respond as it should"), nil))
	if object.Status.Bucket != nil && object.DeletionTimestamp.IsZero() {
		_, secretErr := p.secret(ctx, object)
		err = errors.Join(err, secretErr)
	}
	return err
}

// report updates the status if it differs. Told is nil if nothing has been conveyed, and secret if it is not known.
func (p *provisioner) report(ctx context.Context, object *v1alpha1.Workspace, told *v1alpha1.BucketStatus, bucket metav1.Condition, secret *corev1.Secret) error {
	status := *object.Status.DeepCopy()
	status.ObservedGeneration = object.Generation
	if told != nil {
		status.Bucket = told
	}
	binding := metav1.Condition{Status: metav1.ConditionUnknown, Reason: v1alpha1.ReasonPending}
	switch {
	case secret == nil:
	case metav1.IsControlledBy(secret, object):
		binding.Status, binding.Reason = metav1.ConditionTrue, v1alpha1.ReasonReady
		status.Binding = &v1alpha1.BindingStatus{Name: secret.Name}
	default:
		binding.Status, binding.Reason = metav1.ConditionFalse, v1alpha1.ReasonSecretConflict
	}
	ready := bucket
	if bucket.Status == metav1.ConditionTrue {
		ready = binding
	}
	for conditionType, condition := range map[string]metav1.Condition{v1alpha1.ConditionBucketReady: bucket, v1alpha1.ConditionBindingReady: binding, v1alpha1.ConditionReady: ready} {
		condition.Type, condition.ObservedGeneration = conditionType, object.Generation
		meta.SetStatusCondition(&status.Conditions, condition)
	}
	if equality.Semantic.DeepEqual(status, object.Status) {
		return nil
	}
	object.Status = status
	return client.IgnoreNotFound(p.writer.Status().Update(ctx, object))
}

func bucketIs(status metav1.ConditionStatus, reason, message string) metav1.Condition {
	return metav1.Condition{Status: status, Reason: reason, Message: message}
}

func streamOf(object *v1alpha1.Workspace) string { return "OBJ_" + v1alpha1.BucketName(object.UID) }

// createdAt is when a stream was created, as precisely as the API stores it.
func createdAt(stream *jetstream.StreamInfo) *metav1.MicroTime {
	return new(metav1.NewMicroTime(stream.Created.UTC().Truncate(time.Microsecond)))
}

// configOf is the stream of an object store's bucket, as its clients expect it, with the server's defaults.
func (p *provisioner) configOf(object *v1alpha1.Workspace) jetstream.StreamConfig {
	name := v1alpha1.BucketName(object.UID)
	config := jetstream.StreamConfig{
		Name: streamOf(object), Subjects: []string{fmt.Sprintf("$O.%s.C.>", name), fmt.Sprintf("$O.%s.M.>", name)},
		MaxBytes: object.Spec.Capacity.Value(), Discard: jetstream.DiscardNew, AllowRollup: true, AllowDirect: true,
		MaxMsgs: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1, MaxConsumers: -1,
		Metadata: map[string]string{mark: string(object.UID)},
	}
	if object.Spec.DeletionPolicy != v1alpha1.DeletionPolicyRetain {
		config.Metadata[markCluster] = p.cluster
	}
	return config
}
