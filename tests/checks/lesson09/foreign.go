package lesson09

import (
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// notYours has buckets in the store that have the names of Workspaces' buckets, and the settings that your controller gives its own.
// One has the mark of another Workspace, and one has none. A third one was the Workspace's own until somebody gave it another mark.
func notYours(s *scene.Scene) {
	const model, taken, bare, report = "model", "taken", "bare", "report.txt"
	s.Start()
	s.CreateWorkspace(model)
	like := s.Usable(model)
	s.Stop()
	all, before := map[string]*v1alpha1.Workspace{}, map[string]jetstream.StreamConfig{}
	for _, name := range []string{taken, bare} {
		object := s.CreateWorkspace(name)
		settings := s.SettingsAs(like, object)
		whose := "without a mark"
		if name == bare {
			settings.Metadata = nil
		} else {
			settings.Metadata[scene.MarkOfOwner] = another
			whose = "with the mark of another Workspace"
		}
		s.User("has a bucket %s in the object store, %s", v1alpha1.BucketName(object.UID), whose)
		s.Must(s.Store.Admin.Create(s.Context(), settings))
		s.PutFile(object, report, name)
		all[name], before[name] = object, s.Settings(object)
	}
	untouched := func(name string) {
		object := all[name]
		if s.BucketOf(object) == nil {
			s.FindAbout(name, "Bucket %s had the name of Workspace %s's bucket, and not its mark, so it is somebody else's. Your controller deleted it, with all files.",
				v1alpha1.BucketName(object.UID), name)
		}
		if now := s.Settings(object); !scene.SameSettings(before[name], now) {
			s.FindAbout(name, "Bucket %s had the name of Workspace %s's bucket, and not its mark, so it is somebody else's. Your controller changed it.",
				v1alpha1.BucketName(object.UID), name)
		}
		if content := s.ReadFile(object, report); content != name {
			s.FindAbout(name, "Bucket %s is somebody else's, and its file %s is lost.", v1alpha1.BucketName(object.UID), report)
		}
	}
	conflict := func(name string) {
		s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
			if scene.IsReady(object) {
				s.FindAbout(name, "Workspace %s says that it is ready. But the bucket of that name was there before, %s. %s.", name, markOf(before[name]), scene.SaysOfWorkspace(object))
			}
			return ""
		})
		s.WorkspaceIs(name, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
		if now := s.WorkspaceNow(name); meta.IsStatusConditionTrue(now.Status.Conditions, v1alpha1.ConditionBindingReady) {
			s.FindAbout(name, "Bucket %s is somebody else's. The status of Workspace %s says that a Secret has what programs need to use it. %s.",
				v1alpha1.BucketName(now.UID), name, scene.SaysOfWorkspace(now))
		}
	}
	s.Start()
	for name := range all {
		s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
			if len(object.Status.Conditions) == 0 {
				return "Workspace " + name + " has no status"
			}
			return ""
		})
	}
	s.Settle()
	for _, name := range []string{taken, bare} {
		conflict(name)
		untouched(name)
	}
	s.Resize(taken, "2Mi")
	s.Noticed(taken)
	s.Settle()
	conflict(taken)
	untouched(taken)

	object := s.Usable(model)
	s.PutFile(object, report, model)
	s.ChangeBucket(object, "gives another Workspace's mark to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = another })
	all[model], before[model] = object, s.Settings(object)
	s.Resize(model, "2Mi")
	s.NotReady(model, "Somebody gave another Workspace's mark to the bucket of Workspace model", func() { untouched(model) })
	s.Settle()
	untouched(model)
	for _, name := range []string{taken, bare, model} {
		s.DeleteWorkspace(name)
		s.WorkspaceGone(name)
		untouched(name)
	}
	lateWrite(s, like)
}

