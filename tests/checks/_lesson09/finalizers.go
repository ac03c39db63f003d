package lesson09

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// archived is another client's finalizer.
const archived = "archive.example.com/files"

// interrupted has the controller crash between any two of its writes, and lose a response. A user deletes one Workspace while the
// controller is down. Then it starts with a list that still shows it.
func interrupted(s *scene.Scene) {
	const claimed, created, unrecorded, unheard = "claimed", "created", "unrecorded", "unheard"
	s.Start()
	for _, name := range []string{claimed, created, unrecorded} {
		missing := ""
		switch name {
		case claimed:
			s.OnWrites(kinds.Workspace.Resource, name, proxy.CrashAfterCommit, 1)
			missing = "your controller has not added a finalizer to Workspace " + name
		case created:
			s.OnStore(proxy.CrashAfterCommit, "create", name)
			missing = "your controller has not created the bucket of Workspace " + name
		case unrecorded:
			s.OnWrites(scene.WorkspaceStatus, name, proxy.CrashBefore, 1)
			missing = "your controller has not written the status of Workspace " + name
		}
		object := s.CreateWorkspace(name)
		s.Struck(missing)
		s.Needs("your controller's process to end", func() bool {
			_, _, killed := s.Current()
			return killed
		})
		s.DeleteWorkspace(name)
		s.Start()
		s.WorkspaceGone(name)
		nothingOf(s, object)
	}

	object := s.CreateWorkspace(unheard)
	s.OnStore(proxy.LoseReply, "create", unheard)
	s.WorkspaceReady(unheard)
	s.Struck("your controller has not created the bucket of Workspace " + unheard)
	s.DeleteWorkspace(unheard)
	s.WorkspaceGone(unheard)
	nothingOf(s, object)
	s.Settle()
	startsStale(s, object)
}

// startsStale has the controller start with each earlier state of a Workspace that is gone.
func startsStale(s *scene.Scene, gone *v1alpha1.Workspace) {
	for _, moment := range statesOf(s, history.Logical(gone.Name)) {
		s.Stop()
		s.Fault("start stale at: " + moment.String())
		s.Start()
		s.Struck("your controller has not listed what it watches")
		s.Settle()
		s.Proxy.Heal()
		s.Settle()
		if bucket := s.BucketOf(gone); bucket != nil {
			s.FindRequests(s.StoreRequests(gone.Name, 0, "create"), "Workspace %s was gone. The list with which your controller started still showed it, as of an earlier moment. "+
				"So it created bucket %s for an object that does not exist any more.", gone.Name, bucket.Name)
		}
	}
}

// statesOf are the events of a Workspace that have reached the controller, without deletions.
func statesOf(s *scene.Scene, workspace history.Logical) (states []history.Moment) {
	for _, frame := range s.Log.Run().Frames {
		m := frame.Moment
		if m.Resource == kinds.Workspace.Resource && m.Object == workspace && m.Type != "DELETED" && frame.Delivered > 0 && !slices.Contains(states, m) {
			states = append(states, m)
		}
	}
	return states
}

// nothingOf checks that nothing is left in the store of a Workspace that is gone.
func nothingOf(s *scene.Scene, gone *v1alpha1.Workspace) {
	if bucket := s.BucketOf(gone); bucket != nil {
		s.Find("Workspace %s is gone, and its bucket %s is still there. Nobody knows of it any more.", gone.Name, bucket.Name)
	}
}

// ended has the store's deletions fail in each way.
func ended(s *scene.Scene) {
	faults := map[string]history.Action{
		"refused": buckets.Unavailable, "lost": proxy.LoseRequest, "unheard": proxy.LoseReply, "cut": buckets.CutBefore, "cut-later": buckets.CutAfter,
	}
	s.Start()
	s.CreateWorkspace("plain")
	for name := range faults {
		s.CreateWorkspace(name)
	}
	all := []*v1alpha1.Workspace{s.WorkspaceReady("plain")}
	for name := range faults {
		all = append(all, s.WorkspaceReady(name))
	}
	for name, action := range faults {
		s.OnStore(action, "delete", name)
	}
	for _, object := range all {
		s.DeleteWorkspace(object.Name)
	}
	for _, object := range all {
		s.WorkspaceGone(object.Name)
		nothingOf(s, object)
	}
	s.Struck("your controller has not asked the store to delete the bucket of each Workspace")
}

// early has a Workspace deleted before the controller sees it, and another one while the store is down.
func early(s *scene.Scene) {
	const unseen, unmade = "unseen", "unmade"
	object := s.CreateWorkspace(unseen, func(object *v1alpha1.Workspace) { object.Finalizers = []string{archived} })
	s.DeleteWorkspace(unseen)
	s.Start()
	s.Settle()
	neverMade(s, object)
	release(s, unseen)
	s.WorkspaceGone(unseen)

	s.StoreDown()
	object = s.CreateWorkspace(unmade)
	s.Comes("your controller has not added its finalizer to Workspace "+unmade, func() bool {
		now := s.WorkspaceNow(unmade)
		return slices.Contains(now.Finalizers, v1alpha1.FinalizerBucket)
	})
	s.Stop()
	s.DeleteWorkspace(unmade)
	s.StoreUp()
	s.Start()
	s.WorkspaceGone(unmade)
	neverMade(s, object)
	nothingOf(s, object)
}

