package lesson09

import (
	"fmt"
	"net/http"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
)

// waits has runs whose Workspace is not ready: its own, whose bucket is not there yet; one that others change; one that comes later.
func waits(s *scene.Scene) {
	const guest, patient, later = "guest", "patient", "later"
	s.AllowTimeouts()
	s.Start()
	s.OnWrites(buckets.Resource, sample.Web, buckets.Unavailable, scene.Many)
	steps := sample.Steps(sample.Fetch, sample.Build)
	steps[0].JobTemplate.Spec.Template.Spec = severalContainers(sample.Fetch)
	s.Create(sample.Web, steps, scene.Owns)
	s.Struck("your controller has not created Workspace web with a bucket, which the run asks for with spec.workspace.capacity")
	const noBucket = "The object store was not available, so Workspace web had no bucket"
	doesNotStart(s, sample.Web, noBucket)
	s.Create(guest, sample.Steps(sample.Fetch), scene.Uses(sample.Web))
	doesNotStart(s, guest, noBucket)
	s.Disarm()
	boundTo(s, s.Running(sample.Web, sample.Fetch), s.WorkspaceReady(sample.Web))
	boundTo(s, s.Running(guest, sample.Fetch), s.WorkspaceReady(sample.Web))
	s.Complete(guest, sample.Fetch)
	s.Succeeded(guest)
	s.ConditionIs(sample.Web, v1alpha1.ConditionWorkspaceReady, metav1.ConditionTrue)
	s.Complete(sample.Web, sample.Fetch)
	boundTo(s, s.Running(sample.Web, sample.Build), s.WorkspaceReady(sample.Web))
	s.Complete(sample.Web, sample.Build)
	s.Succeeded(sample.Web)

	s.Create(patient, sample.Steps(sample.Fetch), scene.Uses(later))
	doesNotStart(s, patient, "There was no Workspace "+later)
	s.CreateWorkspace(later)
	boundTo(s, s.Running(patient, sample.Fetch), s.WorkspaceReady(later))
	s.Complete(patient, sample.Fetch)
	s.Succeeded(patient)
	isAboutNewSpec(s, patient)

	s.Create(later, sample.Steps(sample.Fetch), scene.Uses(later)) // a run that has the name of a Workspace, and only uses it
	boundTo(s, s.Running(later, sample.Fetch), s.WorkspaceReady(later))
	s.Complete(later, sample.Fetch)
	s.Succeeded(later)
	overdue(s)
}

// isAboutNewSpec has a user change the spec of a run that has ended, and waits until the condition WorkspaceReady is about that too.
func isAboutNewSpec(s *scene.Scene, name string) {
	s.Keep(name, new(int32(3600)))
	generation := s.Now(name).Object.Generation
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionWorkspaceReady)
		if condition != nil && condition.ObservedGeneration == generation {
			return ""
		}
		return fmt.Sprintf("a user has changed ttlSecondsAfterFinished of %s, whose run has ended. Its generation is %d, and its condition %s is not about that generation",
			name, generation, v1alpha1.ConditionWorkspaceReady)
	})
}

// waitsForSecret has the API server refuse Workspaces' Secrets for a while.
func waitsForSecret(s *scene.Scene) {
	const reader, sealed, denied, lengthy, counted, taken = "reader", "sealed", "denied", "lengthy", "counted", "taken"
	s.AllowTimeouts()
	s.Start()
	secret := v1alpha1.BindingName(sealed)
	s.OnWrites(kinds.Secret.Resource, secret, proxy.Answer500, scene.Many)
	s.CreateWorkspace(sealed)
	s.Struck("your controller has not tried to create Secret " + secret + ", with what a program needs to use Workspace " + sealed)
	s.Create(reader, sample.Steps(sample.Fetch), scene.Uses(sealed))
	doesNotStart(s, reader, fmt.Sprintf("Workspace %s had no Secret %s, because the API server refused to create it", sealed, secret))
	if now := s.WorkspaceNow(sealed); scene.IsReady(now) {
		s.FindAbout(sealed, "Workspace %s says that it is ready. But it has no Secret %s, because the API server refused to create it. %s.",
			sealed, secret, scene.SaysOfWorkspace(now))
	}
	s.Disarm()
	boundTo(s, s.Running(reader, sample.Fetch), s.WorkspaceReady(sealed))
	s.Complete(reader, sample.Fetch)
	s.Succeeded(reader)
	secretInOtherWords(s, denied)
	secretAtLength(s, lengthy)
	secretAndQuota(s, counted)
	secretTakenMeanwhile(s, taken)
}

