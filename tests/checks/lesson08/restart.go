package lesson08

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
)

// restarted has the controller start again with each earlier state of a run. The Job of the step that has finished is gone.
func restarted(s *scene.Scene) {
	s.FromHere()
	s.Start()
	secondStep(s, sample.Web, sample.ThreeSteps())
	states := statesOf(s, kinds.SequentialJob.Resource, sample.Web)
	staleStarts(s, states[:len(states)-1], func([]history.Request) {})
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
}

// replacedSince has the controller start again with each earlier state of two runs of one name, of which the second one has taken the place of the first one.
func replacedSince(s *scene.Scene) {
	const renewed = "renewed"
	s.FromHere()
	s.Start()
	old := s.Underway(renewed, sample.Fetch, sample.Build).OwnerReferences[0].UID
	s.Delete(renewed, metav1.DeletePropagationBackground)
	s.Needs("the garbage collector to remove the Jobs of "+renewed, func() bool { return len(s.Now(renewed).Jobs) == 0 })
	secondStep(s, renewed, sample.Steps(sample.Fetch, sample.Build))
	states := statesOf(s, kinds.SequentialJob.Resource, renewed)
	staleStarts(s, states[:len(states)-1], func(created []history.Request) {
		for _, r := range created {
			if job := jobOfUID(s, r.UID); job != nil && job.OwnerReferences[0].UID == old {
				s.FindRequests(created, "SequentialJob %s had been deleted, and another one of that name had been created. The list with which your controller "+
					"started still showed the first one. So it created Job %s for an object that does not exist any more.", renewed, job.Name)
			}
		}
	})
	s.Complete(renewed, sample.Build)
	s.Succeeded(renewed)
}

// deletedSince has the controller start again with each earlier state of a run that a user has deleted, and whose Jobs are gone.
func deletedSince(s *scene.Scene) {
	const gone = "gone"
	s.FromHere()
	s.Start()
	secondStep(s, gone, sample.Steps(sample.Fetch, sample.Build))
	states := statesOf(s, kinds.SequentialJob.Resource, gone)
	s.Delete(gone, metav1.DeletePropagationBackground)
	s.Needs("the garbage collector to remove the Jobs of "+gone, func() bool {
		now := s.Now(gone)
		return now.Object == nil && len(now.Jobs) == 0
	})
	s.Settle()
	staleStarts(s, states, func(created []history.Request) {
		if len(created) > 0 {
			s.FindRequests(created, "SequentialJob %s had been deleted. The list with which your controller started still showed it. So your controller tried to create "+
				"a Job for an object that does not exist any more: %s.", gone, created[0].Call)
		}
	})
}

// secondStep creates a run, and waits until its second step runs. Then the Job of the first one, which nobody needs any more, is removed.
func secondStep(s *scene.Scene, name string, steps []v1alpha1.Step) {
	s.Create(name, steps)
	fetch := s.Running(name, sample.Fetch)
	s.Complete(name, sample.Fetch)
	s.Running(name, sample.Build)
	s.StepIs(name, sample.Build, v1alpha1.StepRunning)
	s.Must(s.Driver.Vanish(s.Context(), fetch))
	s.Settle()
}

