package lesson10

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// another is the UID of a Workspace that does not exist.
const another = "00000000-0000-4000-8000-0000000000f1"

// reapplied has somebody change the limit of a bucket, and then nobody. While the controller is down, the bucket gets another owner's mark.
func reapplied(s *scene.Scene) {
	for _, way := range s.Ways(scene.Reapply) {
		object := begin(s, way, short, files)[files]
		putBack(s, object, halved)
		if way == scene.Reapply {
			sendsAgain(s, object)
		}
		s.Stop()
		s.ChangeBucket(object, "gives another owner's mark, and another limit, to", func(c *jetstream.StreamConfig) {
			c.Metadata[scene.MarkOfOwner] = another
			c.MaxBytes *= 2
		})
		theirs := s.Settings(object)
		s.Start()
		s.LooksAgain(files, 2)
		if !scene.SameSettings(theirs, settingsOf(s, object)) {
			s.FindAbout(files, "The bucket of Workspace %s had another owner's mark when your controller started. With %s, your controller replaced its settings: it has taken the bucket over.",
				files, s.Flags())
		}
		s.WorkspaceIs(files, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
	}
}

// sendsAgain waits until the controller has sent the settings of a bucket twice, which nobody has changed. It may not write the status.
func sendsAgain(s *scene.Scene, object *v1alpha1.Workspace) {
	from := s.Log.Now()
	s.UntilMeanwhile(func() string {
		if updates := s.StoreRequests(object.Name, from, "update"); len(updates) < 2 {
			return fmt.Sprintf("with %s, your controller has sent the settings of the bucket of Workspace %s %s since, and not twice: after each interval, it has to send them again",
				s.Flags(), object.Name, scene.Counted(len(updates), "time", "times"))
		}
		return ""
	})
	s.Sync()
	status := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == scene.WorkspaceStatus && r.Received >= from
	})
	if len(status) > 1 {
		s.FindRequests(status, "With %s, your controller wrote the status of Workspace %s each time it sent the settings, although nothing had changed.", s.Flags(), object.Name)
	}
}

// polled has somebody change the limit of a bucket. Then somebody adds an entry to its metadata, which concerns nobody else. Another bucket
// is sealed, and later deleted.
func polled(s *scene.Scene) {
	const sealed = "sealed"
	for _, way := range s.Ways(scene.Poll) {
		all := begin(s, way, short, files, sealed)
		object := all[files]
		s.LooksAgain(files, 1)
		from := s.Log.Now()
		s.LooksAgain(files, 3)
		unwritten(s, files, from, "Nobody had changed the bucket")
		putBack(s, object, halved)
		s.ChangeBucket(object, "adds an entry to the metadata of", func(c *jetstream.StreamConfig) { c.Metadata["team"] = "red" })
		from = s.Log.Now()
		s.LooksAgain(files, 4)
		unwritten(s, files, from, "Somebody added an entry of their own to the metadata")
		seal := locked["sealed"]
		s.ChangeBucket(all[sealed], seal.what, seal.make)
		s.WorkspaceIs(sealed, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore)
		s.LooksAgain(files, 1)
		from = s.Log.Now()
		s.DeleteBucket(all[sealed])
		awaitLost(s, sealed, from, "Somebody sealed the bucket of Workspace sealed, and later deleted it")
		s.Stop()
	}
}

// many is how many Workspaces the situations of listed have.
const many = 12

// crowd are their names.
func crowd() []string {
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("%s-%d", files, i+1))
	}
	return names
}

// listed has many Workspaces, of whose buckets somebody changes two, one of them twice in the same way.
func listed(s *scene.Scene) {
	names := crowd()
	for _, way := range s.Ways(scene.Poller) {
		all := begin(s, way, short, names...)
		if way == scene.Poller {
			listsOnly(s, names[0])
			readsNothing(s, names[0])
		}
		unreadable(s, all[names[0]])
		from := s.Log.Now()
		putBack(s, all[names[many-1]], halved)
		putBack(s, all[names[0]], halved)
		putBack(s, all[names[0]], halved) // before the next look, if that is possible
		for _, name := range names[1 : many-1] {
			unwritten(s, name, from, "Somebody changed the buckets of two other Workspaces")
		}
		s.Stop()
	}
}