// waitsForChange has users change a Workspace while runs use it: a run that is about to start, one between two steps, one whose Job the API server has
// refused, and one that is suspended.
func waitsForChange(s *scene.Scene) {
	const user, shared, halfway = "user", "shared", "halfway"
	s.AllowTimeouts()
	s.Start()
	s.CreateWorkspace(shared)
	s.WorkspaceReady(shared)
	s.Settle()
	s.Create(halfway, sample.Steps(sample.Fetch, sample.Build), scene.Uses(shared))
	s.Running(halfway, sample.Fetch)
	s.StepIs(halfway, sample.Fetch, v1alpha1.StepRunning)
	s.OnWrites(scene.WorkspaceStatus, shared, proxy.Answer500, scene.Many)
	s.Resize(shared, "2Mi")
	s.Struck("a user has changed the capacity of Workspace " + shared + ", and your controller has not tried to write that into the status")
	s.Create(user, sample.Steps(sample.Fetch), scene.Uses(shared))
	unknown := fmt.Sprintf("Workspace %s said Ready=True about its generation 1, and its generation was 2: the API server had refused the write of a newer "+
		"status. Nobody knew whether the bucket was as generation 2 asks for", shared)
	doesNotStart(s, user, unknown)
	s.Complete(halfway, sample.Fetch)
	s.StepIs(halfway, sample.Fetch, v1alpha1.StepSucceeded)
	s.Settle()
	if jobs := s.Now(halfway).Jobs; len(jobs) > 1 {
		s.FindJobs("%s. Your controller started step %s of %s all the same, with Job %s.", unknown, sample.Build, halfway, jobs[1].Name)
	}
	s.Disarm()
	s.Complete(halfway, sample.Build)
	s.Succeeded(halfway)
	boundTo(s, s.Running(user, sample.Fetch), s.WorkspaceReady(shared))
	s.Complete(user, sample.Fetch)
	s.Succeeded(user)
	claimedWhileItWaits(s, shared)
	resumedMeanwhile(s, shared)
}