// lateWrite has the controller crash after it has sent its first request for a bucket, which is on its way for a while. Meanwhile, somebody
// creates a bucket of that name.
func lateWrite(s *scene.Scene, like *v1alpha1.Workspace) {
	const late, report = "late", "report.txt"
	s.OnWrites(buckets.Resource, late, proxy.CommitLate, 1)
	object := s.CreateWorkspace(late)
	s.CrashedBy("your controller has not asked the object store to create the bucket of Workspace " + late)
	settings := s.SettingsAs(like, object)
	settings.Metadata[scene.MarkOfOwner], settings.MaxBytes = another, settings.MaxBytes*2
	s.User("has a bucket %s in the object store, with the mark of another Workspace", settings.Name)
	s.Must(s.Store.Admin.Create(s.Context(), settings))
	s.PutFile(object, report, late)
	before := s.Settings(object)
	untouched := func() {
		if now := s.Settings(object); !scene.SameSettings(before, now) {
			s.FindAbout(late, "Your controller looked for bucket %s of Workspace %s, which did not exist, and asked the object store for it. Before that request arrived, somebody else "+
				"created a bucket of that name. The request has replaced its settings.", v1alpha1.BucketName(object.UID), late)
		}
	}
	s.Heal()
	s.Start()
	s.NotReady(late, "Before your controller's first request for its bucket arrived, somebody else created a bucket of that name", untouched)
	s.WorkspaceIs(late, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
	s.Settle()
	untouched()
	s.DeleteWorkspace(late)
	s.WorkspaceGone(late)
	if content := s.ReadFile(object, report); content != late {
		s.FindAbout(late, "Bucket %s is somebody else's, and its file %s is lost.", v1alpha1.BucketName(object.UID), report)
	}
}

// comesAndGoes has somebody replace a Workspace's bucket by one of another Workspace while the controller is down, and delete that one
// too, later.
func comesAndGoes(s *scene.Scene) {
	const lost = "lost"
	s.Start()
	s.CreateWorkspace(lost)
	object := s.Usable(lost)
	settings := s.SettingsAs(object, object)
	settings.Metadata[scene.MarkOfOwner] = another
	s.Stop()
	s.DeleteBucket(object)
	s.User("has a bucket %s in the object store, with the mark of another Workspace", settings.Name)
	s.Must(s.Store.Admin.Create(s.Context(), settings))
	s.Resize(lost, "2Mi")
	from := s.Log.Now()
	s.Start()
	s.WorkspaceIs(lost, v1alpha1.ConditionReady, metav1.ConditionFalse)
	s.Settle()
	s.DeleteBucket(object)
	s.Resize(lost, "3Mi")
	const because = "Somebody deleted the bucket of Workspace lost, with all files. For a while, a bucket of another Workspace had its name"
	s.NotReady(lost, because, func() { s.NoCreation(lost, from, because) })
	s.Settle()
	s.NoCreation(lost, from, because)
	if now := s.WorkspaceNow(lost); scene.IsReady(now) {
		s.FindAbout(lost, "%s. Your controller says that the Workspace is ready, so runs go on without their files. %s.", because, scene.SaysOfWorkspace(now))
	}
}

// givenBack has the bucket of a Workspace bear another's mark until the status says so. It has its own again when a user deletes the Workspace.
func givenBack(s *scene.Scene) {
	const returned = "returned"
	s.Start()
	s.CreateWorkspace(returned)
	object := s.Usable(returned)
	own := s.Settings(object).Metadata[scene.MarkOfOwner]
	s.ChangeBucket(object, "gives another Workspace's mark to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = another })
	s.Resize(returned, "2Mi")
	s.WorkspaceIs(returned, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
	s.Settle()
	s.Stop()
	s.ChangeBucket(object, "gives its own mark back to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = own })
	s.DeleteWorkspace(returned)
	s.Start()
	s.WorkspaceGone(returned)
	s.LeftBehind(object, "Its bucket had another Workspace's mark for a while, which the status said. When the Workspace was deleted, the bucket had its own mark again. Only the "+
		"store knows whose a bucket is now.")
}

// another is the UID of a Workspace that is not of this cluster.
const another = "00000000-0000-4000-8000-0000000000f1"

// markOf says what a foreign bucket's mark is.
func markOf(settings jetstream.StreamConfig) string {
	if settings.Metadata[scene.MarkOfOwner] == "" {
		return "without a mark"
	}
	return "with the mark of another Workspace"
}

// othersFinalizers has another client add a finalizer between the controller's read of a Workspace and its write, and keep the
// Workspace for a while once it is deleted.
func othersFinalizers(s *scene.Scene) {
	const raced = "raced"
	s.Start()
	s.OnWrites(kinds.Workspace.Resource, raced, proxy.Answer500, scene.Many)
	s.CreateWorkspace(raced)
	s.Struck("your controller has not added its finalizer to Workspace " + raced)
	changesUnseen(s, raced, "add its finalizer to", func() {
		s.ChangeWorkspace(raced, "adds the finalizer "+worlds.Archived+" to Workspace "+raced, func(object *v1alpha1.Workspace) {
			object.Finalizers = append(object.Finalizers, worlds.Archived)
		})
	})
	theirsStays(s, raced, worlds.Archived)
	object := s.Usable(raced)
	s.Settle()
	theirsStays(s, raced, worlds.Archived)

	s.DeleteWorkspace(raced)
	s.Until(func() string {
		now := s.WorkspaceNow(raced)
		if now == nil {
			theirsStays(s, raced, worlds.Archived)
		}
		if slices.Contains(now.Finalizers, v1alpha1.FinalizerBucket) {
			return "Workspace " + raced + " is being deleted, and your controller has not removed its finalizer, which does not have to wait for those of others"
		}
		return ""
	})
	theirsStays(s, raced, worlds.Archived)
	s.LeftBehind(object, "What is left of it has only another program's finalizer.")
	s.Settle()
	from := s.Log.Now()
	s.Annotate(s.WorkspaceNow(raced))
	s.Settle()
	s.Restart()
	s.Settle()
	if again := s.StoreRequests(raced, from, "create", "update", "delete"); len(again) > 0 {
		s.FindRequests(again, "Workspace %s was being deleted, its bucket was gone and your controller had removed its own finalizer, so it had nothing left to do. "+
			"Another program's finalizer kept the Workspace. Your controller asked the object store to %s the bucket.", raced, again[0].Call.Verb)
	}
	if writes := s.WorkspaceWrites(raced, from); len(writes) > 0 {
		s.FindRequests(writes, "Workspace %s was being deleted, and your controller had removed its own finalizer, so it had nothing left to do. "+
			"Another program's finalizer kept the Workspace. Your controller wrote to it (%s %s).", raced, writes[0].Call.Verb, writes[0].Call.Resource)
	}
	theirsStays(s, raced, worlds.Archived)
	s.ReleaseWorkspace(raced, worlds.Archived)
	s.WorkspaceGone(raced)
	shiftedFinalizers(s)
}

// theirsStays checks that no write of the controller has removed another client's finalizer.
func theirsStays(s *scene.Scene, name, finalizer string) {
	had := false
	for _, v := range s.WorkspaceVersions(name) {
		has := slices.Contains(v.Finalizers, finalizer)
		if had && !has {
			s.FindChange(v.Change, "Another client had added its finalizer %s to Workspace %s. Your controller's write removed it: afterwards the list was [%s].",
				finalizer, name, strings.Join(v.Finalizers, ", "))
		}
		had = has
	}
	if s.WorkspaceNow(name) == nil {
		s.Find("Workspace %s is gone. Another client had added its finalizer %s to it, and has not removed it.", name, finalizer)
	}
}

// shiftedFinalizers has a Workspace with two finalizers of others, one before the controller's and one after it. The first one goes
// between the controller's read and its write, at the end.
func shiftedFinalizers(s *scene.Scene) {
	const between, index = "between", "example.com/index"
	s.CreateWorkspace(between, func(object *v1alpha1.Workspace) { object.Finalizers = []string{worlds.Archived} })
	object := s.Usable(between)
	s.ChangeWorkspace(between, "adds the finalizer "+index+" to Workspace "+between, func(object *v1alpha1.Workspace) {
		object.Finalizers = append(object.Finalizers, index)
	})
	s.Settle()
	s.OnWrites(kinds.Workspace.Resource, between, proxy.Answer500, scene.Many)
	s.DeleteWorkspace(between)
	s.Struck("Workspace " + between + " is being deleted, and your controller has not tried to remove its finalizer")
	changesUnseen(s, between, "remove its finalizer from", func() { s.ReleaseWorkspace(between, worlds.Archived) })
	theirsStays(s, between, index)
	s.Settle()
	theirsStays(s, between, index)
	s.ReleaseWorkspace(between, index)
	s.WorkspaceGone(between)
	s.LeftBehind(object, "Its spec.deletionPolicy was Delete.")
}
