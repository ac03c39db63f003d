package lesson09

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
)

// finalizerFirst has the controller crash at each moment between the finalizer and the first status. Each time a user deletes the
// Workspace, or does not, before the next process starts.
func finalizerFirst(s *scene.Scene) {
	const early, guarded, made, leaving = "early", "guarded", "made", "leaving"
	const noFinalizer = "your controller has not added its finalizer to Workspace %s"
	s.Start()
	s.CreateWorkspace(files)
	plain := s.Usable(files)

	s.OnWrites(kinds.Workspace.Resource, early, proxy.CrashBefore, 1)
	object := s.CreateWorkspace(early)
	s.CrashedBy(fmt.Sprintf(noFinalizer, early))
	if bucket := s.BucketOf(object); bucket != nil {
		s.FindAbout(early, "Your controller created bucket %s of Workspace %s before the Workspace had the finalizer %s. "+
			"Then it crashed. If a user deletes the Workspace now, it is gone at once, and nobody deletes the bucket.", bucket.Name, early, v1alpha1.FinalizerBucket)
	}
	s.DeleteWorkspace(early)
	s.Start()
	s.Settle()
	s.LeftBehind(object, "A user deleted the Workspace before it had a finalizer.")

	s.OnWrites(kinds.Workspace.Resource, guarded, proxy.CrashAfterCommit, 1)
	s.CreateWorkspace(guarded)
	s.CrashedBy(fmt.Sprintf(noFinalizer, guarded))
	s.Start()
	s.EndsWithBucket(s.Usable(guarded))

	s.OnStore(proxy.CrashAfterCommit, "create", made)
	object = s.CreateWorkspace(made)
	s.CrashedBy("your controller has not asked the object store to create the bucket of Workspace " + made)
	before := s.BucketOf(object)
	s.Start()
	object = s.Usable(made)
	if now := s.BucketOf(object); !now.Created.Equal(before.Created) {
		s.FindAbout(made, "Your controller crashed right after the object store had created bucket %s, before the status could say that. "+
			"The next process has deleted it, and created another one.", now.Name)
	}
	s.EndsWithBucket(object)

	s.OnStore(proxy.CrashAfterCommit, "create", leaving)
	object = s.CreateWorkspace(leaving)
	s.CrashedBy("your controller has not asked the object store to create the bucket of Workspace " + leaving)
	s.DeleteWorkspace(leaving)
	s.Start()
	s.WorkspaceGone(leaving)
	s.LeftBehind(object, "Your controller had crashed right after the store had created the bucket, so no status said that there is one. "+
		"A user deleted the Workspace before the next process started.")

	guardedAgain(s, files)
	s.EndsWithBucket(plain)
}

// unguarded has a user remove the finalizer of a Workspace whose bucket can't be created yet, because the store is down. The event of that
// arrives once the store is up again.
func unguarded(s *scene.Scene) {
	s.AllowTimeouts()
	s.Start()
	s.StoreDown()
	object := s.CreateWorkspace(files)
	s.AwaitWorkspace(files, func(object *v1alpha1.Workspace) string {
		if hasFinalizer(object) {
			return ""
		}
		return "while the object store is down, your controller has not added its finalizer to Workspace " + files
	})
	s.Settle()
	s.HoldNext("MODIFIED", kinds.Workspace.Resource, files)
	s.ReleaseWorkspace(files, v1alpha1.FinalizerBucket)
	s.StoreUp()
	s.Comes("your controller has not asked the object store about the bucket of Workspace "+files, func() bool { return len(s.StoreRequests(files, 0)) > 0 })
	s.Settle()
	if bucket := s.BucketOf(object); bucket != nil && !hasFinalizer(s.WorkspaceNow(files)) {
		s.FindAbout(files, "A user had removed the finalizer of Workspace %s, and the event of that was late. Your controller created bucket %s all the same. "+
			"If the user deletes the Workspace now, it is gone at once, and nobody deletes the bucket.", files, bucket.Name)
	}
	s.Heal()
	s.EndsWithBucket(s.Usable(files))
}

