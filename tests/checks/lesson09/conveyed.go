package lesson09

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// offline has many Workspaces that are ready. Events and a restart have each of them reconciled.
func offline(s *scene.Scene) {
	const many = 20
	var names []string
	for i := range many {
		names = append(names, fmt.Sprintf("files-%d", i+1))
	}
	s.Start()
	for _, name := range names {
		s.CreateWorkspace(name)
	}
	for _, name := range names {
		s.Usable(name)
	}
	s.Settle()

	from := s.Log.Now()
	for _, name := range names {
		s.Annotate(s.WorkspaceNow(name))
	}
	s.Settle()
	asksNothing(s, from, "users annotated its %d Workspaces", many)
	from = s.Log.Now()
	s.Restart()
	s.Settle()
	asksNothing(s, from, "your controller was started again, and saw its %d Workspaces", many)
	from = s.Log.Now()
	for _, name := range names {
		s.Annotate(s.WorkspaceNow(name))
	}
	s.Settle()
	asksNothing(s, from, "your controller had been started again, and users annotated its %d Workspaces", many)

	from = s.Log.Now()
	secretCreatedAgain(s, names[1], "a user has")
	s.Settle()
	asksNothing(s, from, "a user deleted the Secret of one of its %d Workspaces, which your controller created again", many)

	from = s.Log.Now()
	secretPutBack(s, names[2], "a user has changed", `"nats://elsewhere:4222"`)
	secretPutBack(s, names[2], "a user has removed", "null")
	enriched(s, names[2])
	asksNothing(s, from, "a user changed the Secret of one of its %d Workspaces, and your controller put that back", many)
	from = s.Log.Now()
	unlabelled(s, names[3])
	secretPutBack(s, names[3], "a user has removed the labels, and later changed", `"nats://elsewhere:4222"`)
	asksNothing(s, from, "a user removed the labels of the Secret of one of its %d Workspaces, and later changed an entry", many)
	withoutSecret(s)

	from = s.Log.Now()
	s.Resize(names[0], "2Mi")
	s.Usable(names[0])
	for _, name := range names[1:] {
		if asked := s.StoreRequests(name, from); len(asked) > 0 {
			s.FindRequests(asked, "A user changed the capacity of Workspace %s, and your controller asked the object store about the bucket of Workspace %s too.", names[0], name)
		}
	}
}

// secretCreatedAgain has a user delete a Workspace's Secret, and waits until there is one again. Because begins the sentence that says so.
func secretCreatedAgain(s *scene.Scene, workspace, because string) {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = s.Namespace, v1alpha1.BindingName(workspace)
	s.User("deletes Secret %s", secret.Name)
	s.Must(s.Client.Delete(s.Context(), secret))
	s.UntilMeanwhile(func() string {
		if err := s.Client.Get(s.Context(), client.ObjectKeyFromObject(secret), secret); apierrors.IsNotFound(err) {
			return because + " deleted Secret " + secret.Name + " of Workspace " + workspace + ", and your controller has not created it again"
		} else {
			s.Must(err)
		}
		return ""
	})
}

