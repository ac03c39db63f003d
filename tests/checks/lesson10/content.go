package lesson10

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
)

const report = "report.txt"

// restorable are changes that an update puts back.
var restorable = map[string]change{
	"expiring":  {"has files expire after an hour in", func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }},
	"counted":   {"limits the number of messages in", func(c *jetstream.StreamConfig) { c.MaxMsgs = 1000 }},
	"indirect":  {"switches direct reads off for", func(c *jetstream.StreamConfig) { c.AllowDirect = false }},
	"cramped":   {"limits the size of messages in", func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1024 }},
	"overgrown": {"doubles the limit of", func(c *jetstream.StreamConfig) { c.MaxBytes *= 2 }},
	"unmarked": {"removes all marks but that with the Workspace's UID from", func(c *jetstream.StreamConfig) {
		c.Metadata = map[string]string{scene.MarkOfOwner: c.Metadata[scene.MarkOfOwner]}
	}},
	"copied": {"has messages copied to another subject from", func(c *jetstream.StreamConfig) {
		c.RePublish = &jetstream.RePublish{Source: ">", Destination: "copies.>"}
	}},
	"shortened":  {"limits the number of messages of each subject in", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 10 }},
	"discarding": {"has new files push out old ones in", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }},
}

// locked are changes that the store never takes back. It refuses each update that tries, even if that changes something else besides.
var locked = map[string]change{
	"sealed":      {"seals", func(c *jetstream.StreamConfig) { c.Sealed = true }},
	"undeletable": {"forbids to delete messages in", func(c *jetstream.StreamConfig) { c.DenyDelete = true }},
	"mixed":       {"halves the limit of, and forbids to delete messages in,", func(c *jetstream.StreamConfig) { c.MaxBytes, c.DenyDelete = c.MaxBytes/2, true }},
}

// locking are the settings that the store never changes back after these changes, as the store calls them.
var locking = map[string]string{"sealed": "sealed", "undeletable": "deny_delete", "mixed": "deny_delete"}

// classified has somebody change several settings, of a bucket each: some can be put back, some can't.
func classified(s *scene.Scene) {
	for _, way := range s.Ways(scene.Poller) {
		names := slices.Concat(slices.Sorted(maps.Keys(restorable)), slices.Sorted(maps.Keys(locked)))
		all := begin(s, way, short, names...)
		before := map[string]jetstream.StreamConfig{}
		for _, name := range names {
			s.PutFile(all[name], report, name)
			before[name] = s.Settings(all[name])
		}
		for name, one := range restorable {
			s.ChangeBucket(all[name], one.what, one.make)
		}
		for name, one := range restorable {
			awaitAsBefore(s, all[name], before[name], one)
		}
		for name, one := range locked {
			s.ChangeBucket(all[name], one.what, one.make)
		}
		for name := range locked {
			s.WorkspaceIs(name, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore)
			namesSetting(s, name)
		}
		grown(s, "sealed")
		s.LooksAgain(names[0], 2)
		for _, name := range names {
			if settingsOf(s, all[name]); s.ReadFile(all[name], report) != name {
				s.FindAbout(name, "Somebody changed a setting of the bucket of Workspace %s, and no file. The file %s is gone since: your controller has put the setting back by another bucket.", name, report)
			}
		}
		for name := range locked {
			if now := s.WorkspaceNow(name); scene.IsReady(now) {
				s.FindAbout(name, "Somebody %s the bucket of Workspace %s, and the store never changes that back. The Workspace says that it is ready. %s.", locked[name].what, name, scene.SaysOfWorkspace(now))
			}
			s.EndsWithBucket(all[name])
		}
		crowded(s)
		unanchored(s)
		emptiedEarly(s)
		s.Stop()
	}
}

// namesSetting checks that the status names the setting of a Workspace's bucket that the store never changes back. A controller may write
// DenyDelete, or pass on the store's own message, "can not cancel deny message deletes".
func namesSetting(s *scene.Scene, name string) {
	now := s.WorkspaceNow(name)
	message := strings.ToLower(meta.FindStatusCondition(now.Status.Conditions, v1alpha1.ConditionBucketReady).Message)
	for word := range strings.SplitSeq(locking[name], "_") {
		if !strings.Contains(message, word) {
			s.FindAbout(name, "Somebody %s the bucket of Workspace %s. The store never changes the setting %s back, so a user has to act. The message of BucketReady "+
				"does not name that setting. %s.", locked[name].what, name, locking[name], scene.SaysOfWorkspace(now))
		}
	}
}