// finalizerLast has the requests to delete buckets meet what such requests meet: an error, a connection that is cut, a response that
// is lost, a crash. And the store responds to looks that it is not available, or that it has no JetStream.
func finalizerLast(s *scene.Scene) {
	const (
		refused, unheard, dropped = "refused", "unheard", "dropped"
		cut, finished             = "cut", "finished"
		unseen, disabled          = "unseen", "disabled"
	)
	s.AllowTimeouts()
	s.Start()
	all := map[string]*v1alpha1.Workspace{}
	names := []string{refused, unheard, dropped, cut, finished, unseen, disabled, files}
	for _, name := range names {
		s.CreateWorkspace(name)
	}
	for _, name := range names {
		all[name] = s.WorkspaceReady(name)
	}
	s.Settle()
	s.OnWrites(buckets.Resource, refused, buckets.Unavailable, 2)
	s.OnStore(proxy.LoseReply, "delete", unheard)
	s.OnStore(proxy.LoseRequest, "delete", dropped)
	s.OnStore(buckets.CutAfter, "delete", cut)
	s.OnReads(buckets.Resource, unseen, buckets.Unavailable, 2)
	s.OnReads(buckets.Resource, disabled, buckets.NoResponders, 2)
	for _, name := range []string{refused, unheard, dropped, cut, unseen, disabled, files} {
		s.DeleteWorkspace(name)
	}
	s.Struck("Workspaces are being deleted, and your controller has not asked the object store to delete the bucket of each")
	for _, name := range []string{files, refused, unheard, dropped, cut, unseen, disabled} {
		s.WorkspaceGone(name)
		s.LeftBehind(all[name], "Its finalizer was there to prevent that.")
	}

	s.OnStore(proxy.CrashAfterCommit, "delete", finished)
	s.DeleteWorkspace(finished)
	s.CrashedBy("Workspace " + finished + " is being deleted, and your controller has not asked the object store to delete its bucket")
	s.Start()
	s.WorkspaceGone(finished)
	s.LeftBehind(all[finished], "Your controller had crashed before it could know that the bucket was deleted.")
}

// neverThere has users delete Workspaces that have no bucket yet: with the finalizer or without, while the store is up or down. One of
// them is gone when the controller starts with a list that still shows it.
func neverThere(s *scene.Scene) {
	const guarded, leaving, quick, offline = "guarded", "leaving", "quick", "offline"
	s.AllowTimeouts()
	s.Start()
	s.OnWrites(kinds.Workspace.Resource, guarded, proxy.CrashAfterCommit, 1)
	object := s.CreateWorkspace(guarded)
	s.CrashedBy("your controller has not added its finalizer to Workspace " + guarded)
	if s.BucketOf(object) != nil {
		s.NotJudged("it needs a Workspace without a bucket, and your controller created one before it wrote to the Workspace")
	}
	s.DeleteWorkspace(guarded)
	s.CreateWorkspace(leaving, func(object *v1alpha1.Workspace) { object.Finalizers = []string{worlds.Archived} })
	s.DeleteWorkspace(leaving)
	from := s.Log.Now()
	s.Start()
	s.Settle()
	const before = "Workspace guarded was being deleted before it had a bucket"
	s.NoCreation(guarded, from, before)
	s.WorkspaceGone(guarded)
	s.NoCreation(guarded, from, before)
	s.Settle()
	s.NoCreation(leaving, from, "Workspace leaving was being deleted, and waits for another program to remove its finalizer")
	unwritten(s, leaving)
	s.ReleaseWorkspace(leaving, worlds.Archived)
	s.WorkspaceGone(leaving)

	s.OnStore(proxy.AnswerLate, "create", quick)
	object = s.CreateWorkspace(quick)
	s.Struck("your controller has not asked the object store to create the bucket of Workspace " + quick)
	s.DeleteWorkspace(quick)
	s.Heal()
	s.WorkspaceGone(quick)
	s.LeftBehind(object, "A user deleted the Workspace while your controller waited for the response to its creation.")

	s.StoreDown()
	object = s.CreateWorkspace(offline)
	s.Noticed(offline)
	s.DeleteWorkspace(offline)
	s.Settle()
	s.StoreUp()
	s.WorkspaceGone(offline)
	s.LeftBehind(object, "The object store was down when it was created, and a user deleted it before the store was up again.")
	goneUnseen(s, "unseen", false)
	goneUnseen(s, "reused", true)
	startsStale(s, quick)
}

