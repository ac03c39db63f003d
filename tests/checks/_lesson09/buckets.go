package lesson09

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
)

// A file that somebody has left in a bucket.
const file, content = "report.txt", "all is well"

// foreign has somebody else create a bucket with the name of a Workspace's: with the same settings, without a mark, or with the mark
// of another Workspace.
func foreign(s *scene.Scene) {
	const model, unmarked, marked = "model", "unmarked", "marked"
	s.Start()
	s.CreateWorkspace(model)
	like, err := s.Store.Admin.Settings(s.Context(), v1alpha1.BucketName(s.WorkspaceReady(model).UID))
	s.Must(err)
	s.Stop()
	theirs := map[string]*v1alpha1.Workspace{}
	before := map[string]jetstream.StreamConfig{}
	for _, name := range []string{unmarked, marked} {
		object := s.CreateWorkspace(name)
		bucket := v1alpha1.BucketName(object.UID)
		settings := like
		settings.Name = "OBJ_" + bucket
		settings.Subjects = []string{"$O." + bucket + ".C.>", "$O." + bucket + ".M.>"}
		settings.Metadata = map[string]string{}
		if name == marked {
			settings.Metadata = maps.Clone(like.Metadata) // the model's
		}
		s.User("somebody else creates a bucket with the name of the bucket of Workspace %s, and stores a file in it", name)
		s.Must(s.Store.Admin.Create(s.Context(), settings))
		s.Must(s.Store.Admin.Put(s.Context(), bucket, file, content))
		before[name], err = s.Store.Admin.Settings(s.Context(), bucket)
		s.Must(err)
		theirs[name] = object
	}
	s.Start()
	for _, name := range []string{unmarked, marked} {
		s.NotReady(name, "the bucket with the name of the bucket of Workspace "+name+" is another owner's, and has other files in it")
		s.WorkspaceIs(name, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
	}
	s.Settle()
	for name, object := range theirs {
		theirsStill(s, object, before[name])
	}
	for _, name := range []string{unmarked, marked} {
		s.DeleteWorkspace(name)
		s.WorkspaceGone(name)
	}
	for name, object := range theirs {
		theirsStill(s, object, before[name])
	}
}

// theirsStill checks that another owner's bucket is as it was.
func theirsStill(s *scene.Scene, object *v1alpha1.Workspace, before jetstream.StreamConfig) {
	bucket := v1alpha1.BucketName(object.UID)
	writes := s.StoreRequests(object.Name, 0, "create", "update", "delete")
	now, err := s.Store.Admin.Settings(s.Context(), bucket)
	if err != nil {
		s.FindRequests(writes, "Bucket %s has the name of the bucket of Workspace %s, and is another owner's: its mark does not say %s. Your controller has deleted it, with the file %s in it.",
			bucket, object.Name, object.UID, file)
	}
	if now.MaxBytes != before.MaxBytes || !maps.Equal(now.Metadata, before.Metadata) {
		s.FindRequests(writes, "Bucket %s has the name of the bucket of Workspace %s, and is another owner's: its mark does not say %s. Your controller has changed its settings: %s.",
			bucket, object.Name, object.UID, fmt.Sprintf("before, its metadata was %v; now it is %v", before.Metadata, now.Metadata))
	}
}

// retained has Workspaces deleted whose buckets are to stay: from the beginning, by a later change, and by a change while the
// deletion waits for the store.
func retained(s *scene.Scene) {
	const always, later, late = "always", "later", "late"
	retain := func(object *v1alpha1.Workspace) { object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }
	s.Start()
	s.CreateWorkspace(always, retain)
	s.CreateWorkspace(later)
	s.CreateWorkspace(late)
	all := map[string]*v1alpha1.Workspace{}
	for _, name := range []string{always, later, late} {
		all[name] = s.WorkspaceReady(name)
		s.Must(s.Store.Admin.Put(s.Context(), v1alpha1.BucketName(all[name].UID), file, content))
	}
	keep := func(name string) {
		s.ChangeWorkspace(name, "sets spec.deletionPolicy of Workspace "+name+" to Retain", retain)
	}
	keep(later)
	s.WorkspaceReady(later)
	for _, name := range []string{always, later} {
		s.DeleteWorkspace(name)
		s.WorkspaceGone(name)
		stays(s, all[name])
	}

	s.StoreDown()
	s.DeleteWorkspace(late)
	s.NotReady(late, "the object store is down, so the bucket of Workspace "+late+", which is being deleted, can't be deleted")
	keep(late)
	s.Settle()
	s.StoreUp()
	s.WorkspaceGone(late)
	stays(s, all[late])
}

// stays checks that the bucket of a Workspace that is gone is still there, with its file.
func stays(s *scene.Scene, gone *v1alpha1.Workspace) {
	bucket := v1alpha1.BucketName(gone.UID)
	if got, err := s.Store.Admin.Get(s.Context(), bucket, file); err != nil || got != content {
		s.FindRequests(s.StoreRequests(gone.Name, 0), "spec.deletionPolicy of Workspace %s was Retain when it went. Its bucket %s, or the file %s in it, is gone.", gone.Name, bucket, file)
	}
}

// offline has a label of many Workspaces changed, and the controller restarted.
func offline(s *scene.Scene) {
	const many = 20
	s.Start()
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("files-%02d", i))
		s.CreateWorkspace(names[i])
	}
	for _, name := range names {
		s.WorkspaceReady(name)
	}
	s.Settle()
	from := s.Log.Now()
	for _, name := range names {
		s.ChangeWorkspace(name, "changes a label of Workspace "+name, func(object *v1alpha1.Workspace) { object.Labels = map[string]string{"team": "red"} })
	}
	s.Settle()
	askedNothing(s, from, "Only a label had changed")
	s.Restart()
	s.Settle()
	askedNothing(s, from, "Your controller had been restarted, and nothing had changed")
}