// resumedMeanwhile has a user resume a run while the store, which is down, does not have the current spec of its Workspace. Its step has started
// before, so it may finish.
func resumedMeanwhile(s *scene.Scene, workspace string) {
	const run = "resumed"
	s.Create(run, sample.Steps(sample.Fetch), scene.Uses(workspace))
	s.Running(run, sample.Fetch)
	s.StepIs(run, sample.Fetch, v1alpha1.StepRunning)
	s.Suspend(run)
	s.ConditionIs(run, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.StoreDown()
	s.Resize(workspace, "4Mi")
	because := "The object store is down, so Workspace " + workspace + " is not ready for its current spec"
	s.NotReady(workspace, because)
	s.Settle()
	s.Resume(run)
	s.Tell(because + ". Step " + sample.Fetch + " of " + run + " had started before that, when it was ready. A step that has started may finish, and a user has resumed the run.")
	s.Running(run, sample.Fetch)
	s.Tell("")
	s.StoreUp()
	s.Complete(run, sample.Fetch)
	s.Succeeded(run)
}

// overdue has a run with a deadline use a Workspace that nobody creates.
func overdue(s *scene.Scene) {
	const late = "overdue"
	s.Create(late, sample.Steps(sample.Fetch), scene.Uses("nobodys"), func(object *v1alpha1.SequentialJob) { object.Spec.ActiveDeadlineSeconds = new(int64(1)) })
	s.ConditionIs(late, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
}

// claimedWhileItWaits has a run whose Job the API server refuses to create. When it no longer does, the run's Workspace is not ready any
// more.
func claimedWhileItWaits(s *scene.Scene, workspace string) {
	const claimed = "claimed"
	s.OnWrites(kinds.Job.Resource, claimed+"/"+sample.Fetch, proxy.Answer500, scene.Many)
	s.Create(claimed, sample.Steps(sample.Fetch), scene.Uses(workspace))
	s.Struck("your controller has not tried to create the Job of step " + sample.Fetch + " of " + claimed)
	s.StoreDown()
	s.Resize(workspace, "3Mi")
	because := "The object store was down, so Workspace " + workspace + " was not ready for its current spec"
	s.NotReady(workspace, because)
	s.Settle()
	s.Disarm()
	s.Annotate(s.Now(claimed).Object)
	s.Settle()
	if jobs := s.Now(claimed).Jobs; len(jobs) > 0 {
		s.FindJobs("%s. Your controller started step %s of %s all the same, with Job %s. It had tried before, while the Workspace was ready, and the API server had refused the Job.",
			because, sample.Fetch, claimed, jobs[0].Name)
	}
	s.StoreUp()
	boundTo(s, s.Running(claimed, sample.Fetch), s.WorkspaceReady(workspace))
	s.Complete(claimed, sample.Fetch)
	s.Succeeded(claimed)
}

// doesNotStart waits until the status of a run says that its Workspace is not ready, and checks that no step starts. Because says why
// the Workspace is not, as a sentence without a full stop.
func doesNotStart(s *scene.Scene, name, because string) {
	nothing := func() {
		if jobs := s.Now(name).Jobs; len(jobs) > 0 {
			s.FindJobs("%s. Your controller started step %s of %s all the same, with Job %s.", because, sample.Fetch, name, jobs[0].Name)
		}
	}
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		nothing()
		condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionWorkspaceReady)
		if condition != nil && condition.Status != metav1.ConditionTrue {
			return ""
		}
		return fmt.Sprintf("the status of %s does not say with the condition %s that its Workspace is not ready", name, v1alpha1.ConditionWorkspaceReady)
	})
	s.Settle()
	nothing()
}

// severalContainers is a pod with two containers and one that runs before them.
func severalContainers(step string) corev1.PodSpec {
	pod := sample.Step(step).JobTemplate.Spec.Template.Spec
	pod.Containers[0].EnvFrom = []corev1.EnvFromSource{{
		ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}, Optional: new(true)},
	}}
	pod.Containers = append(pod.Containers, corev1.Container{Name: "beside", Image: "step"})
	pod.InitContainers = []corev1.Container{{Name: "before", Image: "step"}}
	return pod
}

// secretInOtherWords has a webhook refuse a Workspace's Secret in other words each time, because it names the request. A status that repeats them
// changes with each attempt.
func secretInOtherWords(s *scene.Scene, name string) {
	secret := v1alpha1.BindingName(name)
	s.OnWrites(kinds.Secret.Resource, secret, proxy.AnswerDeniedWithID, 2*scene.Many)
	s.CreateWorkspace(name)
	s.Struck("your controller has not tried to create Secret " + secret + ", with what a program needs to use Workspace " + name)
	s.BacksOff(scene.Refusal{
		What: "A webhook refuses Secret " + secret + ", and names the request in its message, so each message is another one",
		Tries: func() []history.Request {
			return s.Requests(func(r history.Request) bool {
				return r.Write() && r.Call.Resource == kinds.Secret.Resource && r.Call.Object == history.Logical(secret) && r.Returned == http.StatusForbidden
			})
		},
	})
	s.Disarm()
	s.Usable(name)
}