// goneUnseen has a user give up a Workspace whose bucket the store does not create: they delete it, and remove its finalizer by hand. They
// may create another one of its name. The events of that are late. If the controller asks about the Workspace just then, it learns of the
// deletion, so there is another try with the next one.
func goneUnseen(s *scene.Scene, name string, again bool) {
	const tries = 3
	for n := range tries {
		if !learnsOfEnd(s, fmt.Sprintf("%s-%d", name, n), again) {
			return
		}
	}
}

// learnsOfEnd plays that with one Workspace, and says whether the controller has asked about it just then.
func learnsOfEnd(s *scene.Scene, name string, again bool) (asked bool) {
	const often = 9 // with backoff, the next attempt is some time away then
	s.OnWrites(buckets.Resource, name, buckets.Unavailable, scene.Many)
	object := s.CreateWorkspace(name)
	s.Struck("your controller has not asked the object store to create the bucket of Workspace " + name)
	s.Noticed(name)
	s.Comes("your controller has not tried again to create the bucket of Workspace "+name, func() bool {
		return len(s.StoreRequests(name, 0, "create")) >= often
	})
	s.HoldNext("MODIFIED", kinds.Workspace.Resource, history.Logical(name))
	from := s.Log.Now()
	s.DeleteWorkspace(name)
	if s.WorkspaceNow(name) != nil { // the controller may have learned of the deletion by a retry, and removed it
		s.ReleaseWorkspace(name, v1alpha1.FinalizerBucket)
	}
	s.Struck("your controller does not watch Workspaces")
	gone, now := s.Log.Now(), "It was gone."
	if again {
		s.CreateWorkspace(name)
		now = "Then they created another one of that name."
	}
	about := func(since time.Duration) []history.Request {
		return s.Requests(func(r history.Request) bool {
			return r.Call.Resource == kinds.Workspace.Resource && r.Call.Object == history.Logical(name) && r.Received > since
		})
	}
	s.Comes("your controller has not tried again to do what is left to do for Workspace "+name, func() bool {
		return len(s.StoreRequests(name, gone)) > 0 || len(about(from)) > 0
	})
	asked = len(about(from)) > len(about(gone))
	noCreation := func() {
		requests := append(about(gone), s.StoreRequests(name, gone)...)
		slices.SortFunc(requests, func(a, b history.Request) int { return cmp.Compare(a.Received, b.Received) })
		for i, r := range requests {
			if i > 0 && r.Call.Verb == "create" && r.Object.Name == v1alpha1.BucketName(object.UID) { // the first one may follow from what was read before
				s.FindRequests(requests[:i+1], "The object store was not available, so a user deleted Workspace %s, and removed its finalizer by hand. %s The events of that had not reached "+
					"your controller yet, and it asked the object store to create the bucket of the first one, %s.", name, now, r.Object.Name)
			}
		}
	}
	s.Disarm()
	s.Settle()
	noCreation()
	s.Heal()
	s.Settle()
	noCreation()
	if again {
		s.EndsWithBucket(s.WorkspaceReady(name))
	}
	return asked
}

func hasFinalizer(object *v1alpha1.Workspace) bool {
	return object != nil && slices.Contains(object.Finalizers, v1alpha1.FinalizerBucket)
}

// startsStale has the controller start with each earlier state of a Workspace that is gone, as a list from a stale API server shows it.
func startsStale(s *scene.Scene, gone string) {
	for _, state := range s.WorkspaceStates(gone) {
		s.Stop()
		from := s.Log.Now()
		s.Fault("start stale at: " + state.String())
		s.Start()
		s.Struck("your controller has not listed what it watches")
		s.Settle()
		s.Heal()
		s.Settle()
		s.NoCreation(gone, from, "Workspace "+gone+" was gone when your controller started. The API server's first list was stale, and still showed it")
	}
}

// unwritten checks that the controller has not tried to add its finalizer to a Workspace that is being deleted.
func unwritten(s *scene.Scene, name string) {
	if writes := s.WorkspaceWrites(name, 0); len(writes) > 0 {
		s.FindRequests(writes, "Workspace %s was being deleted when your controller first saw it. The API server accepts no new finalizer then, and there is "+
			"nothing to clean up. Your controller wrote to it all the same (%s %s).", name, writes[0].Call.Verb, writes[0].Call.Resource)
	}
}