// secretPutBack has a user change an entry of a Workspace's Secret to a JSON value, where null removes it, and waits until it is as before.
// Because begins the sentence that says so.
func secretPutBack(s *scene.Scene, workspace, because, value string) {
	secret := &corev1.Secret{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: v1alpha1.BindingName(workspace)}, secret))
	was := string(secret.Data[v1alpha1.BindingURL])
	field := "stringData"
	if value == "null" {
		field = "data"
	}
	s.User("changes the entry %s of Secret %s to %s", v1alpha1.BindingURL, secret.Name, value)
	s.Must(s.Client.Patch(s.Context(), secret, client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{%q:{%q:%s}}`, field, v1alpha1.BindingURL, value))))
	s.Until(func() string {
		s.Must(s.Client.Get(s.Context(), client.ObjectKeyFromObject(secret), secret))
		if now := string(secret.Data[v1alpha1.BindingURL]); now != was {
			return fmt.Sprintf("%s the entry %s of Secret %s, which belongs to Workspace %s. It is %q now, and your controller has not put back %q",
				because, v1alpha1.BindingURL, secret.Name, workspace, now, was)
		}
		return ""
	})
	s.Settle()
}

// enriched has a user add an entry of their own to a Workspace's Secret, which the API server refuses to have changed then. The controller
// may try to remove the entry or leave it: the Workspace stays ready.
func enriched(s *scene.Scene, workspace string) {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = s.Namespace, v1alpha1.BindingName(workspace)
	s.Inject(history.Fault{Action: proxy.AnswerDenied, Next: history.Next{Resource: kinds.Secret.Resource, Object: history.Logical(secret.Name), Times: scene.Many}})
	from := s.Log.Now()
	s.User("adds the entry NOTE to Secret %s", secret.Name)
	s.Must(s.Client.Patch(s.Context(), secret, client.RawPatch(types.MergePatchType, []byte(`{"stringData":{"NOTE":"ours"}}`))))
	s.Settle()
	s.Stage.Disarm()
	for _, v := range s.WorkspaceVersions(workspace) {
		if v.Change.Seen >= from && !scene.IsReady(v.Workspace) {
			s.FindChange(v.Change, "A user added an entry of their own to Secret %s, which has all that a program needs. Workspace %s was ready, and your controller wrote "+
				"that it is not. %s", secret.Name, workspace, scene.SaysOfWorkspace(v.Workspace))
		}
	}
}

// unlabelled has a user remove the labels of a Workspace's Secret. A cache that selects by a label has it no longer then. Another client changes
// the Secret right before the controller does.
func unlabelled(s *scene.Scene, workspace string) {
	secret := &corev1.Secret{}
	secret.Namespace, secret.Name = s.Namespace, v1alpha1.BindingName(workspace)
	s.OnWrites(kinds.Secret.Resource, secret.Name, proxy.Conflict, 1)
	s.User("removes all labels of Secret %s", secret.Name)
	s.Must(s.Client.Patch(s.Context(), secret, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":null}}`))))
	s.Settle()
}

// withoutSecret has Workspaces with their buckets, which are not ready because another Secret has the name of their own: a user's, and that
// of an earlier Workspace, which the garbage collector has not removed yet.
func withoutSecret(s *scene.Scene) {
	const bound, again = "bound", "again"
	foreign := &corev1.Secret{}
	foreign.Namespace, foreign.Name = s.Namespace, v1alpha1.BindingName(bound)
	s.User("creates Secret %s, which belongs to no Workspace", foreign.Name)
	s.Must(s.Client.Create(s.Context(), foreign))
	earlier := &corev1.Secret{}
	earlier.Namespace, earlier.Name = s.Namespace, v1alpha1.BindingName(again)
	earlier.Labels = map[string]string{v1alpha1.LabelWorkspace: again}
	earlier.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.KindWorkspace, Name: again, UID: another, Controller: new(true),
	}}
	s.User("still has Secret %s, of an earlier Workspace of this name", earlier.Name)
	s.Must(s.Client.Create(s.Context(), earlier))
	s.CreateWorkspace(again)
	s.WorkspaceIs(again, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonSecretConflict)
	s.CreateWorkspace(bound)
	s.WorkspaceIs(bound, v1alpha1.ConditionBucketReady, metav1.ConditionTrue)
	s.WorkspaceIs(bound, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonSecretConflict)
	s.Settle()
	from := s.Log.Now()
	s.Annotate(s.WorkspaceNow(bound))
	s.Settle()
	if asked := s.StoreRequests(bound, from); len(asked) > 0 {
		s.FindRequests(asked, "The object store had the bucket that Workspace %s asks for. The Workspace was not ready for another reason: a user's Secret had the name "+
			"of its own. Then a user annotated the Workspace, and your controller sent %s to the object store.", bound, scene.Counted(len(asked), "request", "requests"))
	}
}

// asksNothing checks that the controller has asked the store about no single bucket since a moment. It may have listed all buckets, but
// not for each Workspace.
func asksNothing(s *scene.Scene, from time.Duration, when string, many int) {
	const lists = 3 // at its start, and with its connection
	all := s.Requests(func(r history.Request) bool { return r.Call.Resource == buckets.Resource && r.Received >= from })
	single := false
	for _, r := range all {
		single = single || r.Call.Object != history.None
	}
	if single || len(all) > lists {
		s.FindRequests(all, "All Workspaces were ready, and the store had what each of them asks for. Then "+when+". Your controller sent %s to the object store, "+
			"the first one to %s: the status already said that nothing is left to do.", many, scene.Counted(len(all), "request", "requests"), verbOf(all[0]))
	}
}