// secretAtLength has a webhook refuse a Workspace's Secret in more words than a condition's message can hold.
func secretAtLength(s *scene.Scene, name string) {
	secret := v1alpha1.BindingName(name)
	s.OnWrites(kinds.Secret.Resource, secret, proxy.AnswerDeniedAtLength, scene.Many)
	s.CreateWorkspace(name)
	s.Struck("your controller has not tried to create Secret " + secret + ", with what a program needs to use Workspace " + name)
	s.Settle()
	if invalid := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == kinds.Workspace.Resource+"/status" && r.Object.Name == name && r.Code == http.StatusUnprocessableEntity
	}); len(invalid) > 0 {
		s.FindRequests(invalid, "A webhook refuses Secret %s, with a message of 65 KB. Your controller writes it into the status of Workspace %s. The message of a condition can have 32 KB, "+
			"so the API server refuses the whole status, and nobody learns why the Workspace is not ready.", secret, name)
	}
	s.Disarm()
	s.Usable(name)
}

// secretAndQuota has the API server refuse a Workspace's Secret once, because others change the quota at the same time, and once more when a
// user has deleted the Secret later. Nobody changes the Workspace then, so no event follows.
func secretAndQuota(s *scene.Scene, name string) {
	secret := v1alpha1.BindingName(name)
	s.OnWrites(kinds.Secret.Resource, secret, proxy.AnswerConflict, 1)
	s.CreateWorkspace(name)
	s.Struck("your controller has not tried to create Secret " + secret + ", with what a program needs to use Workspace " + name)
	s.Usable(name)
	s.Settle()
	s.OnWrites(kinds.Secret.Resource, secret, proxy.AnswerConflict, 1)
	secretCreatedAgain(s, name, "the API server refuses to create Secret "+secret+" once, with a conflict, because others change the quota at the same time; a user has")
}

// secretTakenMeanwhile has a user create a Secret of their own, with the name of a Workspace's, while a webhook refuses that one.
func secretTakenMeanwhile(s *scene.Scene, name string) {
	theirs := &corev1.Secret{}
	theirs.Namespace, theirs.Name = s.Namespace, v1alpha1.BindingName(name)
	s.OnWrites(kinds.Secret.Resource, theirs.Name, proxy.AnswerDenied, scene.Many)
	s.CreateWorkspace(name)
	s.Struck("your controller has not tried to create Secret " + theirs.Name + ", with what a program needs to use Workspace " + name)
	s.Settle()
	s.User("creates Secret %s, which belongs to no Workspace", theirs.Name)
	s.Must(s.Client.Create(s.Context(), theirs))
	s.Disarm()
	s.WorkspaceIs(name, v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonSecretConflict)
}

// boundTo checks that each container of a Job gets the entries of the Workspace's Secret, and what its template says besides.
func boundTo(s *scene.Scene, job *batchv1.Job, workspace *v1alpha1.Workspace) {
	secret := v1alpha1.BindingName(workspace.Name)
	pod := job.Spec.Template.Spec
	for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
		bound := slices.ContainsFunc(container.EnvFrom, func(source corev1.EnvFromSource) bool {
			return source.Prefix == v1alpha1.WorkspacePrefix && source.SecretRef != nil && source.SecretRef.Name == secret
		})
		if !bound {
			s.Find("Container %s of Job %s does not get the entries of Secret %s as environment variables with the prefix %s: its envFrom is %s.",
				container.Name, job.Name, secret, v1alpha1.WorkspacePrefix, envFrom(container))
		}
	}
	if template := pod.Containers[0]; len(pod.InitContainers) > 0 && !slices.ContainsFunc(template.EnvFrom, func(source corev1.EnvFromSource) bool { return source.ConfigMapRef != nil }) {
		s.Find("In the template, container %s of Job %s gets its environment variables from ConfigMap settings too. In the Job it does not: its envFrom is %s.",
			template.Name, job.Name, envFrom(template))
	}
	s.HasSecret(workspace)
}

// envFrom are the sources of a container's environment variables.
func envFrom(container corev1.Container) string {
	text := ""
	for _, source := range container.EnvFrom {
		switch {
		case source.SecretRef != nil:
			text += fmt.Sprintf(" Secret %s (prefix %q)", source.SecretRef.Name, source.Prefix)
		case source.ConfigMapRef != nil:
			text += fmt.Sprintf(" ConfigMap %s (prefix %q)", source.ConfigMapRef.Name, source.Prefix)
		}
	}
	if text == "" {
		return "empty"
	}
	return text[1:]
}

