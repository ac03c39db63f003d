package lesson08

import (
	"fmt"
	"math"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// repeated has the API server create a Job whose response says that it failed: from a gateway, so that client-go repeats the
// request itself, or not at all.
func repeated(s *scene.Scene) {
	s.FromHere()
	s.Start()
	s.OnWrites(kinds.Job.Resource, sample.Web+"/"+sample.Fetch, proxy.AnswerGateway, 1)
	s.OnWrites(kinds.Job.Resource, sample.Web+"/"+sample.Build, proxy.LoseReply, 1)
	s.Create(sample.Web, sample.ThreeSteps())
	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.Struck("your controller has not created the Jobs of steps fetch and build")
	s.Settle()
	s.OnlyJobsOf(sample.Web, "web had ended", sample.Fetch, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
}

// taken has Jobs of others bear the name that the controller may choose for a step's Job, if it derives names from those of the
// object and the step. One of the runs is suspended meanwhile.
func taken(s *scene.Scene) {
	const theirs, nobodys, earlier, shared = "theirs", "nobodys", "earlier", "shared"
	s.Start()
	jobs := map[string]*batchv1.Job{
		theirs: namesake(s, theirs, &metav1.OwnerReference{
			APIVersion: "v1", Kind: "ConfigMap", Name: "archive", UID: "00000000-0000-4000-8000-0000000000e2", Controller: new(true),
		}),
		nobodys: namesake(s, nobodys, nil),
		earlier: namesake(s, earlier, &metav1.OwnerReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: earlier, UID: "00000000-0000-4000-8000-0000000000e1", Controller: new(true),
		}),
	}
	s.Create(shared, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })
	jobs[shared] = namesake(s, shared, &metav1.OwnerReference{ // so that both are deleted together
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: shared, UID: s.Now(shared).Object.UID,
	})
	s.Resume(shared)
	s.Create(theirs, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) {
		object.Spec.ActiveDeadlineSeconds = new(int64(3600)) // long after the name is free
	})
	for _, name := range []string{nobodys, earlier} {
		s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	}
	for _, name := range []string{theirs, nobodys, shared} {
		waitsOrRuns(s, name, jobs[name])
	}
	s.Suspend(nobodys) // so nothing is to be created, and a controller may look which Job the step has
	s.ConditionIs(nobodys, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Resume(nobodys)
	s.Settle()
	for name, job := range jobs {
		untouched(s, name, job)
	}

	for _, name := range []string{theirs, nobodys, shared} {
		s.User("deletes Job %s", jobs[name].Name)
		s.Must(s.Client.Delete(s.Context(), s.Reread(jobs[name])))
	}
	for _, job := range jobs {
		s.Release(job)
	}
	s.Tell("Other owners' Jobs had the names of the Jobs of step fetch, and are gone. No event says to a SequentialJob that such a name is free. Its deadline, " +
		"if it has one, is an hour away.")
	for _, name := range []string{theirs, nobodys, earlier, shared} {
		s.Complete(name, sample.Fetch, sample.Build)
		s.Succeeded(name)
	}
	s.Tell("")
	freed(s)
	alike(s)
}

// unrecordedJobs has the controller crash after it has created Jobs, which users delete, or whose labels they remove.
func unrecordedJobs(s *scene.Scene) {
	s.Start()
	ownAndGoing(s, "own")
	ownWithoutLabels(s)
}

// sameNames has Jobs come and go whose names are those of others of the same owner, or of an earlier owner of the same name.
func sameNames(s *scene.Scene) {
	s.Start()
	reborn(s)
	replaced(s)
	replacedAndRuns(s)
}

