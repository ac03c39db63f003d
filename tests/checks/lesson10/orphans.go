package lesson10

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// swept has buckets whose Workspaces are gone: a user has removed the finalizer of one, of another one whose name has been given to a
// new Workspace, of one whose bucket has another owner's mark for a while, and of one whose bucket they wanted to keep at first. A fifth
// bucket was created after the controller had crashed.
func swept(s *scene.Scene) {
	const slow = time.Second // longer than what keepsChanging waits, also on a busy machine
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Poller, scene.Notify) {
		as := strings.TrimSuffix("-"+way, "-")
		forced, reborn, lent, decided, late, sealed := "forced"+as, "reborn"+as, "lent"+as, "decided"+as, "late"+as, "sealed"+as
		all := begin(s, way, short, forced, reborn, lent, decided, sealed)
		for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionPolicyRetain, v1alpha1.DeletionPolicyDelete} {
			setPolicy(s, decided, policy)
			s.WorkspaceReady(decided)
		}
		seal := locked["sealed"] // so one bucket differs all along from what its Workspace asks for
		s.ChangeBucket(all[sealed], seal.what, seal.make)
		s.WorkspaceIs(sealed, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonCannotRestore)
		s.Stop()
		for _, name := range []string{forced, reborn, lent, decided} {
			force(s, name)
		}
		s.ChangeBucket(all[lent], "gives another owner's mark to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = another })
		copies := ""
		if way != scene.Notify {
			nameless(s, all[forced])
			copied(s, all[forced])
			copies = ". Somebody had given its marks to two buckets of their own"
		}
		s.CreateWorkspace(reborn)
		s.Start()
		again := s.Usable(reborn)
		const byHand = "A user had removed the finalizer of Workspace %s by hand, and deleted it"
		sweeps(s, all[forced], fmt.Sprintf(byHand, forced)+copies)
		sweeps(s, all[reborn], fmt.Sprintf(byHand, reborn))
		sweeps(s, all[decided], fmt.Sprintf(byHand+". Before that, they had set spec.deletionPolicy to Retain, and back to Delete, each of which the store had", decided))
		s.LooksAgain(reborn, 1)
		settingsOf(s, all[lent])
		if way == scene.Notify {
			s.Stop()
			s.Drift(way, slow)
			s.Start()
			s.LooksAgain(reborn, 1)
		}
		s.ChangeBucket(all[lent], "gives its own mark back to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = string(all[lent].UID) })
		sweeps(s, all[lent], fmt.Sprintf(byHand+". Its bucket had another owner's mark for a while", lent), keepsChanging(s, "theirs"+as))
		settingsOf(s, again)

		s.OnStore(proxy.CommitLate, "create", late)
		object := s.CreateWorkspace(late)
		s.CrashedBy("your controller has not asked the object store to create the bucket of Workspace " + late)
		s.DeleteWorkspace(late)
		s.Start()
		s.WorkspaceGone(late)
		s.Heal()
		s.Needs("the store to create the bucket of Workspace "+late, func() bool { return s.BucketOf(object) != nil || created(s, late) })
		sweeps(s, object, "The request to create it was on its way when your controller crashed, and the store created it once the Workspace was gone")
		s.Stop()
		undecided(s, "undecided"+as)
	}
}

// undecided has a user set the policy of a Workspace to Retain, and back to Delete right before they delete it, while the controller is down.
func undecided(s *scene.Scene, name string) {
	s.Start()
	s.CreateWorkspace(name)
	s.Usable(name)
	setPolicy(s, name, v1alpha1.DeletionPolicyRetain)
	object := s.WorkspaceReady(name)
	s.Stop()
	setPolicy(s, name, v1alpha1.DeletionPolicyDelete)
	s.DeleteWorkspace(name)
	s.Start()
	s.WorkspaceGone(name)
	s.LeftBehind(object, "A user had set spec.deletionPolicy to Retain, and back to Delete before they deleted it.")
	s.Stop()
}

// setPolicy has a user say what becomes of a Workspace's bucket when the Workspace is deleted.
func setPolicy(s *scene.Scene, name string, policy v1alpha1.DeletionPolicy) {
	s.ChangeWorkspace(name, fmt.Sprintf("sets spec.deletionPolicy of Workspace %s to %s", name, policy), func(object *v1alpha1.Workspace) { object.Spec.DeletionPolicy = policy })
}