// verbOf is what a request asks the store for, in words.
func verbOf(r history.Request) string {
	switch {
	case r.Call.Verb == "list":
		return "list all buckets"
	case r.Call.Verb == "get":
		return "look at bucket " + r.Object.Name
	}
	return r.Call.Verb + " bucket " + r.Object.Name
}

// conveyed has users change the capacity of a Workspace while the store is down. Somebody removes the finalizer and the Secret meanwhile.
// Later others write to the Workspace.
func conveyed(s *scene.Scene) {
	object := beginsWith(s, files)
	if age := s.Settings(object).MaxAge; age > 0 {
		s.FindAbout(files, "Workspace %s asks for a capacity, and for nothing else. Your controller has its files expire after %s.", files, age)
	}
	s.StoreDown()
	from := s.Log.Now()
	s.Resize(files, "2Mi")
	s.Noticed(files, func() { notBefore(s, files, 2, s.Log.Now()) })
	s.Settle()
	guardedAgain(s, files)
	secretCreatedAgain(s, files, "programs use the bucket of Workspace "+files+" as it is, although the object store is down and does not have the current spec; a user has")
	notBefore(s, files, 2, s.Log.Now())
	s.StoreUp()
	s.Usable(files)
	s.Settle()
	if updates := done(s.StoreRequests(files, from, "update")); len(updates) != 1 {
		s.FindAbout(files, "A user changed the capacity of Workspace %s once, while the object store was down. Once it was up again, your controller had it changed %d times: "+
			"the first time was enough.", files, len(updates))
	}
	annotatedMeanwhile(s, files)
	audited(s, files)
	scannedMeanwhile(s, files)
}