// whose has a run with a Workspace of its own, one that shares another's, one whose name is taken, and one whose name an earlier run
// had, whose Workspace is about to go. Users delete the runs.
func whose(s *scene.Scene) {
	const user, shared, taken, reborn, freed = "user", "shared", "taken", "reborn", "freed"
	s.Start()
	s.CreateWorkspace(shared)
	s.CreateWorkspace(taken)
	common, foreign := s.WorkspaceReady(shared), s.WorkspaceReady(taken)
	s.Create(sample.Web, sample.Steps(sample.Fetch), scene.Owns)
	s.Complete(sample.Web, sample.Fetch)
	s.Succeeded(sample.Web)
	own, run := s.WorkspaceReady(sample.Web), s.Now(sample.Web).Object
	if !metav1.IsControlledBy(own, run) {
		s.Find("SequentialJob %s has a Workspace of its own, with spec.workspace.capacity, and does not control it: the owners of Workspace %s are: %s. "+
			"So the garbage collector does not remove it with the run.", sample.Web, own.Name, scene.OwnersOf(own))
	}
	s.Create(user, sample.Steps(sample.Fetch), scene.Uses(shared))
	s.Complete(user, sample.Fetch)
	s.Succeeded(user)

	s.Create(taken, sample.Steps(sample.Fetch), scene.Owns)
	conflicts(s, taken)
	notTaken(s, foreign, taken)

	s.CreateWorkspace(freed)
	s.WorkspaceReady(freed)
	s.Create(freed, sample.Steps(sample.Fetch), scene.Owns)
	conflicts(s, freed)
	s.Settle()
	s.DeleteWorkspace(freed)
	s.Complete(freed, sample.Fetch)
	s.Succeeded(freed)

	s.CreateWorkspace(reborn, ofEarlierRun(reborn), func(object *v1alpha1.Workspace) { object.Finalizers = []string{worlds.Archived} })
	s.Create(reborn, sample.Steps(sample.Fetch), scene.Owns)
	doesNotStart(s, reborn, "The Workspace of its name belonged to an earlier run of that name, and was about to go")
	s.ReleaseWorkspace(reborn, worlds.Archived)
	s.Complete(reborn, sample.Fetch)
	s.Succeeded(reborn)

	for _, name := range []string{sample.Web, user, taken} {
		s.Delete(name, metav1.DeletePropagationBackground)
	}
	s.WorkspaceGone(sample.Web)
	s.LeftBehind(own, "It was the own Workspace of a run that was deleted.")
	s.Settle()
	notTaken(s, foreign, taken)
	notTaken(s, common, user)
}

// refusedAtFirst has the API server refuse a run's own Workspace for a while, as with a quota that a user raises afterwards.
func refusedAtFirst(s *scene.Scene) {
	const refused = "refused"
	s.Start()
	s.OnWrites(kinds.Workspace.Resource, refused, proxy.AnswerDenied, scene.Many)
	s.Create(refused, sample.Steps(sample.Fetch), scene.Owns)
	s.Struck("your controller has not tried to create Workspace refused, which the run asks for with spec.workspace.capacity")
	s.Settle()
	s.Disarm()
	s.Complete(refused, sample.Fetch)
	s.Succeeded(refused)
}