// keepsChanging returns what has somebody change a bucket of theirs once more, at most ten times a second. Each time, the store tells of it.
func keepsChanging(s *scene.Scene, bucket string) func() {
	s.User("creates bucket %s in the object store, and keeps changing it", bucket)
	s.Must(s.Store.Admin.Create(s.Context(), foreign(bucket)))
	last := s.Log.Now()
	return func() {
		if s.Log.Now()-last < 100*time.Millisecond {
			return
		}
		last = s.Log.Now()
		err := s.Store.Admin.Change(s.Context(), bucket, func(c *jetstream.StreamConfig) { c.Metadata = map[string]string{"changed": last.String()} })
		if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrBucketNotFound) {
			s.FindRequests(s.Requests(func(r history.Request) bool {
				return r.Call.Resource == buckets.Resource && r.Object.Name == bucket && r.Write()
			}),
				"Bucket %s was somebody else's: it had no mark of a Workspace. Only your controller can have deleted it.", bucket)
		}
		s.Must(err)
	}
}

// force has a user delete a Workspace, and remove its finalizer by hand, while the controller is down.
func force(s *scene.Scene, name string) {
	s.DeleteWorkspace(name)
	s.ReleaseWorkspace(name, v1alpha1.FinalizerBucket)
}

// nameless adds a bucket that would be an orphan of this cluster's, if its marks said of which Workspace. It keeps no other orphan from
// being swept.
func nameless(s *scene.Scene, like *v1alpha1.Workspace) {
	settings := foreign(v1alpha1.BucketName(another))
	settings.Metadata = map[string]string{}
	for key, value := range s.SettingsAs(like, like).Metadata {
		if !strings.Contains(value, like.Name) && !strings.Contains(value, like.Namespace) {
			settings.Metadata[key] = strings.ReplaceAll(value, string(like.UID), another)
		}
	}
	s.User("creates bucket %s in the object store, with your controller's marks, apart from the Workspace's name", v1alpha1.BucketName(another))
	s.Must(s.Store.Admin.Create(s.Context(), settings))
}

// copied has somebody create two buckets with the marks of a Workspace's bucket: one that comes before it in a list by name, and one that comes after it.
func copied(s *scene.Scene, object *v1alpha1.Workspace) {
	marks := s.SettingsAs(object, object).Metadata
	for _, name := range []string{"a-copy", "z-copy"} {
		s.User("creates bucket %s in the object store, with all marks of the bucket of Workspace %s", name, object.Name)
		settings := foreign(name)
		settings.Metadata = marks
		s.Must(s.Store.Admin.Create(s.Context(), settings))
	}
}

// created says whether the store has done a request to create a Workspace's bucket.
func created(s *scene.Scene, name string) bool {
	for _, r := range s.StoreRequests(name, 0, "create") {
		if r.Succeeded() || r.Committed > 0 {
			return true
		}
	}
	return false
}

// sweeps waits until an orphan is gone. Others may do something meanwhile.
func sweeps(s *scene.Scene, object *v1alpha1.Workspace, because string, others ...func()) {
	s.UntilMeanwhile(func() string {
		for _, act := range others {
			act()
		}
		if s.BucketOf(object) == nil {
			return ""
		}
		return fmt.Sprintf("bucket %s is still in the object store, and its Workspace %s is gone. %s", v1alpha1.BucketName(object.UID), object.Name, because)
	})
}

