package lesson07

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// offline has events arrive of objects that are up to date, whatever their state.
func offline(s *scene.Scene) {
	const (
		done, failed, theirs = "done", "failed", "theirs"
		paused, waiting      = "paused", "waiting"
		charted, retry       = "charted", "retry"
		back, away, stopping = "back", "away", "stopping"
	)
	s.Begin()
	s.Create(done, sample.Steps(sample.Fetch, sample.Build), keptForADay)
	s.Create(failed, sample.Steps(sample.Fetch, sample.Build))
	s.Create(paused, sample.Steps(sample.Fetch))
	s.Create(theirs, sample.Steps(sample.Fetch), func(object *v1alpha1.SequentialJob) { object.Spec.ManagedBy = new("example.com/another") })
	runsElsewhere(s, theirs)
	s.Complete(done, sample.Fetch, sample.Build)
	s.Succeeded(done)
	s.User("adds the condition %s to the status of %s, with a long message", audited, done)
	s.EditStatus(done, addLongCondition)
	s.Fail(failed, sample.Fetch)
	s.ConditionIs(failed, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	s.Running(paused, sample.Fetch)
	s.StepIs(paused, sample.Fetch, v1alpha1.StepRunning)
	s.Settle()
	s.OnWrites(kinds.Job.Resource, paused+"/"+sample.Fetch, proxy.Answer500, 1) // what the cache has is as it was before the write
	s.Suspend(paused)
	s.Struck("paused is suspended, but your controller has not tried to suspend its Job")
	s.ConditionIs(paused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)

	steps := fromAChart(sample.Steps(sample.Fetch))
	s.Create(charted, steps)
	s.SameAs(s.Running(charted, sample.Fetch), &steps[0].JobTemplate) // a controller may select by such a label, if it leaves the template's value alone
	s.StepIs(charted, sample.Fetch, v1alpha1.StepRunning)

	s.Create(retry, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = new(sample.Build) })
	s.Running(retry, sample.Build)
	s.StepIs(retry, sample.Build, v1alpha1.StepRunning)

	s.Create(waiting, sample.Steps(sample.Fetch), func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })
	s.ConditionIs(waiting, v1alpha1.ConditionSuspended, metav1.ConditionTrue)

	// Its Job is being deleted, and its pods take their time.
	job := s.Underway(stopping, sample.Fetch)
	s.Retain(job)
	s.Limit(stopping, 1)
	s.Await(stopping, func(w stage.World) string {
		if now := w.Job(sample.Fetch); now != nil && now.DeletionTimestamp == nil {
			return fmt.Sprintf("the deadline of %s has passed, but its Job %s still runs", stopping, job.Name)
		}
		return ""
	})
	s.ConditionIs(stopping, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded)

	// Another one has left the cache, and stays outside. To look at it costs a read, and that is all.
	s.Unlabel(s.Underway(away, sample.Fetch))
	s.Settle()

	// A Job may have left the cache. It is back.
	job = s.Underway(back, sample.Fetch)
	s.Settle()
	labels := s.Unlabel(job)
	s.Settle()
	s.Relabel(job, labels)

	for _, step := range []string{sample.Fetch, sample.Build} {
		s.JobOf(done, step)
	}
	s.JobOf(failed, sample.Fetch)

	all := []string{sample.Web, done, failed, paused, theirs, charted, back, away, retry, waiting, stopping}
	s.Rest()
	from := s.Log.Now()
	for _, name := range all {
		s.User("annotates %s and its Jobs", name)
		now := s.Now(name)
		annotate(s, now.Object.DeepCopy())
		for _, job := range now.Jobs {
			annotate(s, job.DeepCopy())
		}
		s.Pause(name)
	}
	s.Settle()
	all = append(all, theirs+elsewhere) // a Job that does not exist is known by its name alone
	costs := s.Requests(func(r history.Request) bool {
		allowed := r.Call.Object.Family() == away && !r.Write()
		return r.Received >= from && about(r, all) && !allowed
	})
	if len(costs) > 0 {
		s.FindRequests(costs, "A user annotated SequentialJobs and Jobs, which changes nothing for your controller. It sent %s, the first of them: %s.",
			scene.Counted(len(costs), "request", "requests"), costs[0].Call)
	}
	keepsConditions(s, done)
	s.Release(s.JobOf(stopping, sample.Fetch))
	s.ConditionIs(stopping, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
}

