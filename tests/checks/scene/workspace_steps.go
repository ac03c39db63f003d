package scene

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// Uses has a run use a Workspace that exists.
func Uses(workspace string) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) {
		object.Spec.Workspace = &v1alpha1.WorkspaceSource{Name: &workspace}
	}
}

// Owns has a run create a Workspace for itself.
func Owns(object *v1alpha1.SequentialJob) {
	object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse(Capacity))}
}

// AllowTimeouts gives a controller time for a request without a response: its client decides how long it waits for one.
func (s *Scene) AllowTimeouts() { s.Patience *= 2 }

// Usable waits until a Workspace is ready, and checks what that means: its bucket, its Secret, and what the status says of them.
func (s *Scene) Usable(name string) *v1alpha1.Workspace {
	object := s.WorkspaceReady(name)
	bucket := s.hasBucket(object)
	wrong := func(format string, args ...any) {
		s.Find("Workspace %s says that it is ready, and %s. %s.", name, fmt.Sprintf(format, args...), SaysOfWorkspace(object))
	}
	switch said := object.Status.Bucket; {
	case !slices.Contains(object.Finalizers, v1alpha1.FinalizerBucket):
		wrong("it does not have the finalizer %s, although it has a bucket", v1alpha1.FinalizerBucket)
	case said == nil || said.Name != bucket.Name:
		wrong("status.bucket.name is not %s", bucket.Name)
	case said.Generation != object.Generation:
		wrong("status.bucket.generation is not %d, which is the generation of the spec that the store has", object.Generation)
	case !said.Created.Time.Truncate(time.Microsecond).Equal(bucket.Created.Truncate(time.Microsecond)):
		wrong("status.bucket.created is %s, and the store says that the bucket was created at %s", said.Created.UTC().Format(precise), bucket.Created.UTC().Format(precise))
	case object.Status.Binding == nil || object.Status.Binding.Name != v1alpha1.BindingName(name):
		wrong("status.binding.name is not %s", v1alpha1.BindingName(name))
	}
	s.HasSecret(object)
	return object
}

// precise is how a bucket's time of creation is written.
const precise = "2006-01-02T15:04:05.000000Z"

// hasBucket checks that a Workspace's bucket exists with its mark and capacity, and returns it.
func (s *Scene) hasBucket(object *v1alpha1.Workspace) *buckets.Bucket {
	bucket, name := s.BucketOf(object), v1alpha1.BucketName(object.UID)
	switch {
	case bucket == nil:
		s.Find("Workspace %s says that it is ready, and the object store has no bucket %s. It has %s.", object.Name, name, s.bucketNames())
	case bucket.Metadata[MarkOfOwner] != string(object.UID):
		s.Find("Bucket %s of Workspace %s does not have the Workspace's mark: its metadata has %q under %s, and the Workspace's UID is %s. "+
			"Nothing but the mark says whose a bucket is.", name, object.Name, bucket.Metadata[MarkOfOwner], MarkOfOwner, object.UID)
	case bucket.Capacity != object.Spec.Capacity.Value():
		s.Find("Workspace %s says that it is ready for generation %d, whose spec.capacity is %s, and the limit of its bucket is %d bytes. %s.",
			object.Name, object.Generation, object.Spec.Capacity.String(), bucket.Capacity, SaysOfWorkspace(object))
	}
	return bucket
}

// HasSecret checks that the Secret of a Workspace has what a program needs, and belongs to it.
func (s *Scene) HasSecret(object *v1alpha1.Workspace) {
	secret, name := &corev1.Secret{}, v1alpha1.BindingName(object.Name)
	err := s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		s.Find("Workspace %s says that it is ready, and there is no Secret %s. %s.", object.Name, name, SaysOfWorkspace(object))
	}
	s.Must(err)
	switch bucket := v1alpha1.BucketName(object.UID); {
	case !metav1.IsControlledBy(secret, object):
		s.Find("Workspace %s does not control its Secret %s, so the Secret outlives it. Its owners are: %s.", object.Name, name, OwnersOf(secret))
	case string(secret.Data[v1alpha1.BindingBucket]) != bucket:
		s.Find("The entry %s of Secret %s is %q, and the bucket of Workspace %s is %s.", v1alpha1.BindingBucket, name, secret.Data[v1alpha1.BindingBucket], object.Name, bucket)
	case string(secret.Data[v1alpha1.BindingURL]) != s.Store.URL():
		s.Find("The entry %s of Secret %s is %q, and the object store is at %s.", v1alpha1.BindingURL, name, secret.Data[v1alpha1.BindingURL], s.Store.URL())
	}
}

// bucketNames lists the buckets that the store has.
func (s *Scene) bucketNames() string {
	var names []string
	for _, bucket := range s.Buckets() {
		names = append(names, bucket.Name)
	}
	if len(names) == 0 {
		return "no buckets"
	}
	return "the buckets " + strings.Join(names, ", ")
}