// downAtTheEnd has a user delete two Workspaces while the store is down. One of them has lost its bucket before. Other objects have nothing to
// do with that.
func downAtTheEnd(s *scene.Scene) {
	const lost = "lost"
	s.AllowTimeouts()
	s.Start()
	s.CreateWorkspace(files)
	s.CreateWorkspace(lost)
	object := s.WorkspaceReady(files)
	s.DeleteBucket(s.WorkspaceReady(lost))
	s.Resize(lost, "2Mi") // so the controller looks
	s.Noticed(lost)
	s.Settle()
	kept, lived := func() { keptMeanwhile(s, files, "the object store was down") }, s.Live()
	s.StoreDown()
	s.DeleteWorkspace(files)
	s.DeleteWorkspace(lost)
	s.NotReady(files, "Workspace files is being deleted while the object store is down", kept)
	s.Tell("Workspace lost is being deleted while the object store is down, so nobody can say whether its bucket is there. It was not there before, and somebody may " +
		"have restored it. So the Workspace has to wait, and say why: for the store.")
	s.WorkspaceIs(lost, v1alpha1.ConditionBucketReady, metav1.ConditionUnknown, v1alpha1.ReasonStoreUnavailable)
	s.Tell("")
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Succeeded(sample.Web)
	kept()
	if lived && !s.Live() {
		s.Find("While the object store is down, your controller does not respond to /healthz with 200, as it did before. A liveness probe asks for that, and the " +
			"kubelet kills your process again and again. No run goes on then, whether it uses a Workspace or not.")
	}
	s.StoreUp()
	s.WorkspaceGone(files)
	s.WorkspaceGone(lost)
	s.LeftBehind(object, "The object store was down when the Workspace was deleted.")
}

// refusedAtTheEnd has the store refuse to delete a bucket. It responds to everything else.
func refusedAtTheEnd(s *scene.Scene) {
	s.AllowTimeouts()
	s.Start()
	s.CreateWorkspace(files)
	object := s.WorkspaceReady(files)
	s.Settle()
	s.OnWrites(buckets.Resource, files, buckets.Unavailable, scene.Many)
	s.DeleteWorkspace(files)
	s.Struck("Workspace files is being deleted, and your controller has not asked the object store to delete its bucket")
	s.Tell("Workspace files is being deleted. The object store responds to looks, but it does not delete the bucket: it responds 503. So the Workspace has to wait, and say so.")
	s.WorkspaceIs(files, v1alpha1.ConditionBucketReady, metav1.ConditionUnknown, v1alpha1.ReasonStoreUnavailable)
	s.Tell("")
	s.Disarm()
	s.WorkspaceGone(files)
	s.LeftBehind(object, "At first, the object store did not delete it.")
}

// offlineAtTheEnd has the store respond to each request about a bucket that it is offline: the servers that have it are down. Everybody else's is there.
func offlineAtTheEnd(s *scene.Scene) {
	s.AllowTimeouts()
	s.Start()
	s.CreateWorkspace(files)
	object := s.WorkspaceReady(files)
	s.Settle()
	for _, reads := range []bool{true, false} { // whichever the controller sends
		s.Inject(history.Fault{Action: proxy.Answer500, Next: history.Next{Resource: buckets.Resource, Object: files, Reads: reads, Times: scene.Many}})
	}
	s.DeleteWorkspace(files)
	const offline = "the object store responded that its bucket was offline"
	s.NotReady(files, "Workspace files was being deleted, and "+offline, func() { keptMeanwhile(s, files, offline) })
	s.Stage.Disarm()
	s.WorkspaceGone(files)
	s.LeftBehind(object, "When the Workspace was deleted, "+offline+".")
}

// keptMeanwhile checks that a Workspace which is being deleted still has its finalizer, while the store can't say whether it has the bucket. Because says why
// it can't.
func keptMeanwhile(s *scene.Scene, name, because string) {
	const unknown = ", so nobody could know whether its bucket was deleted. It was not, and now nothing names it any more."
	switch now := s.WorkspaceNow(name); {
	case now == nil:
		s.FindAbout(name, "Workspace %s is gone. But %s"+unknown, name, because)
	case !slices.Contains(now.Finalizers, v1alpha1.FinalizerBucket):
		s.FindAbout(name, "Workspace %s has lost its finalizer %s. But %s"+unknown, name, v1alpha1.FinalizerBucket, because)
	}
}