// resumedSince restarts the controller with SequentialJobs as they were when a run was suspended. It has been resumed since, as the Jobs show. A user has
// the controller look once more.
func resumedSince(s *scene.Scene) {
	const resumed = "resumed"
	s.FromHere()
	s.Start()
	s.Underway(resumed, sample.Fetch)
	s.Suspend(resumed)
	s.ConditionIs(resumed, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	whileSuspended := last(statesOf(s, kinds.SequentialJob.Resource, resumed))
	s.Resume(resumed)
	s.Running(resumed, sample.Fetch)
	s.ConditionIs(resumed, v1alpha1.ConditionSuspended, metav1.ConditionFalse)
	s.Settle()
	staleStart(s, "start with stale kind at", whileSuspended)
	s.Annotate(s.Now(resumed).Job(sample.Fetch))
	s.Settle()
	if writes := writesOfThisProcess(s, jobOf(resumed, sample.Fetch)); len(writes) > 0 {
		s.FindRequests(writes, "%s had been suspended, and had been resumed since. The list with which your controller started still showed it suspended. "+
			"So it changed Job %s, which has to run: %s.", resumed, writes[0].Object.Name, writes[0].Call)
	}
	s.Proxy.Heal()
	s.Complete(resumed, sample.Fetch)
	s.Succeeded(resumed)
}

// suspendedSince restarts the controller with SequentialJobs as they were before a user suspended one. It learns about another one first: that one has not
// changed since, and a webhook refuses its Job all along. Then the user suspends the Job too.
func suspendedSince(s *scene.Scene) {
	const paused, another, always = "paused", "another", 1000
	s.FromHere()
	s.Start()
	s.OnWrites(kinds.Job.Resource, another+"/"+sample.Fetch, proxy.AnswerDenied, always)
	s.Create(another, sample.Steps(sample.Fetch))
	s.ConditionIs(another, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobRefused)
	s.Underway(paused, sample.Fetch)
	s.Settle()
	whileRunning := last(statesOf(s, kinds.SequentialJob.Resource, paused))
	s.Stop()
	s.Suspend(paused)
	startStale(s, "start with stale kind at", whileRunning)
	job := s.Now(paused).Job(sample.Fetch)
	s.User("suspends Job %s", job.Name)
	s.Must(s.Client.Patch(s.Context(), job.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"suspend":true}}`))))
	s.Settle()
	if writes := writesOfThisProcess(s, jobOf(paused, sample.Fetch)); len(writes) > 0 {
		s.FindRequests(writes, "A user has suspended %s, and its Job %s too. The list with which your controller started still showed the SequentialJob as it "+
			"was before. So it changed that Job, which must not run: %s.", paused, job.Name, writes[0].Call)
	}
	s.Proxy.Heal()
	s.ConditionIs(paused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Disarm()
	s.Complete(another, sample.Fetch)
	s.Succeeded(another)
}

// staysStale restarts the controller with a list that shows a run before its first Job was recorded, and keeps it stale for longer than controllers wait
// for the event of a Job. The Job is complete, and gone.
func staysStale(s *scene.Scene) {
	const name, most = sample.Web, 12 * time.Second
	s.FromHere()
	s.Start()
	secondStep(s, name, sample.Steps(sample.Fetch, sample.Build))
	recorded := map[uint64]bool{}
	for _, v := range s.Versions(name) {
		entry := scene.StepIn(&v.Status, sample.Fetch)
		recorded[v.Change.ResourceVersion] = entry != nil && entry.JobUID != ""
	}
	states := statesOf(s, kinds.SequentialJob.Resource, history.Logical(name))
	var moment history.Moment
	for _, frame := range s.Log.Run().Frames {
		if slices.Contains(states, frame.Moment) && !recorded[frame.ResourceVersion] {
			moment = frame.Moment
		}
	}
	staleStart(s, "start stale at", moment)
	from, patience := s.Log.Now(), s.Patience
	s.Patience = 2 * most
	s.Comes("your controller waits until its cache shows the current state of "+name, func() bool {
		return s.Had(from) > most || s.Now(name).Job(sample.Fetch) != nil
	})
	s.Patience = patience
	s.WatchOver()
	s.Proxy.Heal()
	s.Complete(name, sample.Build)
	s.Succeeded(name)
}

// stillHalted restarts the controller with the Jobs as they were when one had been asked to stop, and had not stopped yet. The
// SequentialJob is current, and says that it has stopped. A user has the controller look twice.
func stillHalted(s *scene.Scene) {
	const name = "halted"
	s.FromHere()
	s.Start()
	s.Underway(name, sample.Fetch)
	s.Suspend(name)
	s.ConditionIs(name, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.Settle()
	staleStart(s, "start with stale kind at", whileStopping(s, jobOf(name, sample.Fetch)))
	triggered(s, name)
	writes := slices.DeleteFunc(s.StatusWrites(name), func(r history.Request) bool { return !ofThisProcess(s, r) || !r.Succeeded() })
	if len(writes) > 0 {
		s.FindRequests(writes, "%s is suspended, and its status says so. The list of Jobs with which your controller started still showed Job %s as it was before "+
			"it had stopped. So it wrote a status that is older than what it said before.", name, s.Now(name).Job(sample.Fetch).Name)
	}
	s.Proxy.Heal()
	s.Settle()
}

// whileStopping is the event after which a Job was asked to be suspended, and was not suspended yet.
func whileStopping(s *scene.Scene, job history.Logical) history.Moment {
	versions := map[uint64]bool{}
	for change, one := range jobsSeen(s) {
		versions[change.ResourceVersion] = jobdriver.IsSuspended(one) && !jobdriver.Holds(one, batchv1.JobSuspended)
	}
	states := statesOf(s, kinds.Job.Resource, job)
	for _, frame := range s.Log.Run().Frames {
		if slices.Contains(states, frame.Moment) && versions[frame.ResourceVersion] {
			return frame.Moment
		}
	}
	s.NotJudged("it needs the event of Job %s being asked to stop, which did not reach your controller", job)
	return history.Moment{}
}

// staleStarts restarts the controller with a list of each of some moments. Judge gets the requests by which the new process tried to create Jobs before its
// cache was current.
func staleStarts(s *scene.Scene, moments []history.Moment, judge func(created []history.Request)) {
	for _, moment := range moments {
		staleStart(s, "start stale at", moment)
		judge(s.Requests(func(r history.Request) bool {
			creates := r.Call.Verb == "create" || r.Code == http.StatusCreated // server-side apply creates what is not there
			return ofThisProcess(s, r) && creates && r.Call.Resource == kinds.Job.Resource
		}))
		s.Proxy.Heal()
		s.Settle()
	}
}

// staleStart restarts the controller with a list as it was at a moment, and waits until it has done what it concludes from that.
func staleStart(s *scene.Scene, how string, moment history.Moment) {
	s.Stop()
	startStale(s, how, moment)
}

// startStale is staleStart for a controller that has been stopped.
func startStale(s *scene.Scene, how string, moment history.Moment) {
	s.Fault(fmt.Sprintf("%s: %s", how, moment))
	s.Start()
	s.Struck("your controller has not listed what it watches")
	s.Settle()
	s.WatchOver()
}

// ofThisProcess says whether the process that runs has sent a request.
func ofThisProcess(s *scene.Scene, r history.Request) bool {
	instance, _, _ := s.Current()
	return r.Instance == instance
}

// writesOfThisProcess are the writes of a Job with which the process that runs has succeeded.
func writesOfThisProcess(s *scene.Scene, job history.Logical) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return ofThisProcess(s, r) && r.Write() && r.Succeeded() && r.Call.Object == job
	})
}

// jobOfUID is a Job as it was last seen; nil if there was none.
func jobOfUID(s *scene.Scene, uid string) (found *batchv1.Job) {
	for _, job := range jobsSeen(s) {
		if string(job.UID) == uid {
			found = job
		}
	}
	return found
}

// statesOf are the events of an object that have reached the controller, without deletions. The last one shows its current state.
func statesOf(s *scene.Scene, resource string, object history.Logical) (states []history.Moment) {
	for _, frame := range s.Log.Run().Frames {
		m := frame.Moment
		if of := m.Resource == resource && m.Object == object && m.Type != "DELETED"; of && frame.Delivered > 0 && !slices.Contains(states, m) {
			states = append(states, m)
		}
	}
	return states
}

func last(states []history.Moment) history.Moment { return states[len(states)-1] }