// neverMade checks that the controller has not created a bucket for a Workspace that was being deleted all along.
func neverMade(s *scene.Scene, object *v1alpha1.Workspace) {
	if created := s.StoreRequests(object.Name, 0, "create"); len(created) > 0 {
		s.FindRequests(created, "Workspace %s was being deleted when your controller saw it first. It created a bucket for it.", object.Name)
	}
}

// waiting has a Workspace deleted while the store is down, and a run without a Workspace at the same time.
func waiting(s *scene.Scene) {
	const going = "going"
	s.Start()
	s.CreateWorkspace(going)
	object := s.WorkspaceReady(going)
	s.StoreDown()
	s.DeleteWorkspace(going)
	s.NotReady(going, "the object store is down, so the bucket of Workspace "+going+", which is being deleted, can't be deleted")
	s.Create(sample.Web, sample.Steps(sample.Fetch))
	s.Complete(sample.Web, sample.Fetch)
	s.Succeeded(sample.Web)
	if s.WorkspaceNow(going) == nil {
		s.Find("Workspace %s is gone, although the object store has been down since before it was deleted. Its bucket is still there.", going)
	}
	s.StoreUp()
	s.WorkspaceGone(going)
	nothingOf(s, object)
}

// started has the controller start while the store is down.
func started(s *scene.Scene) {
	const files = "files"
	s.StoreDown()
	s.StartsDespite("The object store is down.")
	s.Start()
	s.CreateWorkspace(files)
	s.Create(sample.Web, sample.Steps(sample.Fetch))
	s.Complete(sample.Web, sample.Fetch)
	s.Succeeded(sample.Web)
	s.NotReady(files, "the object store has never been up")
	s.StoreUp()
	s.WorkspaceReady(files)
}

// others has another client add a finalizer while the controller does not see it, and keep it for longer than the controller keeps
// its own.
func others(s *scene.Scene) {
	const files = "files"
	s.Start()
	s.HoldNext("MODIFIED", kinds.Workspace.Resource, files)
	s.Fault("answer 500: next 1000 writes " + kinds.Workspace.Resource + " " + files) // until it is taken back
	statuses, err := stage.ParseFault("answer 500: next 1000 writes " + scene.WorkspaceStatus + " " + files)
	s.Must(err)
	s.Inject(statuses) // otherwise a controller may wait for the event of its own status write. Whether it writes one now is up to it
	object := s.CreateWorkspace(files)
	s.Until(func() string {
		if len(s.WorkspaceWrites(files, 0)) > 0 {
			return ""
		}
		return "your controller has not tried to add its finalizer to Workspace " + files
	})
	s.ChangeWorkspace(files, "another client adds the finalizer "+archived+" to Workspace "+files, func(object *v1alpha1.Workspace) {
		object.Finalizers = append(object.Finalizers, archived)
	})
	s.Struck("your controller does not watch Workspaces")
	from := s.Log.Now()
	s.Disarm()
	s.Comes("your controller has not tried again", func() bool { return len(s.WorkspaceWrites(files, from)) > 0 })
	s.Proxy.Heal()
	s.WorkspaceReady(files)
	if now := s.WorkspaceNow(files); !slices.Contains(now.Finalizers, archived) {
		s.FindRequests(s.WorkspaceWrites(files, from), "Another client had added the finalizer %s to Workspace %s. Your controller had not received that event. "+
			"It wrote the list of finalizers as it knew it, and so it removed that one. The list is now [%s].", archived, files, strings.Join(now.Finalizers, ", "))
	}

	s.DeleteWorkspace(files)
	s.Until(func() string {
		now := s.WorkspaceNow(files)
		switch {
		case now == nil:
			s.Find("Workspace %s is gone, although another client's finalizer %s was on it. Your controller removed it.", files, archived)
		case slices.Contains(now.Finalizers, v1alpha1.FinalizerBucket):
			return "Workspace " + files + " is being deleted, and your controller's finalizer is still there. It is waiting for another client's finalizer, and that client may wait for yours"
		}
		return ""
	})
	nothingOf(s, object)
	from = s.Log.Now()
	s.ChangeWorkspace(files, "changes a label of Workspace "+files, func(object *v1alpha1.Workspace) { object.Labels = map[string]string{"team": "red"} })
	s.Settle()
	if again := s.StoreRequests(files, from, "create", "update", "delete"); len(again) > 0 {
		s.FindRequests(again, "Your controller's finalizer on Workspace %s had gone, so its cleanup was done. It changed something in the object store again.", files)
	}
	release(s, files)
	s.WorkspaceGone(files)
	nothingOf(s, object)
}

// release has the other client remove its finalizer.
func release(s *scene.Scene, name string) {
	now := s.WorkspaceNow(name)
	if now == nil || !slices.Contains(now.Finalizers, archived) {
		s.Find("Another client's finalizer %s was on Workspace %s. It is gone, and that client has not removed it.", archived, name)
	}
	changed := now.DeepCopy()
	changed.Finalizers = slices.DeleteFunc(changed.Finalizers, func(one string) bool { return one == archived })
	s.User("the other client removes its finalizer from Workspace %s", name)
	s.Must(s.Client.Patch(s.Context(), changed, client.MergeFromWithOptions(now, client.MergeFromWithOptimisticLock{})))
}