// LeftBehind checks that the bucket of a Workspace that is gone is gone too.
func (s *Scene) LeftBehind(object *v1alpha1.Workspace, because string) {
	if bucket := s.BucketOf(object); bucket != nil {
		s.FindAbout(object.Name, "Workspace %s is gone, and its bucket %s is still in the object store. %s", object.Name, bucket.Name, because)
	}
}

// EndsWithBucket has a user delete a Workspace, and waits until it and its bucket are gone.
func (s *Scene) EndsWithBucket(object *v1alpha1.Workspace) {
	s.DeleteWorkspace(object.Name)
	s.WorkspaceGone(object.Name)
	s.LeftBehind(object, "Its spec.deletionPolicy was Delete.")
}

// NoCreation checks that the controller has sent no request to create a Workspace's bucket.
func (s *Scene) NoCreation(name string, from time.Duration, because string) {
	if creations := s.StoreRequests(name, from, "create"); len(creations) > 0 {
		s.FindRequests(creations, "%s, and your controller asked the object store to create its bucket %s.", because, creations[0].Object.Name)
	}
}

// FindAbout ends the check with what is wrong about a Workspace, and cites what the controller wrote to the store and to the object.
func (s *Scene) FindAbout(name, format string, args ...any) {
	requests := s.Requests(func(r history.Request) bool {
		ofStore := r.Call.Resource == buckets.Resource && r.Call.Object == history.Logical(name)
		ofObject := r.Call.Resource == kinds.Workspace.Resource && r.Object.Name == name
		return r.Write() && (ofStore || ofObject)
	})
	const most = 6
	requests = requests[max(0, len(requests)-most):]
	if len(requests) == 0 {
		s.Find(format, args...)
	}
	s.FindRequestsAt(s.Log.Now(), requests, format, args...)
}

// ReleaseWorkspace has another client remove a finalizer from a Workspace. The controller may remove its own one just then, and the
// Workspace is gone.
func (s *Scene) ReleaseWorkspace(name, finalizer string) {
	what := fmt.Sprintf("removes the finalizer %s from Workspace %s", finalizer, name)
	release := func(object *v1alpha1.Workspace) {
		object.Finalizers = slices.DeleteFunc(object.Finalizers, func(one string) bool { return one == finalizer })
	}
	if finalizer != v1alpha1.FinalizerBucket {
		s.ChangeWorkspace(name, what, release)
		return
	}
	if current := s.WorkspaceNow(name); current != nil {
		s.Must(client.IgnoreNotFound(s.patchWorkspace(current, what, release)))
	}
}

// Noticed waits until a Workspace says about its current generation that it is not ready, or until the controller has had the time to
// say so: whether it does is up to it. Meanwhile may look for what must not happen.
func (s *Scene) Noticed(name string, meanwhile ...func()) {
	s.Sync()
	s.Comes("the status of Workspace "+name+" does not say that it is not ready", func() bool {
		for _, look := range meanwhile {
			look()
		}
		now := s.WorkspaceNow(name)
		if now == nil {
			return true
		}
		ready := meta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionReady)
		return ready != nil && ready.Status != metav1.ConditionTrue && (ready.ObservedGeneration == now.Generation || now.DeletionTimestamp != nil)
	})
}

// OwnersOf names the owners of an object.
func OwnersOf(object client.Object) string {
	var all []string
	for _, owner := range object.GetOwnerReferences() {
		how := "which controls it"
		if !ptr.Deref(owner.Controller, false) {
			how = "which does not control it"
		}
		all = append(all, fmt.Sprintf("%s %s, %s", owner.Kind, owner.Name, how))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, "; ")
}

// WorkspaceStates are the events of a Workspace that have reached the controller, deletions excepted.
func (s *Scene) WorkspaceStates(name string) (states []history.Moment) {
	for _, frame := range s.Log.Run().Frames {
		m := frame.Moment
		if m.Resource == kinds.Workspace.Resource && m.Object == history.Logical(name) && m.Type != "DELETED" && frame.Delivered > 0 && !slices.Contains(states, m) {
			states = append(states, m)
		}
	}
	return states
}

// SettingsAs are the settings that the controller would give the bucket of a Workspace, by those of another one's.
func (s *Scene) SettingsAs(model, object *v1alpha1.Workspace) (settings jetstream.StreamConfig) {
	text, err := json.Marshal(s.Settings(model))
	s.Must(err)
	as := strings.NewReplacer(string(model.UID), string(object.UID), model.Name, object.Name).Replace(string(text))
	s.Must(json.Unmarshal([]byte(as), &settings))
	for key := range settings.Metadata {
		if strings.HasPrefix(key, "_nats.") { // the server's own
			delete(settings.Metadata, key)
		}
	}
	return settings
}

// SameSettings says whether the settings of a bucket are as before.
func SameSettings(before, now jetstream.StreamConfig) bool {
	a, errA := json.Marshal(before)
	b, errB := json.Marshal(now)
	return errA == nil && errB == nil && string(a) == string(b)
}