// audited is another program's condition.
const audited = "example.com/Audited"

// addLongCondition adds another program's condition, whose message is long, and still shorter than the API server allows.
func addLongCondition(status *v1alpha1.SequentialJobStatus) {
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: audited, Status: metav1.ConditionTrue, Reason: "Checked", Message: strings.Repeat("This run was audited, and nothing was found. ", 100),
	})
}

// keepsConditions has a user change a run that has ended, to whose status another program has added a condition. The next status write says
// which spec the controller has seen, and keeps that condition. What the cache holds of such a run may be little.
func keepsConditions(s *scene.Scene, name string) {
	s.Keep(name, new(int32(2*86400)))
	generation := s.Now(name).Object.Generation
	s.AwaitStatus(name, func(status *v1alpha1.SequentialJobStatus) string {
		if said := status.ObservedGeneration; said != generation {
			return fmt.Sprintf("status.observedGeneration of %s is %d, but its generation is %d", name, said, generation)
		}
		return ""
	})
	s.KeptConditions(name, audited)
}

// elsewhere is the end of the name of a Job that runs in another cluster.
const elsewhere = "-elsewhere"

// runsElsewhere has another controller, which manages a run, record that a step runs in another cluster. Here is no such Job.
func runsElsewhere(s *scene.Scene, name string) {
	s.User("records, for the controller that manages %s, that step fetch runs in another cluster", name)
	object := s.Now(name).Object
	changed := object.DeepCopy()
	changed.Status.Steps = []v1alpha1.StepStatus{{
		Name: sample.Fetch, State: v1alpha1.StepRunning, JobName: name + elsewhere, JobUID: "00000000-0000-4000-8000-0000000000e5",
	}}
	s.Must(s.Client.Status().Patch(s.Context(), changed, client.MergeFrom(object)))
}

// fromAChart gives the templates of steps the labels that tools give to all that they install.
func fromAChart(steps []v1alpha1.Step) []v1alpha1.Step {
	for i := range steps {
		steps[i].JobTemplate.Labels = map[string]string{
			"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/name": "report", "app.kubernetes.io/instance": "nightly",
			"app.kubernetes.io/component": "batch", "app.kubernetes.io/part-of": "reports", "helm.sh/chart": "report-1.2.3",
		}
	}
	return steps
}

// keptForADay has an object that is created be deleted long after its end.
func keptForADay(object *v1alpha1.SequentialJob) {
	object.Spec.TTLSecondsAfterFinished = new(int32(86400))
}

func annotate(s *scene.Scene, object client.Object) {
	before := object.DeepCopyObject().(client.Object)
	metav1.SetMetaDataAnnotation(metadataOf(object), "example.com/seen", "yes")
	s.Must(s.Client.Patch(s.Context(), object, client.MergeFrom(before)))
}

// metadataOf is the metadata of a SequentialJob or of a Job.
func metadataOf(object client.Object) *metav1.ObjectMeta {
	if job, is := object.(*batchv1.Job); is {
		return &job.ObjectMeta
	}
	return &object.(*v1alpha1.SequentialJob).ObjectMeta
}

// about says whether a request is about one of these SequentialJobs or its Jobs, or about all objects of a kind.
func about(r history.Request, names []string) bool {
	return slices.Contains(ours, r.Call.Resource) && r.Call.Object == history.None || slices.Contains(names, r.Call.Object.Family())
}

