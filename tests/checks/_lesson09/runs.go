package lesson09

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/sample"
)

// withOwn gives a run a Workspace of its own.
func withOwn(object *v1alpha1.SequentialJob) {
	object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse(scene.Capacity))}
}

// using has a run use a Workspace that exists.
func using(name string) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.Workspace = &v1alpha1.WorkspaceSource{Name: &name} }
}

// ready has a run wait for a store that is down, and another one for a Workspace whose spec has just been changed. Before that, the
// API server refuses a Workspace's Secret for a while.
func ready(s *scene.Scene) {
	const own, shared, user = "own", "shared", "user"
	s.Start()
	bindingComesFirst(s)
	s.CreateWorkspace(shared)
	s.WorkspaceReady(shared)

	s.StoreDown()
	s.Create(own, prepared(), withOwn)
	waits(s, own, "the object store is down, so its Workspace can't be ready")
	s.StoreUp()
	bound(s, s.Running(own, sample.Fetch), own)
	s.Complete(own, sample.Fetch)
	s.Succeeded(own)

	s.StoreDown()
	s.Fault("answer 500: next 1000 writes " + scene.WorkspaceStatus + " " + shared) // until it is taken back
	s.Resize(shared, "2Mi")
	s.Create(user, sample.Steps(sample.Fetch), using(shared))
	waits(s, user, "the spec of Workspace "+shared+" has been changed, and its condition Ready is still about the spec before")
	s.Disarm()
	s.StoreUp()
	s.Complete(user, sample.Fetch)
	s.Succeeded(user)
}

// prepared is a step whose pod has an init container.
func prepared() []v1alpha1.Step {
	steps := sample.Steps(sample.Fetch)
	pod := &steps[0].JobTemplate.Spec.Template.Spec
	pod.InitContainers = []corev1.Container{{Name: "prepare", Image: "step"}}
	return steps
}

// waits waits until the status of a run says that it waits for its Workspace. Because says why it has to.
func waits(s *scene.Scene, name, because string) {
	s.AwaitStatusMeanwhile(name, func(status *v1alpha1.SequentialJobStatus) string {
		s.NothingOf(s.Now(name), "must not start yet: "+because)
		condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionWorkspaceReady)
		if condition == nil || condition.Status == metav1.ConditionTrue {
			return fmt.Sprintf("%s, and the status of %s does not say WorkspaceReady=False", because, name)
		}
		return ""
	})
}

// bound checks that each container of a Job gets the Secret of a Workspace.
func bound(s *scene.Scene, job *batchv1.Job, workspace string) {
	binding := s.WorkspaceReady(workspace).Status.Binding
	if binding == nil {
		s.Find("Workspace %s is Ready, and status.binding does not name its Secret.", workspace)
	}
	for _, container := range append(job.Spec.Template.Spec.InitContainers, job.Spec.Template.Spec.Containers...) {
		found := false
		for _, source := range container.EnvFrom {
			found = found || source.SecretRef != nil && source.SecretRef.Name == binding.Name && source.Prefix == v1alpha1.WorkspacePrefix
		}
		if !found {
			s.Find("Container %s of Job %s does not get the Secret %s of Workspace %s as environment variables with the prefix %s. So its program does not know where the bucket is.",
				container.Name, job.Name, binding.Name, workspace, v1alpha1.WorkspacePrefix)
		}
	}
}

// bindingComesFirst has the API server refuse a Workspace's Secret for a while.
func bindingComesFirst(s *scene.Scene) {
	const sealed = "sealed"
	secret := v1alpha1.BindingName(sealed)
	s.Fault("answer 500: next 1000 writes " + kinds.Secret.Resource + " " + secret) // until it is taken back
	s.CreateWorkspace(sealed)
	s.Struck("your controller has not tried to create the Secret of Workspace " + sealed)
	s.Disarm()
	s.WorkspaceReady(sealed)
	created := uint64(0)
	for _, change := range s.Log.Run().Changes {
		if change.Resource == kinds.Secret.Resource && change.Object.GetName() == secret && created == 0 {
			created = change.ResourceVersion
		}
	}
	for _, version := range s.WorkspaceVersions(sealed) {
		if scene.IsReady(version.Workspace) && (created == 0 || version.Change.ResourceVersion < created) {
			s.FindChange(version.Change, "Workspace %s was Ready, and its Secret %s did not exist. A step that starts then does not know where its bucket is.", sealed, secret)
		}
	}
	hasEntries(s, sealed)
}