// downAtTheStart starts the controller while the store is down.
func downAtTheStart(s *scene.Scene) {
	const user = "user"
	s.AllowTimeouts()
	s.StoreDown()
	s.CreateWorkspace(files)
	s.AboutProgram("The object store was down when your controller started.")
	s.Start()
	s.Create(user, sample.Steps(sample.Fetch), scene.Uses(files))
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Succeeded(sample.Web)
	s.OnlyJobsOf(user, "the object store was down, so its Workspace could not be ready")
	s.StoreUp()
	s.Usable(files)
	s.Complete(user, sample.Fetch)
	s.Succeeded(user)
}

// retained has buckets that are to stay: from the beginning, before a status knows of them, and since a user has changed that while the
// store was down. One user changes that back.
func retained(s *scene.Scene) {
	const kept, changed, between, later, report = "kept", "changed", "between", "-later", "report.txt"
	s.AllowTimeouts()
	s.Start()
	policy := func(object *v1alpha1.Workspace) { object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }
	s.CreateWorkspace(kept, policy)
	s.CreateWorkspace(changed)
	s.CreateWorkspace(between)
	all := map[string]*v1alpha1.Workspace{}
	for _, name := range []string{kept, changed, between} {
		all[name] = s.Usable(name)
		s.PutFile(all[name], report, name)
	}
	stays := func(name, because string) {
		if bucket := s.BucketOf(all[name]); bucket == nil {
			s.FindAbout(name, "%s, and its bucket %s is gone, with all files.", because, v1alpha1.BucketName(all[name].UID))
		}
		if content := s.ReadFile(all[name], report); content != name {
			s.FindAbout(name, "%s, and in its bucket %s the file %s has %q, where a user had stored %q.", because, v1alpha1.BucketName(all[name].UID), report, content, name)
		}
	}
	s.DeleteWorkspace(kept)
	s.WorkspaceGone(kept)
	stays(kept, "Workspace kept was deleted with spec.deletionPolicy: Retain")
	unrecorded(s, policy)
	changedBack(s, policy)

	s.Settle()
	s.StoreDown()
	s.DeleteWorkspace(changed)
	decidedLate := func(name string) {
		s.Noticed(name)
		s.ChangeWorkspace(name, "sets spec.deletionPolicy of Workspace "+name+" to Retain", policy)
		s.Settle()
		s.StoreUp()
		s.WorkspaceGone(name)
		s.CreateWorkspace(name + later) // by then, the connection is there again, with all that the client had kept to send
		s.Usable(name + later)
		stays(name, "A user set spec.deletionPolicy of Workspace "+name+" to Retain while it was being deleted and the object store was down")
	}
	decidedLate(changed)
	decidedWhileDown(s, policy)
	decidedUnseen(s, policy)

	// The connection is lost right after the look that comes before the deletion, if your controller looks.
	s.Settle()
	s.Fault("cut after reply: next 1 reads buckets")
	from := s.Log.Now()
	s.DeleteWorkspace(between)
	if !s.Comes("your controller has not asked the object store about the bucket of Workspace "+between, func() bool {
		return len(s.Requests(func(r history.Request) bool { return r.Call.Resource == buckets.Resource && r.Received > from })) > 0
	}) {
		return
	}
	s.StoreDown()
	if deletions := s.StoreRequests(between, from, "delete"); len(deletions) > 0 && deletions[0].Fault == 0 && deletions[0].Committed > 0 {
		s.StoreUp() // it did not look, and the bucket went before the user could change anything
		s.WorkspaceGone(between)
		return
	}
	decidedLate(between)
}

// decidedWhileDown has a user change the policy of a Workspace that is being deleted, while the controller is down. It starts with a stale
// list, which does not show that.
func decidedWhileDown(s *scene.Scene, retain func(*v1alpha1.Workspace)) {
	const asleep = "asleep"
	s.CreateWorkspace(asleep)
	object := s.Usable(asleep)
	s.Settle()
	s.StoreDown()
	s.DeleteWorkspace(asleep)
	s.Noticed(asleep)
	s.Settle()
	states := s.WorkspaceStates(asleep)
	s.Stop()
	s.ChangeWorkspace(asleep, "sets spec.deletionPolicy of Workspace "+asleep+" to Retain", retain)
	s.StoreUp()
	s.Fault("start stale at: " + states[len(states)-1].String())
	s.Start()
	s.Struck("your controller has not listed what it watches")
	s.Settle()
	s.Heal()
	s.WorkspaceGone(asleep)
	if s.BucketOf(object) == nil {
		s.FindAbout(asleep, "A user set spec.deletionPolicy of Workspace %s to Retain while it was being deleted and your controller was down. The API server's first list was stale, "+
			"and did not show that yet. The bucket is gone, with all files.", asleep)
	}
}