// goneBeforeItStarts has a user delete a run's own Workspace while the store is not available for its bucket, so that no step has started.
func goneBeforeItStarts(s *scene.Scene) {
	const early = "early"
	s.Start()
	s.OnWrites(buckets.Resource, early, buckets.Unavailable, scene.Many)
	s.Create(early, sample.Steps(sample.Fetch), scene.Owns)
	s.Struck("your controller has not created Workspace early with a bucket, which the run asks for with spec.workspace.capacity")
	own := s.WorkspaceNow(early)
	const relies = "A run relies on its own Workspace as soon as that exists. Workspace early exists: the object store was not available for its bucket. "
	s.AwaitStatus(early, func(status *v1alpha1.SequentialJobStatus) string {
		if status.Workspace != nil && status.Workspace.UID == own.UID {
			return ""
		}
		return relies + "status.workspace of early does not have its UID"
	})
	s.Settle()
	s.DeleteWorkspace(early)
	s.Disarm()
	s.Tell(relies + "Then a user deleted it, before the first step of early.")
	s.ConditionIs(early, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonWorkspaceLost)
	s.Tell("")
}

// goneWhileItRuns has a user delete a Workspace while a step of runs that use it runs. The next step of one of them may fail. Their statuses must not go
// on to say that the Workspace is ready.
func goneWhileItRuns(s *scene.Scene) {
	const going, run, may = "going", "fourth", "may"
	s.Start()
	s.CreateWorkspace(going)
	s.WorkspaceReady(going)
	usesBefore(s, going, run, may)
	s.Settle()
	s.DeleteWorkspace(going)
	s.WorkspaceGone(going)
	for _, name := range []string{run, may} {
		s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
			if !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionWorkspaceReady) {
				return ""
			}
			return fmt.Sprintf("a user has deleted Workspace %s, which %s uses, and the status of %[2]s goes on to say %s=True", going, name, v1alpha1.ConditionWorkspaceReady)
		})
		s.Complete(name, sample.Fetch)
		lostItsFiles(s, name, "Workspace "+going+". A user deleted it, with all files.")
	}
}

// goneWhileItWaits has a user delete a Workspace while runs that use it wait between two steps, because the store, which is down, does not have its current
// spec.
func goneWhileItWaits(s *scene.Scene) {
	const outdated, run, may = "outdated", "sixth", "may"
	s.AllowTimeouts()
	s.Start()
	s.CreateWorkspace(outdated)
	s.WorkspaceReady(outdated)
	usesBefore(s, outdated, run, may)
	s.Settle()
	s.StoreDown()
	s.Resize(outdated, "2Mi")
	s.NotReady(outdated, "The object store is down, so Workspace "+outdated+" is not ready for its current spec")
	for _, name := range []string{run, may} {
		s.Complete(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepSucceeded)
	}
	s.Settle()
	s.DeleteWorkspace(outdated)
	for _, name := range []string{run, may} {
		lostItsFiles(s, name, "Workspace "+outdated+". A user is deleting it while the next step waits for it.")
	}
	s.StoreUp()
	s.WorkspaceGone(outdated)
}

// usesBefore has step fetch of two runs run, which use a Workspace. Step build is left. In the second run it may fail, and there a step is
// before fetch, at which that run starts.
func usesBefore(s *scene.Scene, workspace, run, may string) {
	s.Create(run, sample.Steps(sample.Fetch, sample.Build), scene.Uses(workspace))
	s.Create(may, sample.Steps("before", sample.Fetch, sample.Build), scene.Uses(workspace), func(object *v1alpha1.SequentialJob) {
		object.Spec.StartAt = new(sample.Fetch)
		object.Spec.Steps[2].OnFailure = v1alpha1.FailurePolicyContinue
	})
	for _, name := range []string{run, may} {
		s.Running(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	}
}

// replacedBefore has a run use a Workspace whose predecessor of the same name is gone. The controller starts with a stale list, which still
// shows the predecessor.
func replacedBefore(s *scene.Scene) {
	const renewed, run = "renewed", "third"
	s.Start()
	s.CreateWorkspace(renewed)
	s.WorkspaceReady(renewed)
	s.Settle()
	states := s.WorkspaceStates(renewed)
	recreated(s, renewed)
	s.Create(run, sample.Steps(sample.Fetch, sample.Build), scene.Uses(renewed))
	job := s.Running(run, sample.Fetch)
	s.StepIs(run, sample.Fetch, v1alpha1.StepRunning)
	s.Settle()
	s.Stop()
	s.Must(s.Driver.Complete(s.Context(), s.Reread(job)))
	s.Fault("start with stale kind at: " + states[len(states)-1].String())
	s.Start()
	s.Struck("your controller has not listed what it watches")
	s.Settle()
	s.Heal()
	s.AwaitStatus(run, func(status *v1alpha1.SequentialJobStatus) string {
		if summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded); summary != nil && summary.Status == metav1.ConditionFalse {
			s.Find("The API server's first list of Workspaces was stale: it showed one that was gone before %s was created. The one that %s uses has the same name, and all files. "+
				"Your controller ended the run, with the reason %s.", run, run, summary.Reason)
		}
		if len(s.Now(run).Jobs) > 1 {
			return ""
		}
		return fmt.Sprintf("step %s of %s has completed, and step %s has no Job", sample.Fetch, run, sample.Build)
	})
	s.Complete(run, sample.Build)
	s.Succeeded(run)
}