// deletedMeanwhile has somebody delete the buckets of many Workspaces while the controller is down.
func deletedMeanwhile(s *scene.Scene) {
	names := crowd()
	for _, way := range s.Ways(scene.Poller) {
		all := begin(s, way, short, names...)
		s.Stop()
		for _, name := range names {
			s.DeleteBucket(all[name])
		}
		from := s.Log.Now()
		s.Start()
		for _, name := range names {
			awaitLost(s, name, from, "Somebody deleted the buckets of all Workspaces while your controller was down")
		}
		s.Stop()
	}
}

// listsOnly waits for some lists of all buckets, and checks that the controller looks at none by itself. One of the Workspaces is name.
func listsOnly(s *scene.Scene, name string) {
	s.LooksAgain(name, 1)
	from := s.Log.Now()
	s.Until(func() string {
		if lists := listRequests(s, from); len(lists) < 3 {
			single := singleLooks(s, from)
			if len(single) > 2*many {
				s.FindRequests(single, "There are %d Workspaces. With %s, your controller looks at each bucket by itself: it has sent %d requests. One list shows all of them.",
					many, s.Flags(), len(single))
			}
			return fmt.Sprintf("with %s, your controller has listed all buckets %s since, and not three times", s.Flags(), scene.Counted(len(lists), "time", "times"))
		}
		return ""
	})
	if single := singleLooks(s, from); len(single) > 0 {
		s.FindRequests(single, "There are %d Workspaces, and nobody has changed a bucket. With %s, your controller listed all buckets, and looked at single ones besides: "+
			"it has sent %s. The list had shown that they are as they should be.", many, s.Flags(), scene.Counted(len(single), "request", "requests"))
	}
}

// unreadable adds a bucket that would be an orphan of this cluster's, if its mark had the name of a Workspace: it has one slash too many.
func unreadable(s *scene.Scene, like *v1alpha1.Workspace) {
	settings := foreign(v1alpha1.BucketName(another))
	settings.Metadata = map[string]string{}
	for key, value := range s.SettingsAs(like, like).Metadata {
		value = strings.ReplaceAll(value, string(like.UID), another)
		settings.Metadata[key] = strings.ReplaceAll(value, like.Name, "gone/"+like.Name)
	}
	s.User("creates bucket %s in the object store, with your controller's marks, and changes the Workspace's name there to gone/%s", v1alpha1.BucketName(another), like.Name)
	s.Must(s.Store.Admin.Create(s.Context(), settings))
}

// hidden has somebody copy a bucket with its marks, and a user take the name of its Workspace's Secret, so that the Workspace is not ready. Then somebody
// changes the bucket.
func hidden(s *scene.Scene) {
	for _, way := range s.Ways(scene.Poller) {
		object := begin(s, way, short, files)[files]
		copied := s.SettingsAs(object, object)
		copied.Name, copied.Subjects = "OBJ_copy", []string{"$O.copy.C.>", "$O.copy.M.>"}
		s.User("creates bucket copy in the object store, with all marks of that of Workspace %s", files)
		s.Must(s.Store.Admin.Create(s.Context(), copied))
		secretTaken(s, files)
		s.WorkspaceIs(files, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonSecretConflict)
		if way == scene.Poller {
			s.LooksAgain(files, 1)
		}
		putBack(s, object, halved)
	}
}