// freed has a user delete the Job that has the name of a step's Job while the controller reads it. A controller that doesn't read it tries
// again by itself.
func freed(s *scene.Scene) {
	const name = "freed"
	job := namesake(s, name, nil)
	s.OnReads(kinds.Job.Resource, "?/"+sample.Fetch, proxy.ArriveLate, 1)
	s.Create(name, sample.Steps(sample.Fetch))
	s.Comes("your controller has not read Job "+job.Name, func() bool {
		return len(s.Requests(func(r history.Request) bool { return r.Call.Verb == "get" && r.Object.Name == job.Name })) > 0
	})
	s.User("deletes Job %s", job.Name)
	s.Must(s.Client.Delete(s.Context(), s.Reread(job), client.PropagationPolicy(metav1.DeletePropagationBackground)))
	s.Release(job)
	s.Proxy.Heal()
	s.Tell("Another owner's Job had the name of the Job of step fetch of " + name + ". A user deleted it before your controller's read of it reached the API server, " +
		"so the response was 404 Not Found. No event says to " + name + " that the name is free.")
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
	s.Tell("")
}

// alike has steps whose Jobs' names differ in the last character alone, of the 60 that they have.
func alike(s *scene.Scene) {
	const name, first, second = "nightly-rebuild-of-the-customer-search-index", "import-orders-a", "import-orders-b"
	s.Create(name, sample.Steps(first, second))
	s.Tell("The names of the Jobs of its two steps have 60 characters, and only the last one differs.")
	s.Complete(name, first, second)
	s.OnlyJobsOf(name, "its run had ended", first, second)
	s.Succeeded(name)
	s.Tell("")
}

// namesake creates a Job with the name of a step's Job. A finalizer keeps it until it is released.
func namesake(s *scene.Scene, name string, owner *metav1.OwnerReference) *batchv1.Job {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, Name: v1alpha1.JobName(name, sample.Fetch), Finalizers: []string{worlds.Archived},
			Labels: map[string]string{v1alpha1.LabelSequentialJob: name, v1alpha1.LabelStep: sample.Fetch},
		},
		Spec: sample.Step(sample.Fetch).JobTemplate.Spec,
	}
	whose := "nobody"
	if owner != nil {
		job.OwnerReferences = []metav1.OwnerReference{*owner}
		whose = fmt.Sprintf("%s %s (UID %s)", owner.Kind, owner.Name, owner.UID)
		if owner.Controller == nil {
			whose += ", which does not control it"
		}
	}
	s.User("creates Job %s, which belongs to %s", job.Name, whose)
	s.Must(s.Client.Create(s.Context(), job))
	s.Must(s.Driver.Start(s.Context(), job))
	s.Must(s.Driver.Complete(s.Context(), job))
	return s.Reread(job)
}

// waitsOrRuns waits until the status says whose Job has the name. A controller that chooses other names has nothing to wait for.
func waitsOrRuns(s *scene.Scene, name string, job *batchv1.Job) {
	s.AwaitStatusMeanwhile(name, func(status *v1alpha1.SequentialJobStatus) string {
		if own := s.Now(name).Job(sample.Fetch); own != nil && own.Name != job.Name {
			return ""
		}
		summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
		if summary != nil && summary.Status != metav1.ConditionUnknown {
			s.Find("Job %s belongs to %s, so step %s of %s can't start until that name is free. Your controller has ended the run instead. The status says: %s.",
				job.Name, ownerOf(job), sample.Fetch, name, scene.Says(status))
		}
		if summary == nil || summary.Reason != v1alpha1.ReasonJobConflict || !strings.Contains(summary.Message, job.Name) {
			return fmt.Sprintf("Job %s has the name of the Job of step %s of %s, and belongs to %s. The status of %s does not say Succeeded=Unknown with the reason %s, with that name in its message",
				job.Name, sample.Fetch, name, ownerOf(job), name, v1alpha1.ReasonJobConflict)
		}
		return ""
	})
}

func ownerOf(job *batchv1.Job) string {
	owner := metav1.GetControllerOf(job)
	if owner == nil && len(job.OwnerReferences) > 0 {
		return fmt.Sprintf("nobody: %s is among its owners, and does not control it", job.OwnerReferences[0].Name)
	}
	if owner == nil {
		return "nobody"
	}
	return fmt.Sprintf("%s %s", owner.Kind, owner.Name)
}