// replacedWhileItRuns has a user delete a Workspace while a step of runs that use it runs, and create another one of its name. The next step of one of
// them may fail.
func replacedWhileItRuns(s *scene.Scene) {
	const swapped, run, may = "swapped", "first", "may"
	s.Start()
	s.CreateWorkspace(swapped)
	s.WorkspaceReady(swapped)
	usesBefore(s, swapped, run, may)
	recreated(s, swapped)
	for _, name := range []string{run, may} {
		s.Complete(name, sample.Fetch)
		lostItsFiles(s, name, "Workspace "+swapped+". A user deleted it, with all files, and created another one of its name.")
	}
}

// replacedWhileSuspended has a user replace a Workspace on which no step relies yet, because its run was created suspended.
func replacedWhileSuspended(s *scene.Scene) {
	const shared, run = "shared", "fifth"
	s.Start()
	s.CreateWorkspace(shared)
	s.WorkspaceReady(shared)
	s.Create(run, sample.Steps(sample.Fetch), scene.Uses(shared), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })
	s.ConditionIs(run, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.ConditionIs(run, v1alpha1.ConditionWorkspaceReady, metav1.ConditionTrue)
	s.Settle()
	recreated(s, shared)
	s.Settle()
	if status := s.Now(run).Object.Status; scene.HasEnded(&status) {
		s.Find("A user deleted Workspace %s, and created another one of its name. %s uses it, and was suspended before its first step, so nothing of it relied on the first "+
			"one's files. Your controller ended the run: %s.", shared, run, scene.Says(&status))
	}
	s.Resume(run)
	boundTo(s, s.Running(run, sample.Fetch), s.WorkspaceReady(shared))
	s.Complete(run, sample.Fetch)
	s.Succeeded(run)
}

// replacedWhileDown has the controller crash when it has created the Job of a step. While it is down, the Job completes, and a user deletes
// the run's Workspace. Later they create another one of its name.
func replacedWhileDown(s *scene.Scene) {
	const moved, run = "moved", "second"
	s.Start()
	s.CreateWorkspace(moved)
	s.WorkspaceReady(moved)
	s.CrashAt(run + "/" + sample.Fetch)
	s.Create(run, sample.Steps(sample.Fetch, sample.Build), scene.Uses(moved))
	s.Crashed(run + "/" + sample.Fetch)
	job := s.Reread(s.Now(run).Job(sample.Fetch))
	if jobdriver.IsSuspended(job) { // as a controller may create it: nothing has run that it has not recorded
		s.Start()
		s.Complete(run, sample.Fetch, sample.Build)
		s.Succeeded(run)
		return
	}
	if job.Status.StartTime == nil {
		s.Must(s.Driver.Start(s.Context(), job))
	}
	s.Must(s.Driver.Complete(s.Context(), job))
	s.DeleteWorkspace(moved)
	s.Start()
	s.WorkspaceGone(moved)
	s.CreateWorkspace(moved)
	s.WorkspaceReady(moved)
	lostItsFiles(s, run, "Workspace "+moved+". A user deleted it, with all files, and created another one of its name.")
}