// restarted has many objects there when the controller starts: most have ended, some run.
func restarted(s *scene.Scene) {
	const many, some = 16, 4
	const again = "replaced"
	s.Start()
	var ended, running []string
	for i := range many {
		ended = append(ended, fmt.Sprintf("ended-%d", i))
	}
	for i := range some {
		running = append(running, fmt.Sprintf("running-%d", i))
	}
	for _, name := range append(slices.Clone(ended), running...) {
		s.Create(name, sample.Steps(sample.Fetch, sample.Build), keptForADay)
	}
	s.Create(again, sample.Steps(sample.Fetch, sample.Build))
	for _, name := range ended {
		s.Complete(name, sample.Fetch)
	}
	for i, name := range ended {
		if i%4 == 0 {
			s.Fail(name, sample.Build)
			s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
			continue
		}
		s.Complete(name, sample.Build)
		s.Succeeded(name)
	}
	for _, name := range running {
		s.Running(name, sample.Fetch)
		s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	}
	s.Complete(again, sample.Fetch)
	s.Running(again, sample.Build)
	s.StepIs(again, sample.Build, v1alpha1.StepRunning)
	s.Rest()

	s.Stop()
	for i, name := range ended {
		if i%4 == 1 { // nobody needs it any more
			s.Must(s.Driver.Vanish(s.Context(), s.JobOf(name, sample.Fetch)))
		}
	}
	copied := s.Copy(running[0], s.JobOf(running[0], sample.Fetch), sample.Build)
	old := s.Now(again).Object.UID
	s.Delete(again, metav1.DeletePropagationBackground)
	withoutFinalizers(s, again)
	s.Create(again, sample.Steps(sample.Fetch, sample.Build))
	s.Start()
	s.Settle()
	watchesAlone(s, append(ended, running...))

	// The object that has the name now has Jobs of its own.
	s.Complete(again, sample.Fetch, sample.Build)
	s.Succeeded(again)
	for _, job := range s.Now(again).Jobs {
		if job.OwnerReferences[0].UID == old {
			s.Untouched(job, "of an earlier SequentialJob "+again)
		}
	}
	s.Complete(running[0], sample.Fetch)
	s.Await(running[0], func(w stage.World) string {
		if w.Running(sample.Build) != nil {
			return ""
		}
		if w.Object != nil {
			for _, step := range w.Object.Status.Steps {
				if step.JobUID == copied.UID {
					s.Find("A user created Job %s, with the labels of step %s of %s. %[3]s is among its owners, so that both are deleted together, but does not "+
						"control it. Your controller took it for the step's Job. The status says: %s.", copied.Name, step.Name, running[0], scene.Says(&w.Object.Status))
				}
			}
		}
		return s.NotRunning(w, running[0], sample.Build)
	})
	s.Complete(running[0], sample.Build)
	s.Succeeded(running[0])
	s.Settle() // the controller may do something about the end
	s.Untouched(copied, "a user's")
}

// withoutFinalizers checks that an object is gone that a user has deleted while no controller ran.
func withoutFinalizers(s *scene.Scene, name string) {
	object := &v1alpha1.SequentialJob{}
	err := s.Client.Get(s.Context(), client.ObjectKey{Namespace: s.Namespace, Name: name}, object)
	if err == nil {
		s.Find("A user deleted SequentialJob %s while your controller was not running, and it is still there, with these finalizers: %s. A SequentialJob needs none: "+
			"the garbage collector removes its Jobs, because of their owner references.", name, strings.Join(object.Finalizers, ", "))
	}
	s.Must(client.IgnoreNotFound(err))
}

// watchesAlone checks that the current process has sent no request about these objects. Before each watch it may list.
func watchesAlone(s *scene.Scene, names []string) {
	instance, _, _ := s.Current()
	requests := s.Requests(func(r history.Request) bool { return r.Instance == instance })
	asked := slices.DeleteFunc(slices.Clone(requests), func(r history.Request) bool {
		return r.Call.Object == history.None || !about(r, names)
	})
	const what = "After a restart with %d SequentialJobs that are up to date, your controller "
	if len(asked) > 0 {
		s.FindRequests(asked, what+"sent %s about them, the first of them: %s.", len(names), scene.Counted(len(asked), "request", "requests"), asked[0].Call)
	}
	opened := 0
	for _, stream := range s.Log.Run().Streams {
		if stream.Instance == instance && slices.Contains(ours, stream.Resource) {
			opened++
		}
	}
	listed := slices.DeleteFunc(lists(requests), func(r history.Request) bool { return !slices.Contains(ours, r.Call.Resource) })
	if len(listed) > opened {
		s.FindRequests(listed, what+"sent %s and opened %s. Only a list that a watch begins with is needed.",
			len(names), scene.Counted(len(listed), "list", "lists"), scene.Counted(opened, "watch", "watches"))
	}
}

// lists are the successful lists among requests.
func lists(requests []history.Request) []history.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r history.Request) bool { return r.Call.Verb != "list" || !r.Succeeded() || r.Fault != 0 })
}