// neverBound has a user take the name of a Workspace's Secret before the Workspace exists, so no program has been told of its bucket. Then
// somebody empties the bucket, of which the store tells nobody.
func neverBound(s *scene.Scene) {
	for _, way := range s.Ways(scene.Poller) {
		begin(s, way, short)
		theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.BindingName(files)}}
		s.User("creates Secret %s, which belongs to no Workspace", theirs.Name)
		s.Must(s.Client.Create(s.Context(), theirs))
		object := s.CreateWorkspace(files)
		s.WorkspaceIs(files, v1alpha1.ConditionBucketReady, metav1.ConditionTrue)
		s.WorkspaceIs(files, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonSecretConflict)
		if way == scene.Poller {
			s.LooksAgain(files, 1)
		}
		from := s.Log.Now()
		s.EmptyBucket(object)
		awaitLost(s, files, from, "Somebody removed all that was in the bucket of Workspace "+files+", whose Secret can't be created")
		s.EndsWithBucket(object)
	}
}

// readsNothing checks that the controller reads no Workspace from the API server while it looks and nothing has changed.
func readsNothing(s *scene.Scene, name string) {
	s.LooksAgain(name, 1)
	from := s.Log.Now()
	s.LooksAgain(name, 3)
	reads := s.Requests(func(r history.Request) bool {
		return r.Call.Resource == kinds.Workspace.Resource && (r.Call.Verb == "get" || r.Call.Verb == "list") && r.Received >= from
	})
	if len(reads) > 0 {
		s.FindRequests(reads, "Nobody had changed a bucket or a Workspace. With %s, your controller looked at the buckets, and read Workspaces from the API server besides: it sent %s. "+
			"The cache has them. Only if a Workspace is not there, the API server has to say whether it is gone.", s.Flags(), scene.Counted(len(reads), "request", "requests"))
	}
}

// singleLooks are the controller's looks at single buckets since a moment.
func singleLooks(s *scene.Scene, from time.Duration) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Call.Resource == buckets.Resource && r.Call.Verb == "get" && r.Received >= from
	})
}

// notified has somebody change buckets: while the controller listens, while it looks, while the store does not respond, at the moment when
// its connection is cut, while it is down, and right after its first look. Once, the API server refuses the status that tells of it, and
// once the Workspace has changed meanwhile. No look is due meanwhile.
func notified(s *scene.Scene) {
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Notify) {
		const cut, down, between, gone, untold, meanwhile, unseen, unsent = "cut", "down", "between", "gone", "untold", "meanwhile", "unseen", "unsent"
		const behind, own, unlisted = "behind", "own", "unlisted"
		interval, names := never, []string{files, cut, down, between, gone, untold, meanwhile, unseen, unsent, behind, own, unlisted}
		if way != scene.Notify {
			interval, names = short, []string{files, down}
		}
		all := begin(s, way, interval, names...)
		if way == scene.Notify { // one that looks at each bucket every so often may never rest
			s.Settle()
		}
		from := s.Log.Now()
		putBack(s, all[files], halved)
		if way == scene.Notify {
			comesToRest(s, files, from)
			s.DeleteBucket(all[gone])
			s.WorkspaceIs(gone, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost)
			s.OnWrites(scene.WorkspaceStatus, untold, proxy.Answer500, 1)
			s.DeleteBucket(all[untold])
			s.Struck("somebody deleted the bucket of Workspace " + untold + ", and your controller has not written its status")
			s.WorkspaceIs(untold, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost)
			goneMeanwhile(s, all[behind])
			s.OnReads(buckets.Resource, unseen, buckets.Unavailable, 1)
			putBack(s, all[unseen], halved)
			s.OnWrites(buckets.Resource, unsent, buckets.Unavailable, tries)
			putBack(s, all[unsent], halved)
			neverDisputed(s, unsent, all[unsent].Generation, "Somebody changed the limit of the bucket of Workspace unsent once, and the store was not available when your controller put that back")
			whileItLooks(s, all[meanwhile])
			s.LoseAdvisory(buckets.CutAt, "UPDATED", cut)
			putBack(s, all[cut], halved)
			s.Struck("your controller has not subscribed to what the store tells of changes")
			afterItsOwn(s, own)
			whileTheCacheIsLate(s)
		}
		before := s.Settings(all[down])
		s.Stop()
		s.ChangeBucket(all[down], halved.what, halved.make)
		s.Start()
		awaitAsBefore(s, all[down], before, halved)
		if way != scene.Notify {
			continue
		}
		s.Settle()
		s.Stop()
		before = s.Settings(all[between])
		s.OnList(proxy.AnswerLate)
		s.Start()
		s.Struck("your controller has started, and has not listed all buckets")
		s.ChangeBucket(all[between], halved.what, halved.make)
		s.Heal()
		awaitAsBefore(s, all[between], before, halved)
		s.Stop()
		before = s.Settings(all[unlisted])
		s.ChangeBucket(all[unlisted], halved.what, halved.make)
		s.OnList(buckets.Unavailable)
		s.Start()
		s.Struck("your controller has started, and has not listed all buckets")
		awaitAsBefore(s, all[unlisted], before, halved)
	}
}