// untouched checks that the controller has left another owner's Job alone, and has not taken it for the step's.
func untouched(s *scene.Scene, name string, job *batchv1.Job) {
	s.Untouched(job, "another owner's: "+ownerOf(job))
	entry := scene.StepIn(&s.Now(name).Object.Status, sample.Fetch)
	if entry != nil && (entry.JobUID == job.UID || entry.State == v1alpha1.StepSucceeded) {
		s.Find("Job %s belongs to %s, and not to SequentialJob %s. It is complete. The status says that step %s of %s is %s, with Job %s.",
			job.Name, ownerOf(job), name, sample.Fetch, name, entry.State, entry.JobName)
	}
}

// ownAndGoing has the controller crash after it has created a Job. A user deletes that Job, which stays for a while.
func ownAndGoing(s *scene.Scene, name string) {
	s.Settle()
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Crashed(name + "/" + sample.Fetch)
	job := s.Now(name).Job(sample.Fetch)
	s.Must(s.Driver.Start(s.Context(), job))
	s.Retain(job)
	s.User("deletes Job %s, whose pods take a while to end", job.Name)
	s.Must(s.Client.Delete(s.Context(), s.Reread(job)))
	s.Start()
	s.Settle()
	s.Await(name, func(w stage.World) string {
		for _, one := range w.Jobs {
			if one.UID != job.UID {
				s.Find("Job %s of step %s of %s is being deleted, and its pods may still run. Your controller has created Job %s for that step.",
					job.Name, sample.Fetch, name, one.Name)
			}
		}
		if entry := w.Step(sample.Fetch); entry == nil || entry.State != v1alpha1.StepRunning {
			return fmt.Sprintf("the Job %s of step %s of %s still exists, and the status does not say that the step is Running", job.Name, sample.Fetch, name)
		}
		return ""
	})
	s.Release(job)
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.OnlyJobsOf(name, "the Job of step fetch had been deleted")
}

// ownWithoutLabels has the controller crash after it has created a Job, and a user remove the Job's labels before the next process starts. One
// that chooses other names can't find it.
func ownWithoutLabels(s *scene.Scene) {
	const name = "bare"
	s.Settle()
	s.CrashAt(name + "/" + sample.Fetch)
	s.Create(name, sample.Steps(sample.Fetch))
	s.Crashed(name + "/" + sample.Fetch)
	job := s.Now(name).Job(sample.Fetch)
	if job.Name != v1alpha1.JobName(name, sample.Fetch) {
		s.Start()
		return
	}
	labels := s.Unlabel(job)
	s.Start()
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
		if summary != nil && (summary.Reason == v1alpha1.ReasonJobConflict || summary.Status != metav1.ConditionUnknown) {
			s.Find("Job %s has lost its labels. SequentialJob %s still controls it: the UID in its controller reference says so. An earlier process of your "+
				"controller has created it. The status says: %s.", job.Name, name, scene.Says(status))
		}
		if entry := scene.StepIn(status, sample.Fetch); entry == nil || entry.State != v1alpha1.StepRunning {
			return fmt.Sprintf("Job %s of step %s of %s exists, without its labels, and the status does not say that the step is Running", job.Name, sample.Fetch, name)
		}
		return ""
	})
	s.Relabel(job, labels)
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// replaced has a user replace the Job of a step that runs by another one: of the same name and labels, and with the same controller
// reference. That one is complete before the controller hears of it.
func replaced(s *scene.Scene) {
	const name = "replaced"
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Settle()
	s.HoldNext("DELETED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	other := replacedBy(s, name, job)
	s.Must(s.Driver.Start(s.Context(), other))
	s.Must(s.Driver.Complete(s.Context(), other))
	s.Struck("your controller does not watch Jobs")
	s.Proxy.Heal()
	s.Tell(hadReplaced(name, job, other) + " A step has one Job: if that is gone, no other Job counts.")
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.Tell("")
}

// replacedAndRuns has a user replace such a Job by one that goes on running. A controller may stop it before the run has ended, or afterwards.
func replacedAndRuns(s *scene.Scene) {
	const name = "outlived"
	job := s.Underway(name, sample.Fetch, sample.Build)
	s.Settle()
	s.HoldNext("DELETED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	other := replacedBy(s, name, job)
	s.Must(s.Driver.Start(s.Context(), other))
	s.Struck("your controller does not watch Jobs")
	s.Proxy.Heal()
	s.Tell(hadReplaced(name, job, other))
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
	s.Await(name, func(w stage.World) string {
		if now := w.Job(sample.Fetch); now == nil || now.DeletionTimestamp != nil {
			return ""
		}
		return fmt.Sprintf("the run of %s has ended, and the status does not know Job %s (UID %s), which still runs: nobody stops it", name, other.Name, other.UID)
	})
	s.Tell("")
}

// replacedBy has a user replace a Job by another one of the same name and labels, and with the same controller reference.
func replacedBy(s *scene.Scene, name string, job *batchv1.Job) *batchv1.Job {
	s.User("deletes Job %s, and creates another one of that name with the same controller reference", job.Name)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Needs("Job "+job.Name+" to be gone", func() bool { return s.Now(name).Job(sample.Fetch) == nil })
	other := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: job.Name, Labels: scene.OwnLabels(job), OwnerReferences: job.OwnerReferences},
		Spec:       sample.Step(sample.Fetch).JobTemplate.Spec,
	}
	s.Must(s.Client.Create(s.Context(), other))
	return other
}