// crowded has somebody lower the limit of a bucket while the controller is down, and somebody else take the room that this makes. So the
// store refuses to put the limit back.
func crowded(s *scene.Scene) {
	const squeezed, theirs, wide = "squeezed", "theirs", "8Mi"
	s.CreateWorkspace(squeezed, func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse(wide) })
	object := s.Usable(squeezed)
	s.Settle()
	s.Stop()
	before := s.Settings(object)
	s.ChangeBucket(object, "lowers the limit to an eighth of", func(c *jetstream.StreamConfig) { c.MaxBytes /= 8 })
	filler := foreign(theirs)
	filler.MaxBytes = buckets.Storage - before.MaxBytes/8
	for _, bucket := range s.Buckets() {
		filler.MaxBytes -= bucket.Capacity
	}
	s.User("creates bucket theirs in the object store, which takes almost all the room that is left")
	s.Must(s.Store.Admin.Create(s.Context(), filler))
	s.Start()
	s.NotReady(squeezed, "Somebody lowered the limit of the bucket of Workspace squeezed, and the object store has no room to put it back")
	s.User("deletes bucket theirs, with the client of the object store")
	s.Must(s.Store.Admin.Delete(s.Context(), theirs))
	awaitAsBefore(s, object, before, change{what: "had lowered the limit of, and there was no room in the object store to raise it again for,"})
	s.WorkspaceReady(squeezed)
}

// unanchored has the controller crash right after the store has created a bucket. Before the next process starts, somebody changes settings
// without which the store does not keep what programs store.
func unanchored(s *scene.Scene) {
	const begun = "begun"
	s.OnStore(proxy.CrashAfterCommit, "create", begun)
	object := s.CreateWorkspace(begun)
	s.CrashedBy("your controller has not asked the object store to create the bucket of Workspace " + begun)
	s.ChangeBucket(object, "forbids to replace messages in", func(c *jetstream.StreamConfig) { c.AllowRollup = false })
	s.Start()
	s.Usable(begun)
}

// emptiedEarly has somebody remove all that is in a bucket before a status could say that there is one. If the Workspace gets ready all the same, its
// controller has no reason to say later that its files are lost.
func emptiedEarly(s *scene.Scene) {
	const early = "early"
	s.OnWrites(scene.WorkspaceStatus, early, proxy.Answer500, scene.Many)
	s.CreateWorkspace(early)
	s.Struck("your controller has not tried to write the status of Workspace " + early)
	s.Settle()
	object := s.WorkspaceNow(early)
	if s.BucketOf(object) == nil { // its controller writes a status first
		s.Disarm()
		s.Usable(early)
		return
	}
	s.EmptyBucket(object)
	from := s.Log.Now()
	looked := s.Comes("your controller has not looked at the bucket of Workspace early again", func() bool {
		looks := s.StoreRequests(early, from, "get")
		return len(looks) > 0 && len(s.Requests(func(r history.Request) bool {
			return r.Call.Resource == scene.WorkspaceStatus && r.Object.Name == early && r.Received > looks[0].Received
		})) > 0
	})
	s.Disarm()
	if !looked { // its status tells of a look before that
		return
	}
	s.AwaitWorkspace(early, func(now *v1alpha1.Workspace) string {
		if scene.IsReady(now) || reasonOf(now) == v1alpha1.ReasonContentLost {
			return ""
		}
		return "Workspace early is not ready"
	})
	s.LooksAgain(early, 3)
	s.Settle()
	wasReady := false
	for _, v := range s.WorkspaceVersions(early) {
		wasReady = wasReady || scene.IsReady(v.Workspace)
	}
	if !wasReady { // its controller remembers what it has stored there
		return
	}
	neverLost(s, early, "Somebody removed all that was in the bucket of Workspace early before any status said that there was one. The Workspace got ready after that, and nobody has "+
		"changed its bucket since.")
	if now := s.WorkspaceNow(early); !scene.IsReady(now) {
		s.FindAbout(early, "Workspace early was ready, and is not any more, although nobody has changed its bucket. %s.", scene.SaysOfWorkspace(now))
	}
}