// spared has buckets without a Workspace that are no orphans: of somebody else, of other clusters, and of Workspaces with the policy
// Retain, and one that gets another owner while the list is on its way. And two of Workspaces that the controller's cache does not show:
// one that the API server is slow to confirm, and one whose name somebody has changed in the bucket's marks.
func spared(s *scene.Scene) {
	const model, retained, changed, shut, handed, older, fresh, renamed, refilled, early = "model", "retained", "changed", "shut", "handed", "older", "fresh", "renamed", "refilled", "early"
	s.AllowTimeouts()
	keep := func(object *v1alpha1.Workspace) { object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }
	for _, way := range s.Ways(scene.Poller) {
		all := begin(s, way, short, model, changed, shut, handed, older, refilled, early)
		s.CreateWorkspace(retained, keep)
		all[retained] = s.Usable(retained)
		stays := map[string]string{} // by the names of buckets: why
		stays[v1alpha1.BucketName(all[retained].UID)] = "Workspace retained had spec.deletionPolicy: Retain when it was deleted"
		stays[v1alpha1.BucketName(all[changed].UID)] = "A user set spec.deletionPolicy of Workspace changed to Retain while it was being deleted"
		stays[v1alpha1.BucketName(all[shut].UID)] = "Somebody had sealed the bucket of Workspace shut, and a user set spec.deletionPolicy to Retain before they deleted the Workspace"
		for _, one := range ofOthers(s, all[model]) {
			settings := foreign(one.bucket)
			settings.MaxBytes, settings.Metadata = 1024, one.marks
			s.User("has bucket %s in the object store, which is %s", one.bucket, one.whose)
			s.Must(s.Store.Admin.Create(s.Context(), settings))
			stays[one.bucket] = "It is " + one.whose
		}

		s.DeleteWorkspace(retained)
		s.WorkspaceGone(retained)
		seal := locked["sealed"]
		s.ChangeBucket(all[shut], seal.what, seal.make)
		s.WorkspaceIs(shut, v1alpha1.ConditionBucketReady, metav1.ConditionFalse)
		s.ChangeWorkspace(shut, "sets spec.deletionPolicy of Workspace shut to Retain", keep)
		s.DeleteWorkspace(shut)
		s.WorkspaceGone(shut)
		stays[v1alpha1.BucketName(all[refilled].UID)] = "Somebody had removed all that was in the bucket of Workspace refilled, and a program has stored files since. A user set " +
			"spec.deletionPolicy to Retain before they deleted the Workspace"
		s.EmptyBucket(all[refilled])
		s.WorkspaceIs(refilled, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost)
		s.PutFile(all[refilled], report, refilled)
		s.ChangeWorkspace(refilled, "sets spec.deletionPolicy of Workspace refilled to Retain", keep)
		s.DeleteWorkspace(refilled)
		s.WorkspaceGone(refilled)
		stays[v1alpha1.BucketName(all[early].UID)] = "A user set spec.deletionPolicy of Workspace early to Retain, and the Workspace said that it was ready for that. " +
			"Then they removed its finalizer by hand"
		s.ChangeWorkspace(early, "sets spec.deletionPolicy of Workspace early to Retain", keep)
		s.WorkspaceReady(early)
		s.Stop()
		force(s, early)
		s.DeleteWorkspace(changed)
		s.ChangeWorkspace(changed, "sets spec.deletionPolicy of Workspace changed to Retain", keep)
		force(s, handed)
		stays[v1alpha1.BucketName(all[handed].UID)] = "A list showed it as that of Workspace handed, which was gone. Before the list had reached your controller, somebody gave the bucket to another owner"
		s.OnReads(kinds.Workspace.Resource, handed, proxy.Answer500, scene.Many) // or a second list, after a timeout, could come too soon
		s.OnList(proxy.AnswerLate)
		s.Start()
		s.Struck("your controller has started, and has not listed all buckets")
		s.ChangeBucket(all[handed], "gives another owner's mark to", func(c *jetstream.StreamConfig) { c.Metadata[scene.MarkOfOwner] = another })
		s.Disarm()
		s.Heal()
		s.WorkspaceGone(changed)

		s.Annotate(s.WorkspaceNow(older))
		s.Settle()
		moments := s.WorkspaceStates(older)
		unseen := provide(s, fresh, renamed)
		const stale = "Workspace %s exists. The API server's first list was stale, and did not show it to your controller"
		stays[v1alpha1.BucketName(unseen[fresh].UID)] = fmt.Sprintf(stale, fresh)
		stays[v1alpha1.BucketName(unseen[renamed].UID)] = fmt.Sprintf(stale+". Somebody had changed the Workspace's name in the bucket's marks, and not the UID", renamed)
		s.PutFile(unseen[fresh], report, fresh)
		s.Stop()
		s.ChangeBucket(unseen[renamed], "changes the Workspace's name in the marks of", func(c *jetstream.StreamConfig) {
			for key, value := range c.Metadata {
				c.Metadata[key] = strings.ReplaceAll(value, renamed, "gone")
			}
		})
		s.Fault("start stale at: " + moments[len(moments)-1].String())
		s.OnReads(kinds.Workspace.Resource, fresh, proxy.Answer500, 2)
		s.Start()
		s.Struck("your controller has not listed what it watches")
		s.LooksAgain(model, 4)
		allThere(s, stays)
		s.Disarm()
		s.Heal()
		s.LooksAgain(model, 3)
		allThere(s, stays)
		if content := s.ReadFile(unseen[fresh], report); content != fresh {
			s.FindAbout(fresh, "The file %s in the bucket of Workspace fresh is lost.", report)
		}
		s.Stop()
	}
}