// tries is more often than a controller puts back what somebody keeps changing.
const tries = 5

// goneMeanwhile has a user annotate a Workspace while the response to the look is on its way that shows that its bucket is gone. So the
// status that tells of it is about a Workspace that has changed.
func goneMeanwhile(s *scene.Scene, object *v1alpha1.Workspace) {
	s.OnStore(proxy.AnswerLate, "get", object.Name)
	s.DeleteBucket(object)
	s.Struck("the store has told that somebody deleted the bucket of Workspace " + object.Name + ", and your controller has not looked at it")
	s.Annotate(s.WorkspaceNow(object.Name))
	s.Heal()
	s.WorkspaceIs(object.Name, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost)
}

// afterItsOwn loses the notification of the controller's own update. The next one is about somebody else's.
func afterItsOwn(s *scene.Scene, name string) {
	s.LoseAdvisory(buckets.LoseFrom, "UPDATED", name)
	s.Resize(name, "2Mi")
	s.Struck("a user has changed the capacity of Workspace " + name + ", and your controller has not changed its bucket")
	object := s.Usable(name)
	s.Heal()
	s.Settle()
	putBack(s, object, halved)
}

// whileTheCacheIsLate has somebody change the bucket of a new Workspace before the events of your controller's own writes to it arrive.
func whileTheCacheIsLate(s *scene.Scene) {
	const early = "early"
	s.HoldNext("MODIFIED", kinds.Workspace.Resource, early)
	object := s.CreateWorkspace(early)
	if !s.Comes("Workspace early is not ready, and your controller does not receive the events of its own writes", func() bool { return scene.IsReady(s.WorkspaceNow(early)) }) {
		s.Heal() // it waits for the event of its finalizer
		s.WorkspaceReady(early)
		return
	}
	before := s.Settings(object)
	s.ChangeBucket(object, halved.what, halved.make)
	s.Settle()
	s.Heal()
	awaitAsBefore(s, object, before, halved)
}

// whileItLooks has somebody change a bucket while the store's response to a look is on its way.
func whileItLooks(s *scene.Scene, object *v1alpha1.Workspace) {
	s.OnStore(proxy.AnswerLate, "get", object.Name)
	s.ChangeBucket(object, "adds an entry to the metadata of", func(c *jetstream.StreamConfig) { c.Metadata["team"] = "red" })
	s.Struck("the store has told that somebody changed the bucket of Workspace " + object.Name + ", and your controller has not looked at it")
	before := s.Settings(object)
	s.ChangeBucket(object, halved.what, halved.make)
	s.Heal()
	delete(before.Metadata, "team")
	awaitAsBefore(s, object, before, halved)
}

// unheard loses a notification without a sign.
func unheard(s *scene.Scene) {
	for _, way := range s.Ways(scene.Notify) {
		object := begin(s, way, short, files)[files]
		if way == scene.Notify {
			s.LoseAdvisory(buckets.LoseFrom, "UPDATED", files)
		}
		putBack(s, object, halved)
		if way == scene.Notify {
			s.Struck("your controller has not subscribed to what the store tells of changes")
		}
	}
}