// grown has a user change the capacity of a Workspace whose bucket somebody has sealed.
func grown(s *scene.Scene, name string) {
	s.Resize(name, "2Mi")
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		said := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionBucketReady)
		if said != nil && said.Reason == v1alpha1.ReasonCannotRestore && said.ObservedGeneration == object.Generation {
			return ""
		}
		return fmt.Sprintf("somebody has sealed the bucket of Workspace %s, so the store refuses each update. A user has changed the capacity, and the status "+
			"does not say of the new spec, with the reason %s, that the bucket can't be as it asks for", name, v1alpha1.ReasonCannotRestore)
	})
}

// lost has somebody delete a bucket, delete two others and create them again, one with a file in it, empty a fourth, which a run uses, and
// delete two more: one with a setting that can't be put back, and one with another owner's mark. Another one has such a setting, and is
// emptied. One is deleted right after a look at it. Buckets are created again while the controller is down, so that it can see only what is
// there afterwards. Meanwhile, a Secret of a user's takes the place of that of the Workspace that the run uses. Once the status says what is
// lost, a user changes the capacity of the bucket that is gone, and of the one that the run uses.
func lost(s *scene.Scene) {
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Poller, scene.Notify) {
		as := strings.TrimSuffix("-"+way, "-")
		deleted, replaced, emptied, sealed, taken, run := "deleted"+as, "replaced"+as, "emptied"+as, "sealed"+as, "taken"+as, sample.Web+as
		refilled, drained, meanwhile := "refilled"+as, "drained"+as, "meanwhile"+as
		names := []string{deleted, replaced, emptied, sealed, taken, refilled, drained, meanwhile}
		all := begin(s, way, short, names...)
		for _, name := range names {
			s.PutFile(all[name], report, name)
		}
		s.Create(run, sample.Steps(sample.Fetch, sample.Build), scene.Uses(emptied))
		s.Running(run, sample.Fetch)
		s.StepIs(run, sample.Fetch, v1alpha1.StepRunning)
		seal := locked["sealed"]
		s.ChangeBucket(all[sealed], seal.what, seal.make)
		s.WorkspaceIs(sealed, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore)
		s.ChangeBucket(all[taken], "gives another owner's mark to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = another })
		s.WorkspaceIs(taken, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
		lock := locked["undeletable"]
		s.ChangeBucket(all[drained], lock.what, lock.make)
		s.WorkspaceIs(drained, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore)
		from := s.Log.Now()

		s.Stop()
		for _, name := range []string{replaced, refilled} {
			settings := s.SettingsAs(all[name], all[name])
			s.DeleteBucket(all[name])
			s.User("creates the bucket of %s again, with the same settings", name)
			s.Must(s.Store.Admin.Create(s.Context(), settings))
		}
		s.PutFile(all[refilled], report, "another one")
		secretTaken(s, emptied)
		s.Start()
		s.DeleteBucket(all[deleted])
		s.DeleteBucket(all[sealed])
		s.DeleteBucket(all[taken])
		s.EmptyBucket(all[emptied])
		s.EmptyBucket(all[drained])
		if as != "" { // one with a way of its own may look all along, so that the fault could miss its next look
			s.OnStore(proxy.AnswerLate, "get", meanwhile)
		}
		s.ChangeBucket(all[meanwhile], halved.what, halved.make)
		s.Struck("somebody has changed the bucket of Workspace " + meanwhile + ", and your controller has not looked at it")
		s.DeleteBucket(all[meanwhile])
		s.Heal()
		what := map[string]string{
			deleted:   "Somebody deleted the bucket of Workspace " + deleted,
			replaced:  "Somebody deleted the bucket of Workspace " + replaced + ", and created it again",
			sealed:    "Somebody sealed the bucket of Workspace " + sealed + ", and then deleted it",
			taken:     "Somebody gave another owner's mark to the bucket of Workspace " + taken + ", and then deleted it",
			emptied:   "Somebody removed all that was in the bucket of Workspace " + emptied,
			refilled:  "Somebody deleted the bucket of Workspace " + refilled + ", created it again, and stored a file in it",
			drained:   "Somebody forbade to delete messages in the bucket of Workspace " + drained + ", and then removed all that was in it",
			meanwhile: "Somebody halved the limit of the bucket of Workspace " + meanwhile + ", and deleted the bucket right after that",
		}
		for _, name := range names {
			awaitLost(s, name, from, what[name])
		}
		s.Complete(run, sample.Fetch)
		s.ConditionIs(run, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonWorkspaceLost)
		s.OnlyJobsOf(run, "the files of its Workspace were lost", sample.Fetch)
		s.PutFile(all[emptied], report, "another one")
		then := map[string]string{deleted: "", emptied: ", a program stored a file in it"}
		for _, name := range []string{deleted, emptied} {
			changed := what[name] + then[name] + ", and a user changed its capacity"
			s.Resize(name, "2Mi")
			s.NotReady(name, changed, func() { s.NoCreation(name, from, changed) })
			awaitLost(s, name, from, changed)
		}

		s.Restart()
		s.Settle()
		for _, name := range names {
			s.NoCreation(name, from, what[name])
			if now := s.WorkspaceNow(name); reasonOf(now) != v1alpha1.ReasonContentLost {
				s.FindAbout(name, "%s, with all files. The status said so, and after a restart of your controller it does not any more: what is lost does not come back. %s.",
					what[name], scene.SaysOfWorkspace(now))
			}
			s.EndsWithBucket(all[name])
		}
		lostAtTheEnd(s, "end"+as)
		s.Stop()
	}
}

// disowned has somebody give a bucket another owner's mark, and a user delete its Workspace, whose bucket was to stay.
func disowned(s *scene.Scene) {
	for _, way := range s.Ways(scene.Poller) {
		object := begin(s, way, short, files)[files]
		s.ChangeBucket(object, "gives another owner's mark to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = another })
		s.WorkspaceIs(files, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonBucketConflict)
		theirs, from := s.Settings(object), s.Log.Now()
		setPolicy(s, files, v1alpha1.DeletionPolicyRetain)
		s.DeleteWorkspace(files)
		s.WorkspaceGone(files)
		if !scene.SameSettings(theirs, settingsOf(s, object)) {
			s.FindRequests(s.StoreRequests(files, from, "update"), "The bucket of Workspace %s had another owner's mark, and a user deleted the Workspace with spec.deletionPolicy: Retain. "+
				"Your controller changed the settings of that bucket, which are the other owner's.", files)
		}
	}
}

// lostAtTheEnd has somebody delete the bucket of a Workspace with the policy Retain while the
// controller, which has just looked at it, is about to mark it as one that stays.
func lostAtTheEnd(s *scene.Scene, name string) {
	object := provide(s, name)[name]
	s.Stop()
	setPolicy(s, name, v1alpha1.DeletionPolicyRetain)
	s.DeleteWorkspace(name)
	from := s.Log.Now()
	s.OnStore(proxy.AnswerLate, "get", name)
	s.Start()
	s.Struck("Workspace " + name + " is being deleted with spec.deletionPolicy: Retain, and your controller has not looked at its bucket")
	s.DeleteBucket(object)
	s.Heal()
	s.WorkspaceGone(name)
	s.NoCreation(name, from, "Workspace "+name+" was being deleted, and its bucket was to stay. While your controller looked at the bucket, somebody deleted it, with all files")
}

// secretTaken has a user replace a Workspace's Secret with one of their own. The event of the deletion arrives once theirs exists.
func secretTaken(s *scene.Scene, workspace string) {
	secret := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: v1alpha1.BindingName(workspace)}}
	deleted := history.Moment{Type: "DELETED", Resource: kinds.Secret.Resource, Object: history.Logical(secret.Name), Nth: 1}
	s.Inject(history.Fault{Action: proxy.Hold, Moment: deleted}) // if the controller watches Secrets
	s.User("deletes Secret %s, and creates one of this name that belongs to no Workspace", secret.Name)
	const most = 100
	for tries := 1; ; tries++ {
		s.Must(client.IgnoreNotFound(s.Client.Delete(s.Context(), secret.DeepCopy())))
		err := s.Client.Create(s.Context(), secret.DeepCopy())
		if apierrors.IsAlreadyExists(err) && tries < most {
			continue // a controller that reads it live has created it again in between
		}
		s.Must(err)
		break
	}
	s.Stage.Disarm()
	s.Heal()
}

// awaitLost waits until the status of a Workspace says that its files are lost, and checks that no bucket is created meanwhile. What says
// what somebody did, as a sentence without a full stop.
func awaitLost(s *scene.Scene, name string, from time.Duration, what string) {
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		if reasonOf(object) == v1alpha1.ReasonContentLost {
			return ""
		}
		return fmt.Sprintf("%s, and the status of Workspace %s does not say BucketReady=False with the reason %s", strings.ToLower(what[:1])+what[1:], name, v1alpha1.ReasonContentLost)
	}, func() { s.NoCreation(name, from, what+", with all files") })
}