// allThere checks that buckets are there.
func allThere(s *scene.Scene, stays map[string]string) {
	there := map[string]bool{}
	for _, bucket := range s.Buckets() {
		there[bucket.Name] = true
	}
	for name, why := range stays {
		if !there[name] {
			deletions := s.Requests(func(r history.Request) bool {
				return r.Call.Resource == buckets.Resource && r.Call.Verb == "delete" && r.Object.Name == name
			})
			s.FindRequests(deletions, "Your controller deleted bucket %s, with all files. %s.", name, why)
		}
	}
}

// A bucketOfOthers is not the controller's to delete, although its Workspace does not exist.
type bucketOfOthers struct {
	bucket string
	whose  string // as the end of a sentence
	marks  map[string]string
}

// ofOthers are such buckets. A controller of another cluster marks its buckets as this one marks that of a Workspace.
func ofOthers(s *scene.Scene, model *v1alpha1.Workspace) []bucketOfOthers {
	const elsewhere, third = "00000000-0000-4000-8000-0000000000c1", "00000000-0000-4000-8000-0000000000f2"
	cluster := &corev1.Namespace{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Name: metav1.NamespaceSystem}, cluster))
	here, there := map[string]string{}, map[string]string{}
	for key, value := range s.SettingsAs(model, model).Metadata {
		here[key] = strings.ReplaceAll(value, string(model.UID), another)
		there[key] = strings.ReplaceAll(here[key], string(cluster.UID), elsewhere)
	}
	return []bucketOfOthers{
		{v1alpha1.BucketName(another), "another cluster's, and its marks say so", there},
		{v1alpha1.BucketName(third), "another cluster's, whose controller marks the UID of the Workspace only", map[string]string{scene.MarkOfOwner: third}},
		{"ws-theirs", "somebody's, and has no mark", nil},
		{"copy-of-" + v1alpha1.BucketName(another), "somebody's copy of a bucket, and has the marks of the original", here},
	}
}

// disputed has somebody change a setting again as soon as the controller has put it back, even after a pause. Then a user changes the
// spec, and somebody changes another Workspace's bucket, for the first time: neither has to wait because of the dispute. But a new spec does
// not end it.
func disputed(s *scene.Scene) {
	const most, few = 8, 5 // with 5, the pause is 8 s
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Notify, scene.Reapply) {
		interval := never
		if way != scene.Notify {
			interval = short
		}
		as := strings.TrimSuffix("-"+way, "-")
		files, calm := files+as, "calm"+as
		all := begin(s, way, interval, files, calm)
		object := all[files]
		all[calm] = oftenResized(s, calm)
		before := s.Settings(object)
		told, restored := false, 0
		for range most {
			if told {
				break
			}
			restored++
			s.ChangeBucket(object, "changes the limit again of", halved.make)
			s.UntilMeanwhile(func() string {
				now := s.WorkspaceNow(files)
				if told = reasonOf(now) == v1alpha1.ReasonDisputed; told || asBefore(before, settingsOf(s, object)) {
					return ""
				}
				return fmt.Sprintf("somebody changed the limit of the bucket of Workspace %s again, and your controller has neither put it back nor said in the status, with the reason %s, that somebody keeps changing it. %s",
					files, v1alpha1.ReasonDisputed, scene.SaysOfWorkspace(now))
			})
		}
		if !told {
			s.FindAbout(files, "Somebody has changed the limit of the bucket of Workspace %s %d times, each time as soon as your controller had put it back. It has not said so in the status, "+
				"with the reason %s. %s.", files, most, v1alpha1.ReasonDisputed, scene.SaysOfWorkspace(s.WorkspaceNow(files)))
		}
		restored-- // the last change is left as it is
		var since time.Duration
		if way != scene.Reapply && restored <= few { // on a busy machine, pauses may have passed unseen, and the next one is longer
			since = pausesAgain(s, object, before)
		}
		s.OnWrites(buckets.Resource, files, buckets.Unavailable, 1)
		s.Resize(files, "3Mi")
		putBack(s, all[calm], halved)
		object = s.WorkspaceReady(files)
		if got := s.BucketOf(object).Capacity; got != object.Spec.Capacity.Value() {
			s.FindAbout(files, "A user changed the capacity of Workspace %s while your controller waited because of others. The Workspace says that it is ready, and its bucket has a limit of %d bytes. %s.",
				files, got, scene.SaysOfWorkspace(object))
		}
		neverDisputed(s, files, object.Generation, "A user changed the capacity of Workspace "+files+" while your controller waited because of others. The new spec has to be conveyed without a wait")
		neverDisputed(s, calm, all[calm].Generation, "Somebody changed the limit of the bucket of Workspace "+calm+" once, while another Workspace's bucket was disputed")
		if since > 0 {
			leavesAlone(s, object, since, "a user changed the capacity")
		}
		if way != scene.Reapply {
			undisputed(s, files)
		}
		s.Stop()
	}
}