func hadReplaced(name string, job, other *batchv1.Job) string {
	return fmt.Sprintf("A user had replaced the Job of step %s of %s by another one of that name (UID %s). The status names the first one (UID %s).",
		sample.Fetch, name, other.UID, job.UID)
}

// reborn has a SequentialJob be deleted with its Job, and created again. The event of that Job's deletion is late, and so is the
// response to the next one's creation. A controller that chooses other names has nothing to find out.
func reborn(s *scene.Scene) {
	const name = "reborn"
	s.Settle()
	first := s.Underway(name, sample.Fetch, sample.Build)
	if first.Name != v1alpha1.JobName(name, sample.Fetch) {
		return
	}
	s.Settle()
	s.HoldNext("DELETED", kinds.Job.Resource, jobOf(name, sample.Fetch))
	s.Delete(name, metav1.DeletePropagationBackground)
	s.Needs("the garbage collector to remove the Job of "+name, func() bool { return len(s.Now(name).Jobs) == 0 })
	s.Struck("your controller does not watch Jobs")
	s.OnWrites(kinds.Job.Resource, string(jobOf(name, sample.Fetch)), proxy.LoseReply, 1)
	s.Create(name, sample.Steps(sample.Fetch, sample.Build))
	s.Comes("your controller waits until its cache shows that the earlier Job of "+name+" is gone", func() bool {
		entry := scene.StepIn(&s.Now(name).Object.Status, sample.Fetch)
		return entry != nil && entry.State == v1alpha1.StepRunning || disputed(s, name, first) != nil
	})
	if v := disputed(s, name, first); v != nil {
		job := s.Now(name).Job(sample.Fetch)
		s.FindChange(*v, "Job %s belongs to SequentialJob %s: an earlier request of your controller has created it. Your cache still showed another Job of "+
			"that name, of an earlier SequentialJob %s, which is gone. So the status reports a conflict that does not exist: %s.",
			job.Name, name, name, scene.Says(&s.Now(name).Object.Status))
	}
	s.Proxy.Heal()
	s.Complete(name, sample.Fetch, sample.Build)
	s.Succeeded(name)
}

// disputed is the first change after which the status of a SequentialJob says that another owner's Job has the name of its own Job,
// although that exists. First is the Job of the SequentialJob of that name before.
func disputed(s *scene.Scene, name string, first *batchv1.Job) *history.Change {
	job := s.Now(name).Job(sample.Fetch)
	if job == nil || job.UID == first.UID {
		return nil
	}
	since := uint64(math.MaxUint64)
	for change, one := range jobsSeen(s) {
		if one.UID == job.UID {
			since = min(since, change.ResourceVersion)
		}
	}
	for _, v := range s.Versions(name) {
		summary := meta.FindStatusCondition(v.Status.Conditions, v1alpha1.ConditionSucceeded)
		if summary != nil && summary.Reason == v1alpha1.ReasonJobConflict && v.Change.ResourceVersion > since {
			return &v.Change
		}
	}
	return nil
}