// hasEntries checks what is in the Secret of a Workspace that is ready.
func hasEntries(s *scene.Scene, name string) {
	object := s.WorkspaceReady(name)
	secret := &corev1.Secret{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: v1alpha1.BindingName(name)}, secret))
	if got, want := string(secret.Data[v1alpha1.BindingBucket]), v1alpha1.BucketName(object.UID); got != want {
		s.Find("The entry %s of Secret %s is %q. The bucket of Workspace %s is %s.", v1alpha1.BindingBucket, secret.Name, got, name, want)
	}
	if len(secret.Data[v1alpha1.BindingURL]) == 0 {
		s.Find("Secret %s has no entry %s, which says where the object store is.", secret.Name, v1alpha1.BindingURL)
	}
	if !metav1.IsControlledBy(secret, object) {
		s.Find("Workspace %s does not control its Secret %s: %s. So the garbage collector does not delete it.", name, secret.Name, kinds.Unowned(secret))
	}
}

// whose has runs with a Workspace of their own, one that uses another one, and two whose Workspace's name is taken.
func whose(s *scene.Scene) {
	const own, shared, user, taken, reborn = "own", "shared", "user", "taken", "reborn"
	s.Start()
	s.CreateWorkspace(shared)
	kept := s.WorkspaceReady(shared)
	theirs := s.CreateWorkspace(taken)
	s.WorkspaceReady(taken)
	earlier := s.CreateWorkspace(reborn, func(object *v1alpha1.Workspace) {
		object.Finalizers = []string{archived}
		object.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: reborn, UID: "00000000-0000-4000-8000-0000000000e1", Controller: new(true),
		}}
	})

	s.Create(own, sample.Steps(sample.Fetch), withOwn)
	s.Create(user, sample.Steps(sample.Fetch), using(shared))
	s.Create(taken, sample.Steps(sample.Fetch), withOwn)
	s.Create(reborn, sample.Steps(sample.Fetch), withOwn)
	for _, name := range []string{own, user} {
		s.Complete(name, sample.Fetch)
		s.Succeeded(name)
	}
	s.AwaitStatus(taken, func(status *v1alpha1.SequentialJobStatus) string {
		s.NothingOf(s.Now(taken), "can't have a Workspace of its own: another owner's has that name. It must not start")
		condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionWorkspaceReady)
		if condition == nil || condition.Reason != v1alpha1.ReasonWorkspaceConflict {
			return fmt.Sprintf("Workspace %s exists, and run %s does not own it. The status of the run does not say WorkspaceReady=False with the reason %s", taken, taken, v1alpha1.ReasonWorkspaceConflict)
		}
		return ""
	})
	waits(s, reborn, "the Workspace of its name belongs to an earlier run of that name, and is about to go")
	s.Settle()
	untouched(s, theirs, "nobody's")

	workspace := s.WorkspaceNow(own)
	if !metav1.IsControlledBy(workspace, s.Now(own).Object) {
		s.Find("Run %s has a Workspace of its own, and does not control it. So the garbage collector does not delete it with the run.", own)
	}
	for _, name := range []string{own, user} {
		s.Delete(name, metav1.DeletePropagationBackground)
	}
	s.WorkspaceGone(own)
	nothingOf(s, workspace)
	s.Settle()
	untouched(s, kept, "shared by several runs")

	s.DeleteWorkspace(taken)
	release(s, earlier.Name)
	for _, name := range []string{taken, reborn} {
		s.Complete(name, sample.Fetch)
		s.Succeeded(name)
	}
}

// untouched checks that a Workspace is still there, and nobody's child.
func untouched(s *scene.Scene, before *v1alpha1.Workspace, why string) {
	now := s.WorkspaceNow(before.Name)
	deleted := s.Requests(func(r history.Request) bool {
		return r.Call.Verb == "delete" && r.Call.Resource == kinds.Workspace.Resource && r.Object.Name == before.Name
	})
	switch {
	case len(deleted) > 0:
		s.FindRequests(deleted, "Workspace %s is %s. Your controller deleted it.", before.Name, why)
	case now == nil || now.UID != before.UID || now.DeletionTimestamp != nil:
		s.Find("Workspace %s is %s, and nobody has deleted it. It is gone, or being deleted. Its owner references were: %v.", before.Name, why, before.OwnerReferences)
	case len(now.OwnerReferences) > len(before.OwnerReferences):
		s.FindRequests(s.WorkspaceWrites(before.Name, 0), "Workspace %s is %s. Your controller made %s %s its owner, so the garbage collector deletes it with that one.",
			before.Name, why, now.OwnerReferences[0].Kind, now.OwnerReferences[0].Name)
	}
}