// decidedUnseen has a user change the policy of a Workspace that is being deleted, while the store is down. The event of that is late.
func decidedUnseen(s *scene.Scene, retain func(*v1alpha1.Workspace)) {
	const unseen = "unseen"
	s.CreateWorkspace(unseen)
	object := s.Usable(unseen)
	s.Settle()
	s.StoreDown()
	s.DeleteWorkspace(unseen)
	s.Noticed(unseen)
	s.Settle()
	s.HoldNext("MODIFIED", kinds.Workspace.Resource, unseen)
	s.ChangeWorkspace(unseen, "sets spec.deletionPolicy of Workspace "+unseen+" to Retain", retain)
	s.Struck("your controller does not watch Workspaces")
	stays := func() {
		if s.BucketOf(object) == nil {
			s.FindAbout(unseen, "A user set spec.deletionPolicy of Workspace %s to Retain while it was being deleted and the object store was down. When the store was up again, the event of "+
				"that had not reached your controller yet. The bucket is gone, with all files.", unseen)
		}
	}
	from := s.Log.Now()
	s.StoreUp()
	s.Comes("your controller has not tried again to do what is left to do for Workspace "+unseen, func() bool {
		return len(s.Requests(func(r history.Request) bool { return r.Call.Object == history.Logical(unseen) && r.Received > from })) > 0
	})
	s.Settle()
	stays()
	s.Heal()
	s.WorkspaceGone(unseen)
	stays()
}

// unrecorded has a user delete a Workspace that is to keep its bucket when the store has created it, and before the response arrives.
func unrecorded(s *scene.Scene, retain func(*v1alpha1.Workspace)) {
	const made = "made"
	s.OnStore(proxy.LoseReply, "create", made)
	object := s.CreateWorkspace(made, retain)
	s.Struck("your controller has not asked the object store to create the bucket of Workspace " + made)
	s.DeleteWorkspace(made)
	s.WorkspaceGone(made)
	s.Settle()
	if s.BucketOf(object) == nil {
		s.FindAbout(made, "The object store had created the bucket of Workspace %s, whose spec.deletionPolicy was Retain, and the response was lost. Then a user deleted the Workspace. "+
			"The bucket is gone.", made)
	}
}

// changedBack has a user change their mind right before the controller's finalizer goes: the bucket is not to stay.
func changedBack(s *scene.Scene, retain func(*v1alpha1.Workspace)) {
	const back = "back"
	s.CreateWorkspace(back, retain)
	object := s.Usable(back)
	s.Settle()
	s.OnWrites(kinds.Workspace.Resource, back, proxy.Answer500, scene.Many)
	s.DeleteWorkspace(back)
	s.Struck("Workspace " + back + " is being deleted, and your controller has not tried to remove its finalizer")
	changesUnseen(s, back, "remove its finalizer from", func() {
		s.ChangeWorkspace(back, "sets spec.deletionPolicy of Workspace "+back+" to Delete", func(object *v1alpha1.Workspace) {
			object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyDelete
		})
	})
	s.WorkspaceGone(back)
	s.LeftBehind(object, "A user had set spec.deletionPolicy to Delete while it was being deleted.")
}

// changesUnseen has somebody change a Workspace whose writes the API server refuses, and has the controller write again before it can know.
// The write tries to do something, like "remove its finalizer from".
func changesUnseen(s *scene.Scene, name, write string, change func()) {
	s.HoldNext("MODIFIED", kinds.Workspace.Resource, history.Logical(name))
	change()
	s.Struck("your controller does not watch Workspaces")
	from := s.Log.Now()
	s.Disarm()
	s.Comes("your controller has not tried again to "+write+" Workspace "+name, func() bool {
		return len(s.WorkspaceWrites(name, from)) > 0
	})
	s.Heal()
}
