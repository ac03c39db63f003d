package scene

import (
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
)

// MarkOfOwner is the key of a bucket's metadata with the UID of the Workspace that it belongs to.
const MarkOfOwner = "batch.example.com/uid"

// StoreDown has the object store go down, as in a crash.
func (s *Scene) StoreDown() { s.Must(s.EndStore()) }

// StoreUp starts the object store again, with all that it has stored.
func (s *Scene) StoreUp() { s.Must(s.ResumeStore(s.Context())) }

// OnStore has a fault strike the next request of a kind about a Workspace's bucket: "create", "update", "delete", "get".
func (s *Scene) OnStore(action history.Action, verb, workspace string) {
	call := history.Call{Verb: verb, Resource: buckets.Resource, Object: history.Logical(workspace), Nth: 1}
	for _, r := range s.StoreRequests(workspace, 0, verb) {
		call.Nth = max(call.Nth, r.Call.Nth+1)
	}
	s.inject(history.Fault{Action: action, Call: call})
}

// StoreRequests are the controller's requests about a Workspace's bucket since a moment, with these verbs; all where there are none.
func (s *Scene) StoreRequests(workspace string, from time.Duration, verbs ...string) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Call.Resource == buckets.Resource && r.Call.Object == history.Logical(workspace) && r.Received >= from &&
			(len(verbs) == 0 || slices.Contains(verbs, r.Call.Verb))
	})
}

// Buckets are all buckets that the store has.
func (s *Scene) Buckets() []buckets.Bucket {
	all, err := s.Store.Admin.All(s.Context())
	s.Must(err)
	return all
}

// BucketOf is the bucket with the name of a Workspace's; nil where there is none.
func (s *Scene) BucketOf(workspace *v1alpha1.Workspace) *buckets.Bucket {
	for _, bucket := range s.Buckets() {
		if bucket.Name == v1alpha1.BucketName(workspace.UID) {
			return &bucket
		}
	}
	return nil
}

// ChangeBucket has somebody with the client of the store change a Workspace's bucket.
func (s *Scene) ChangeBucket(workspace *v1alpha1.Workspace, what string, change func(*jetstream.StreamConfig)) {
	s.User("%s the bucket of %s, with the client of the object store", what, workspace.Name)
	s.relies(workspace, s.Store.Admin.Change(s.Context(), v1alpha1.BucketName(workspace.UID), change))
}

// DeleteBucket has somebody with the client of the store delete a Workspace's bucket.
func (s *Scene) DeleteBucket(workspace *v1alpha1.Workspace) {
	s.User("deletes the bucket of %s, with the client of the object store", workspace.Name)
	s.Must(s.Store.Admin.Delete(s.Context(), v1alpha1.BucketName(workspace.UID)))
}

// EmptyBucket has somebody with the client of the store remove all that is stored in a Workspace's bucket.
func (s *Scene) EmptyBucket(workspace *v1alpha1.Workspace) {
	s.User("removes all that is stored in the bucket of %s, with the client of the object store", workspace.Name)
	s.relies(workspace, s.Store.Admin.Purge(s.Context(), v1alpha1.BucketName(workspace.UID)))
}

// Settings are those of a Workspace's bucket.
func (s *Scene) Settings(workspace *v1alpha1.Workspace) jetstream.StreamConfig {
	settings, err := s.Store.Admin.Settings(s.Context(), v1alpha1.BucketName(workspace.UID))
	s.relies(workspace, err)
	return settings
}

// PutFile has a program store a file in a Workspace's bucket.
func (s *Scene) PutFile(workspace *v1alpha1.Workspace, file, content string) {
	s.User("stores %s in the bucket of %s", file, workspace.Name)
	s.relies(workspace, s.Store.Admin.Put(s.Context(), v1alpha1.BucketName(workspace.UID), file, content))
}

// ReadFile is the content of a file in a Workspace's bucket; empty where there is no such file.
func (s *Scene) ReadFile(workspace *v1alpha1.Workspace, file string) string {
	content, err := s.Store.Admin.Get(s.Context(), v1alpha1.BucketName(workspace.UID), file)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return ""
	}
	s.relies(workspace, err)
	return content
}

// relies ends the check if a Workspace's bucket is not there.
func (s *Scene) relies(on *v1alpha1.Workspace, err error) {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
		s.FindAbout(on.Name, "The object store has no bucket %s of Workspace %s. It has %s.", v1alpha1.BucketName(on.UID), on.Name, s.bucketNames())
	}
	s.Must(err)
}