// changedMeanwhile has a user change the capacity while the change before is under way. Then they change it as kubectl can.
func changedMeanwhile(s *scene.Scene) {
	const mixed = "mixed"
	beginsWith(s, mixed)
	changesUnheard(s, mixed, "2Mi")
	s.Resize(mixed, "3Mi")
	s.Heal()
	object := s.WorkspaceReady(mixed)
	updates := done(s.StoreRequests(mixed, 0, "update"))
	if len(updates) > 1 {
		notBefore(s, mixed, 3, updates[1].Committed)
	}
	if bucket := s.BucketOf(object); bucket != nil && bucket.Capacity != object.Spec.Capacity.Value() {
		s.FindAbout(mixed, "A user changed the capacity of Workspace %s to 2Mi, and to 3Mi while your controller waited for the store's response. "+
			"The Workspace says that it is ready for generation %d, and the limit of its bucket is %s. %s.",
			mixed, object.Generation, inMi(bucket.Capacity), scene.SaysOfWorkspace(object))
	}
	s.Settle()
	s.Usable(mixed)

	// The API server keeps a quantity as the client has written it.
	s.User("changes spec.capacity of Workspace %s to 4.5Mi", mixed)
	s.Must(s.Client.Patch(s.Context(), object, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"capacity":"4.5Mi"}}`))))
	s.Usable(mixed)
}

// lostAndChanged has somebody delete a Workspace's bucket, and then a user change the capacity. The bucket is restored before the Workspace is
// deleted.
func lostAndChanged(s *scene.Scene) {
	const lost = "lost"
	object := beginsWith(s, lost)
	before := s.SettingsAs(object, object)
	from := s.Log.Now()
	s.DeleteBucket(object)
	s.Resize(lost, "2Mi")
	s.AwaitWorkspace(lost, func(now *v1alpha1.Workspace) string {
		if scene.IsReady(now) {
			s.FindAbout(lost, "Somebody deleted the bucket of Workspace %s, with all files. Then a user changed the capacity. Your controller created an empty bucket "+
				"in its place, and says that the Workspace is ready, so runs go on without their files. %s.", lost, scene.SaysOfWorkspace(now))
		}
		return ""
	})
	s.Noticed(lost)
	s.Settle()
	if now := s.WorkspaceNow(lost); scene.IsReady(now) {
		s.FindAbout(lost, "Somebody deleted the bucket of Workspace %s, with all files. Then a user changed the capacity. Your controller says that the Workspace "+
			"is ready, so runs go on without their files. %s.", lost, scene.SaysOfWorkspace(now))
	}
	s.NoCreation(lost, from, "Somebody deleted the bucket of Workspace lost, with all files, and a user changed the capacity. What the status has recorded is never created again")
	s.User("restores the bucket of %s, with its mark", lost)
	s.Must(s.Store.Admin.Create(s.Context(), before))
	s.DeleteWorkspace(lost)
	s.WorkspaceGone(lost)
	s.LeftBehind(object, "Somebody had deleted the bucket, and restored it with the Workspace's mark.")
}

// tooMuch has a user ask for more than the store has, and delete the Workspace's Secret while the store refuses that.
func tooMuch(s *scene.Scene) {
	const greedy = "greedy"
	beginsWith(s, greedy)
	s.Resize(greedy, "1Ei")
	because := "the object store has refused a capacity of 1Ei for Workspace " + greedy + ", and programs go on using the bucket"
	s.NotReady(greedy, because)
	secretCreatedAgain(s, greedy, because+"; a user has")
	s.Resize(greedy, "2Mi")
	s.Usable(greedy)
}

// olderCapacity restarts the controller with a list of Workspaces from before a change of the capacity that the store has. By that list, the change
// before it is still to be conveyed, because the store was down then.
func olderCapacity(s *scene.Scene) {
	const older = "older"
	beginsWith(s, older)
	s.StoreDown()
	s.Resize(older, "2Mi")
	s.Noticed(older)
	s.Settle()
	states := s.WorkspaceStates(older)
	s.Resize(older, "3Mi")
	s.StoreUp()
	object := s.Usable(older)
	s.Settle()
	s.Stop()
	s.Fault("start with stale kind at: " + states[len(states)-1].String())
	s.Start()
	s.Struck("your controller has not listed what it watches")
	s.Settle()
	if bucket := s.BucketOf(object); bucket == nil || bucket.Capacity != object.Spec.Capacity.Value() {
		s.FindAbout(older, "A user changed the capacity of Workspace %s to 2Mi while the object store was down, and then to 3Mi, which the store has done. The list with which your "+
			"controller started showed the Workspace as it was in between. So it changed the bucket to that capacity, without having read the Workspace as it is now.", older)
	}
	s.Heal()
	s.Settle()
	s.Usable(older)
}

// beginsWith starts the controller, which gets a Workspace ready.
func beginsWith(s *scene.Scene, name string) *v1alpha1.Workspace {
	s.AllowTimeouts()
	s.Start()
	s.CreateWorkspace(name)
	object := s.Usable(name)
	s.Settle()
	return object
}

// changesUnheard has a user change the capacity of a Workspace. The store changes its bucket, and its response is on its way until Heal.
func changesUnheard(s *scene.Scene, name, capacity string) {
	s.OnStore(proxy.AnswerLate, "update", name)
	s.Resize(name, capacity)
	s.Struck("a user has changed the capacity of Workspace " + name + ", and your controller has not asked the object store to change its bucket")
}

// guardedAgain has somebody remove the controller's finalizer from a Workspace that has a bucket, and waits until it is there again.
func guardedAgain(s *scene.Scene, name string) {
	s.ReleaseWorkspace(name, v1alpha1.FinalizerBucket)
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		if hasFinalizer(object) {
			return ""
		}
		return "somebody has removed the finalizer " + v1alpha1.FinalizerBucket + " from Workspace " + name + ", which has a bucket. Your controller has not added it again"
	})
}

// annotatedMeanwhile has a user annotate a Workspace while the response to the update of its bucket is on its way. So the status that tells of
// the update is about a Workspace that has changed, although its spec has not.
func annotatedMeanwhile(s *scene.Scene, name string) {
	changesUnheard(s, name, "3Mi")
	s.Annotate(s.WorkspaceNow(name))
	s.Heal()
	s.Usable(name)
}

// audited has another client add a condition to the status of a Workspace, and then a user change the capacity.
func audited(s *scene.Scene, name string) {
	s.Settle()
	theirs := addsCondition(s, name, "example.com/Audited")
	s.Resize(name, "5Mi")
	s.Usable(name)
	keepsCondition(s, name, theirs)
}

// scannedMeanwhile has another client add a condition while the response to the update of the bucket is on its way. So the status that tells of the
// update is about a Workspace that has changed.
func scannedMeanwhile(s *scene.Scene, name string) {
	s.Settle()
	changesUnheard(s, name, "6Mi")
	theirs := addsCondition(s, name, "example.com/Scanned")
	s.Heal()
	s.Usable(name)
	keepsCondition(s, name, theirs)
}

// addsCondition has another client add a condition to the status of a Workspace.
func addsCondition(s *scene.Scene, name, conditionType string) metav1.Condition {
	theirs := metav1.Condition{Type: conditionType, Status: metav1.ConditionTrue, Reason: "Checked", Message: "by another client", LastTransitionTime: metav1.Now().Rfc3339Copy()}
	s.User("adds the condition %s to the status of Workspace %s", theirs.Type, name)
	object := s.WorkspaceNow(name)
	changed := object.DeepCopy()
	changed.Status.Conditions = append(changed.Status.Conditions, theirs)
	s.Must(s.Client.Status().Patch(s.Context(), changed, client.MergeFromWithOptions(object, client.MergeFromWithOptimisticLock{})))
	return theirs
}

// keepsCondition checks that a Workspace's status has had a condition of another client all along.
func keepsCondition(s *scene.Scene, name string, theirs metav1.Condition) {
	had := false
	for _, v := range s.WorkspaceVersions(name) {
		kept := meta.FindStatusCondition(v.Status.Conditions, theirs.Type)
		if had && (kept == nil || !equality.Semantic.DeepEqual(*kept, theirs)) {
			s.FindChange(v.Change, "Another client had added the condition %s to the status of Workspace %s. Your controller has removed or changed it since: the status is "+
				"not its alone, as in lesson 4. %s.", theirs.Type, name, scene.SaysOfWorkspace(v.Workspace))
		}
		had = had || kept != nil
	}
}

// vanishes has somebody delete a Workspace's bucket while the store refuses to change it, so that the status says that its state is not
// known.
func vanishes(s *scene.Scene) {
	const name = "vanished"
	beginsWith(s, name)
	from := s.Log.Now()
	s.OnWrites(buckets.Resource, name, buckets.Unavailable, scene.Many)
	s.Resize(name, "2Mi")
	s.Struck("a user has changed the capacity of Workspace " + name + ", and your controller has not asked the object store to change its bucket")
	s.NotReady(name, "A user changed the capacity of Workspace "+name+", and the object store is not available for that")
	s.DeleteBucket(s.WorkspaceNow(name))
	s.Disarm()
	because := "Somebody deleted the bucket of Workspace " + name + " while the store was not available for a new capacity"
	s.WorkspaceIs(name, v1alpha1.ConditionBucketReady, metav1.ConditionFalse, v1alpha1.ReasonContentLost)
	s.Settle()
	s.NoCreation(name, from, because)
}

// done are those of some requests that the store has done.
func done(requests []history.Request) (all []history.Request) {
	for _, r := range requests {
		if r.Succeeded() {
			all = append(all, r)
		}
	}
	return all
}

// notBefore checks that until a moment no status has claimed that a generation was conveyed.
func notBefore(s *scene.Scene, name string, generation int64, moment time.Duration) {
	for _, v := range s.WorkspaceVersions(name) {
		if v.Change.Seen >= moment {
			return
		}
		const text = "The object store did not have the spec of generation %d of Workspace %s yet. "
		if bucket := v.Status.Bucket; bucket != nil && bucket.Generation >= generation {
			s.FindChange(v.Change, text+"Your controller wrote into status.bucket.generation that it has. %s.", generation, name, scene.SaysOfWorkspace(v.Workspace))
		}
		if v.Generation >= generation && scene.IsReady(v.Workspace) {
			s.FindChange(v.Change, text+"Your controller wrote that the Workspace is ready for that generation. %s.", generation, name, scene.SaysOfWorkspace(v.Workspace))
		}
	}
}

func inMi(bytes int64) string { return resource.NewQuantity(bytes, resource.BinarySI).String() }

// lookedUp has the store do what it was asked for, and the controller not know. Meanwhile the spec changes. Then the store is full.
func lookedUp(s *scene.Scene) {
	const refused, unheard, cut, dropped, undone = "refused", "unheard", "cut", "dropped", "undone"
	s.AllowTimeouts()
	s.Start()
	s.OnWrites(buckets.Resource, refused, buckets.Unavailable, 2)
	s.OnStore(proxy.LoseReply, "create", unheard)
	s.OnStore(buckets.CutAfter, "create", cut)
	s.OnStore(proxy.LoseRequest, "create", dropped)
	names := []string{refused, unheard, cut, dropped}
	for _, name := range names {
		s.CreateWorkspace(name)
	}
	s.Struck("your controller has not asked the object store to create the bucket of each Workspace")
	for _, name := range []string{unheard, cut} {
		s.Resize(name, "2Mi")
	}
	for _, name := range names {
		awaitAfterError(s, name, "the first request for the bucket of Workspace "+name+" met an error")
		object := s.Usable(name)
		if deletions := done(s.StoreRequests(name, 0, "delete")); len(deletions) > 0 {
			s.FindRequests(deletions, "The object store had created bucket %s of Workspace %s, and the response was lost. Your controller deleted the bucket, and created another one.",
				v1alpha1.BucketName(object.UID), name)
		}
		s.EndsWithBucket(object)
	}
	takenBack(s, undone)
	noRoom(s)
}

// takenBack has a user change the capacity, and change it back before the response to the update arrives, which is lost.
func takenBack(s *scene.Scene, name string) {
	s.CreateWorkspace(name)
	s.WorkspaceReady(name)
	s.Settle()
	s.OnStore(proxy.LoseReply, "update", name)
	s.Resize(name, "2Mi")
	s.Struck("a user has changed the capacity of Workspace " + name + ", and your controller has not asked the object store to change its bucket")
	s.Resize(name, scene.Capacity)
	s.Usable(name)
}

// noRoom has a bucket of somebody else fill the store, so that it refuses a Workspace's, and another one's new capacity. Later it goes.
func noRoom(s *scene.Scene) {
	const big, grown, room, asked = "big", "grown", 8 << 20, "16Mi"
	s.CreateWorkspace(grown)
	s.WorkspaceReady(grown)
	filler := jetstream.StreamConfig{Name: "OBJ_theirs", Subjects: []string{"$O.theirs.C.>", "$O.theirs.M.>"}, MaxBytes: buckets.Storage - room, Storage: jetstream.FileStorage}
	s.User("has a bucket theirs in the object store, which leaves room for %s", inMi(room))
	s.Must(s.Store.Admin.Create(s.Context(), filler))
	s.CreateWorkspace(big, func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse(asked) })
	s.Resize(grown, asked)
	for _, name := range []string{big, grown} {
		s.NotReady(name, fmt.Sprintf("Workspace %s asks for %s, and the object store has room for %s only", name, asked, inMi(room)))
	}
	s.User("deletes the bucket theirs, with the client of the object store")
	s.Must(s.Store.Admin.Delete(s.Context(), "theirs"))
	for _, name := range []string{big, grown} {
		awaitAfterError(s, name, "the object store was full, and has room again")
		s.Usable(name)
	}
}

// awaitAfterError waits until a Workspace is ready. A controller that repeats its request retries all along, which is not waited for.
// Because says what has happened, as the first half of a sentence.
func awaitAfterError(s *scene.Scene, name, because string) {
	s.Sync()
	from := s.Log.Now()
	s.AwaitWorkspace(name, func(object *v1alpha1.Workspace) string {
		if scene.IsReady(object) {
			return ""
		}
		what := fmt.Sprintf("%s, and Workspace %s is not ready", because, name)
		if s.Had(from) > s.Patience {
			s.FindAbout(name, "Still so after %.0f s: %s. %s.", s.Patience.Seconds(), what, scene.SaysOfWorkspace(object))
		}
		return what
	})
}
