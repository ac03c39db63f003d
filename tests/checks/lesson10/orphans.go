package lesson10

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// swept has buckets whose Workspaces are gone: a user has removed the finalizer of one, and of another one whose name has been given to a
// new Workspace. A third bucket was created after the controller had crashed.
func swept(s *scene.Scene) {
	const forced, reborn, late = "forced", "reborn", "late"
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Poller) {
		all := begin(s, way, short, forced, reborn)
		s.Stop()
		for name := range all {
			s.User("deletes Workspace %s, and removes its finalizer by hand, while your controller is down", name)
			s.Must(s.Client.Delete(s.Context(), s.WorkspaceNow(name)))
			s.ReleaseWorkspace(name, v1alpha1.FinalizerBucket)
		}
		nameless(s, all[forced])
		s.CreateWorkspace(reborn)
		s.Start()
		again := s.WorkspaceReady(reborn)
		for name, object := range all {
			sweeps(s, object, fmt.Sprintf("A user had removed the finalizer of Workspace %s by hand, and deleted it", name))
		}
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
	}
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

// created says whether the store has done a request to create a Workspace's bucket.
func created(s *scene.Scene, name string) bool {
	for _, r := range s.StoreRequests(name, 0, "create") {
		if r.Succeeded() || r.Committed > 0 {
			return true
		}
	}
	return false
}

// sweeps waits until an orphan is gone.
func sweeps(s *scene.Scene, object *v1alpha1.Workspace, because string) {
	s.UntilMeanwhile(func() string {
		if s.BucketOf(object) == nil {
			return ""
		}
		return fmt.Sprintf("bucket %s is still in the object store, and its Workspace %s is gone. %s", v1alpha1.BucketName(object.UID), object.Name, because)
	})
}

// spared has buckets without a Workspace that are no orphans: of somebody else, of other clusters, and of Workspaces with the policy
// Retain. And one of a Workspace that the controller's cache does not show, and that the API server is slow to confirm.
func spared(s *scene.Scene) {
	const model, retained, changed, shut, older, fresh = "model", "retained", "changed", "shut", "older", "fresh"
	s.AllowTimeouts()
	keep := func(object *v1alpha1.Workspace) { object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }
	for _, way := range s.Ways(scene.Poller) {
		all := begin(s, way, short, model, changed, shut, older)
		s.CreateWorkspace(retained, keep)
		all[retained] = s.WorkspaceReady(retained)
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
		s.Stop()
		s.DeleteWorkspace(changed)
		s.ChangeWorkspace(changed, "sets spec.deletionPolicy of Workspace changed to Retain", keep)
		s.Start()
		s.WorkspaceGone(changed)

		s.Annotate(s.WorkspaceNow(older))
		s.Settle()
		moments := s.WorkspaceStates(older)
		all[fresh] = provide(s, fresh)[fresh]
		stays[v1alpha1.BucketName(all[fresh].UID)] = "Workspace fresh exists. The API server's first list was stale, and did not show it to your controller"
		s.PutFile(all[fresh], report, fresh)
		s.Stop()
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
		if content := s.ReadFile(all[fresh], report); content != fresh {
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
			s.Find("Your controller deleted bucket %s, with all files. %s.", name, why)
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

// disputed has somebody change a setting again as soon as the controller has put it back.
func disputed(s *scene.Scene) {
	const most = 8
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Notify) {
		interval := never
		if way != scene.Notify {
			interval = short
		}
		object := begin(s, way, interval, files)[files]
		before := s.Settings(object)
		told := false
		for range most {
			if told {
				break
			}
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
		s.Resize(files, "3Mi")
		object = s.WorkspaceReady(files)
		if got := s.BucketOf(object).Capacity; got != object.Spec.Capacity.Value() {
			s.FindAbout(files, "A user changed the capacity of Workspace %s while your controller waited because of others. The Workspace says that it is ready, and its bucket has a limit of %d bytes. %s.",
				files, got, scene.SaysOfWorkspace(object))
		}
		s.ChangeBucket(object, "changes the limit a last time of", halved.make)
		s.Until(func() string {
			if got := s.BucketOf(object).Capacity; got != object.Spec.Capacity.Value() {
				return fmt.Sprintf("nobody changes the bucket of Workspace %s any more, and your controller has not put back its limit. %s", files, scene.SaysOfWorkspace(s.WorkspaceNow(files)))
			}
			return ""
		})
		s.WorkspaceReady(files)
		s.Stop()
	}
}