// recreated has a user delete a Workspace, and create it again.
func recreated(s *scene.Scene, name string) {
	s.DeleteWorkspace(name)
	s.WorkspaceGone(name)
	s.CreateWorkspace(name)
	s.WorkspaceReady(name)
}

// lostItsFiles waits until a run of which step fetch has run ends because the Workspace on which it relies is gone. Of says which one that is, and what became of it.
func lostItsFiles(s *scene.Scene, run, of string) {
	used := fmt.Sprintf("Step %s of %s used %s ", sample.Fetch, run, of)
	s.AwaitStatus(run, func(status *v1alpha1.SequentialJobStatus) string {
		if job := s.Now(run).Job(sample.Build); job != nil {
			s.FindJobs(used+"Your controller started step %s, with Job %s, without these files.", sample.Build, job.Name)
		}
		summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
		switch {
		case summary != nil && summary.Status == metav1.ConditionTrue:
			s.Find(used+"The next step can't start then, whatever its onFailure is. Your controller says that the run has succeeded: %s.", scene.Says(status))
		case summary != nil && summary.Status == metav1.ConditionFalse && summary.Reason == v1alpha1.ReasonWorkspaceLost:
			return ""
		}
		return fmt.Sprintf("the Workspace on which %s relies is gone, with all files. The status does not say Succeeded=False with the reason %s", run, v1alpha1.ReasonWorkspaceLost)
	})
}

// conflicts waits until the status of a run says that a user's Workspace has the name of its own one, and checks that no step starts.
func conflicts(s *scene.Scene, name string) {
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if len(s.Now(name).Jobs) > 0 {
			s.FindJobs("Workspace %s is a user's. SequentialJob %s has the same name, and asks for a Workspace of its own. Your controller started its step with the user's Workspace.",
				name, name)
		}
		condition := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionWorkspaceReady)
		if condition == nil || condition.Status == metav1.ConditionTrue || condition.Reason != v1alpha1.ReasonWorkspaceConflict {
			return fmt.Sprintf("the status of %s does not say that the name of its own Workspace is taken: %s is not False with the reason %s",
				name, v1alpha1.ConditionWorkspaceReady, v1alpha1.ReasonWorkspaceConflict)
		}
		return ""
	})
	s.OnlyJobsOf(name, "the Workspace of that name was a user's")
}

// ofEarlierRun makes a Workspace one that belongs to a run that is gone, and had the same name.
func ofEarlierRun(name string) func(*v1alpha1.Workspace) {
	return func(object *v1alpha1.Workspace) {
		object.Labels = map[string]string{v1alpha1.LabelSequentialJob: name}
		object.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: name, UID: "00000000-0000-4000-8000-0000000000e1", Controller: new(true),
		}}
	}
}

// notTaken checks that a Workspace which does not belong to a run is as it was.
func notTaken(s *scene.Scene, before *v1alpha1.Workspace, run string) {
	now := s.WorkspaceNow(before.Name)
	deletions := s.Requests(func(r history.Request) bool {
		return r.Call.Resource == kinds.Workspace.Resource && r.Call.Verb == "delete" && r.Object.Name == before.Name
	})
	switch {
	case len(deletions) > 0:
		s.FindRequests(deletions, "Workspace %s does not belong to SequentialJob %s, and your controller deleted it, with the files of all its users.", before.Name, run)
	case now == nil || now.UID != before.UID || now.DeletionTimestamp != nil:
		s.Find("Workspace %s does not belong to SequentialJob %s. It is gone, or being deleted, with the files of all its users.", before.Name, run)
	case len(now.OwnerReferences) > 0:
		s.Find("Workspace %s is a user's. Your controller has given it an owner (%s), so it goes when SequentialJob %s goes.", before.Name, scene.OwnersOf(now), run)
	case now.Generation != before.Generation:
		s.Find("Workspace %s is a user's, and its spec has changed since SequentialJob %s was created.", before.Name, run)
	}
}