// askedNothing checks that the controller has sent the store no request about a single bucket. One look at all of them is none.
func askedNothing(s *scene.Scene, from time.Duration, when string) {
	asked := s.Requests(func(r history.Request) bool {
		return r.Call.Resource == buckets.Resource && r.Call.Object != history.None && r.Received >= from
	})
	if len(asked) > 0 {
		s.FindRequests(asked, "%s. The status of each Workspace said that the store has what its spec asks for. Your controller asked the store %d times all the same, about the bucket of %s first.",
			when, len(asked), asked[0].Call.Object)
	}
}

// conveyed has the capacity of a Workspace changed while the store is down, and that of another one whose bucket is lost.
func conveyed(s *scene.Scene) {
	const grown, lost = "grown", "lost"
	s.Start()
	s.CreateWorkspace(grown)
	s.CreateWorkspace(lost)
	object, other := s.WorkspaceReady(grown), s.WorkspaceReady(lost)
	s.Settle()
	s.StoreDown()
	from := s.Log.Now()
	s.Resize(grown, "2Mi")
	s.NotReady(grown, "the object store is down, so it has not been told of the new capacity")
	for _, version := range s.WorkspaceVersions(grown) {
		if bucket := version.Status.Bucket; bucket != nil && bucket.Generation != object.Generation {
			s.FindChange(version.Change, "The object store is down, and does not know of generation %d of Workspace %s. status.bucket.generation says that it was told.", bucket.Generation, grown)
		}
	}
	s.StoreUp()
	s.WorkspaceReady(grown)
	s.Settle()
	want := resource.MustParse("2Mi")
	if bucket := s.BucketOf(object); bucket == nil || bucket.Capacity != want.Value() {
		s.Find("Workspace %s is Ready for the generation with the capacity %s. Its bucket does not have that capacity: %s.", grown, want.String(), describe(bucket))
	}
	if updates := done(s.StoreRequests(grown, from, "update")); len(updates) > 1 {
		s.FindRequests(updates, "The capacity of Workspace %s was changed once. The store has done %d updates of its bucket.", grown, len(updates))
	}

	s.DeleteBucket(other)
	s.Resize(lost, "2Mi")
	s.NotReady(lost, "somebody has deleted the bucket of Workspace "+lost+" with all files in it")
	s.Settle()
	s.NotReady(lost, "somebody has deleted the bucket of Workspace "+lost+" with all files in it")
	if bucket := s.BucketOf(other); bucket != nil {
		s.FindRequests(s.StoreRequests(lost, from, "create", "update"), "Somebody had deleted the bucket of Workspace %s. Your controller created it again: it is empty, and looks like the one with the files.", lost)
	}
}

// done are the requests that the store has done.
func done(requests []history.Request) []history.Request {
	return slices.DeleteFunc(requests, func(r history.Request) bool { return !r.Succeeded() })
}

// describe says in words what the store has.
func describe(bucket *buckets.Bucket) string {
	if bucket == nil {
		return "there is none"
	}
	return fmt.Sprintf("it may hold %d bytes", bucket.Capacity)
}