// undisputed has a user delete a Workspace whose bucket is disputed, and create it again. Somebody changes the new bucket once.
func undisputed(s *scene.Scene, name string) {
	s.DeleteWorkspace(name)
	s.WorkspaceGone(name)
	object := provide(s, name)[name]
	from := s.Log.Now()
	putBack(s, object, halved)
	for _, v := range s.WorkspaceVersions(name) {
		if v.UID == object.UID && v.Change.Seen >= from && reasonOf(v.Workspace) == v1alpha1.ReasonDisputed {
			s.FindChange(v.Change, "Workspace %s is a new one. Somebody has changed the limit of its bucket once, and kept changing that of an earlier Workspace of its name. Your "+
				"controller left the setting as it was, with the reason %s. %s.", name, v1alpha1.ReasonDisputed, scene.SaysOfWorkspace(v.Workspace))
		}
	}
}

// oftenResized has a user change the capacity of a Workspace again and again, which nobody disputes.
func oftenResized(s *scene.Scene, name string) (object *v1alpha1.Workspace) {
	for _, capacity := range []string{"2Mi", "3Mi", "2Mi", "3Mi", "2Mi", "3Mi"} {
		s.Resize(name, capacity)
		object = s.WorkspaceReady(name)
	}
	return object
}

// pausesAgain waits until the controller has put a disputed setting back after its pause, and has somebody change it again. It returns when
// the setting was put back.
func pausesAgain(s *scene.Scene, object *v1alpha1.Workspace, before jetstream.StreamConfig) time.Duration {
	awaitAsBefore(s, object, before, change{what: "has stopped for a moment to change"})
	since := lastUpdate(s, object).Committed
	leavesAlone(s, object, since, "your controller paused, and put the limit back")
	return since
}

// leavesAlone has somebody change a disputed setting again, and waits until the controller says that it leaves it alone. On a busy machine, its
// pause may be over already, and it puts the setting back. But no pause is shorter than the first one, of two seconds. Since is when the
// setting was put back before, and then says what has happened since the status said so for the last time.
func leavesAlone(s *scene.Scene, object *v1alpha1.Workspace, since time.Duration, then string) {
	const times, first = 3, 2 * time.Second
	for range times {
		object = s.WorkspaceReady(object.Name)
		s.ChangeBucket(object, "changes the limit again of", halved.make)
		told := false
		s.UntilMeanwhile(func() string {
			told = reasonOf(s.WorkspaceNow(object.Name)) == v1alpha1.ReasonDisputed
			if told || settingsOf(s, object).MaxBytes == object.Spec.Capacity.Value() {
				return ""
			}
			return fmt.Sprintf("somebody kept changing the limit of the bucket of Workspace %s, and your controller said so. Then %s. They have changed it again since, "+
				"and the status does not say so again, with the reason %s", object.Name, then, v1alpha1.ReasonDisputed)
		})
		if told {
			return
		}
		last := lastUpdate(s, object)
		if again := last.Received - since; again < first {
			s.FindAbout(object.Name, "Somebody kept changing the limit of the bucket of Workspace %s. Your controller said so, with the reason %s. Then %s. "+
				"They changed it again, and your controller put it back %.1f s after the time before: it has forgotten the dispute. %s.",
				object.Name, v1alpha1.ReasonDisputed, then, again.Seconds(), scene.SaysOfWorkspace(s.WorkspaceNow(object.Name)))
		}
		since = last.Committed
	}
}

// lastUpdate is the last update of a Workspace's bucket that the store has done for the controller.
func lastUpdate(s *scene.Scene, object *v1alpha1.Workspace) (last history.Request) {
	for _, r := range s.StoreRequests(object.Name, 0, "update") {
		if r.Succeeded() {
			last = r
		}
	}
	return last
}

// neverDisputed checks that no status has said of a generation of a Workspace that a setting is left as it is because of others. Because
// says what has happened, as a sentence without a full stop.
func neverDisputed(s *scene.Scene, name string, generation int64, because string) {
	for _, v := range s.WorkspaceVersions(name) {
		condition := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionBucketReady)
		if condition != nil && condition.Reason == v1alpha1.ReasonDisputed && condition.ObservedGeneration == generation {
			s.FindChange(v.Change, "%s. Your controller left the setting as it was, with the reason %s. %s.", because, v1alpha1.ReasonDisputed, scene.SaysOfWorkspace(v.Workspace))
		}
	}
}
