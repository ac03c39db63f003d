package lesson08

import (
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
)

// tooMany holds back the events of Jobs that the controller creates. Other things have it reconcile meanwhile.
func tooMany(s *scene.Scene) {
	const labelled = "labelled"
	s.FromHere()
	s.Start()

	// The first attempt to write the status fails, so the controller retries. One that waits for the event fails later.
	fetch := jobOf(sample.Web, sample.Fetch)
	s.HoldNext("ADDED", kinds.Job.Resource, fetch)
	s.OnWrites(kinds.Job.Resource, string(fetch), proxy.AnswerLate, 1)
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Struck("your controller has not created the Job of step fetch of web")
	s.OnWrites(scene.SequentialJobStatus, sample.Web, proxy.Answer500, 1)
	s.Proxy.Answer()
	s.Settle()
	triggered(s, sample.Web)
	once(s, sample.Web, 0, "Step fetch of web had to start")
	s.Proxy.Heal()

	// Users have it reconcile.
	s.HoldNext("ADDED", kinds.Job.Resource, jobOf(labelled, sample.Fetch))
	s.Create(labelled, sample.Steps(sample.Fetch))
	s.Struck("your controller has not created the Job of step fetch of " + labelled)
	triggered(s, labelled)
	once(s, labelled, 0, "Step fetch of "+labelled+" had to start")
	s.Proxy.Heal()

	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Complete(labelled, sample.Fetch)
	s.Succeeded(sample.Web)
	s.Succeeded(labelled)
	comeAndGone(s)
}

// comeAndGone has the Job of a step run and vanish before the controller can write anything about it into the status. A Job that is
// suspended until the status has its UID has not run, so nothing is asked of its controller.
func comeAndGone(s *scene.Scene) {
	const brief = "brief"
	s.Settle()
	s.OnWrites(kinds.Job.Resource, string(jobOf(brief, sample.Fetch)), proxy.AnswerLate, 1)
	s.Create(brief, sample.Steps(sample.Fetch, sample.Build))
	s.Struck("your controller has not created the Job of step fetch of " + brief)
	s.OnWrites(scene.SequentialJobStatus, brief, proxy.Answer500, scene.Many)
	s.Proxy.Answer()
	s.Struck("your controller has not recorded the Job of step fetch of " + brief)
	if jobdriver.IsSuspended(s.Now(brief).Job(sample.Fetch)) {
		s.Proxy.Disarm()
		s.Complete(brief, sample.Fetch, sample.Build)
		s.Succeeded(brief)
		return
	}
	s.Must(s.Driver.Vanish(s.Context(), s.Running(brief, sample.Fetch)))
	s.Settle()
	s.Proxy.Disarm()
	s.ConditionIs(brief, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonJobDeleted)
}

// needless holds back the events of the controller's own status writes. Events of Jobs have it reconcile meanwhile.
func needless(s *scene.Scene) {
	s.Begin()
	job := s.Running(sample.Web, sample.Fetch)
	s.StepIs(sample.Web, sample.Fetch, v1alpha1.StepRunning)
	s.Settle()
	s.HoldBack(sample.Web)
	from := s.Log.Now()
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Struck("the Job of step fetch of web is complete, and your controller has not written that into the status")
	for range 2 {
		s.Annotate(job)
		s.Settle()
	}
	conflicts := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Received >= from && r.Code == http.StatusConflict && r.Call.Object == sample.Web
	})
	if len(conflicts) > 0 {
		s.FindRequests(conflicts, "Nobody but your controller has written to web since %.3f s. The event of its own write has not reached it yet. "+
			"It has tried to write once more, from the state before its own write: %s, with the response 409 Conflict.",
			from.Seconds(), scene.Counted(len(conflicts), "request", "requests"))
	}
	s.Proxy.Heal()
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
}

// tooFew holds back the events of Jobs that the controller stops and suspends. Users have it reconcile meanwhile.
func tooFew(s *scene.Scene) {
	const paused = "paused"
	s.Start()
	s.Retain(s.Underway(sample.Web, sample.Fetch, sample.Build)) // so its pods take a while to end
	s.Underway(paused, sample.Fetch)
	for _, one := range []struct {
		name, what, missing, asked string
		change                     func(*v1alpha1.SequentialJobSpec)
	}{
		{
			sample.Web, "sets activeDeadlineSeconds of web to 1", "the deadline of web has passed, and your controller has not stopped its Job",
			"stopped at the deadline", func(spec *v1alpha1.SequentialJobSpec) { spec.ActiveDeadlineSeconds = new(int64(1)) },
		},
		{
			paused, "suspends " + paused, paused + " is suspended, and your controller has not suspended its Job",
			"suspended", func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) },
		},
	} {
		s.Settle()
		from := s.Log.Now()
		s.HoldNext("MODIFIED", kinds.Job.Resource, jobOf(one.name, sample.Fetch))
		s.Change(one.name, one.what, one.change)
		s.Struck(one.missing)
		triggered(s, one.name)
		once(s, one.name, from, "The Job of step fetch of "+one.name+" had to be "+one.asked)
		s.Proxy.Heal()
	}
	s.Settle()
	s.Release(s.Now(sample.Web).Job(sample.Fetch))
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.ConditionIs(paused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
}

// jobOf is what a step's Job represents.
func jobOf(name, step string) history.Logical { return history.Logical(name + "/" + step) }

// triggered has users annotate a SequentialJob, so that the controller reconciles it.
func triggered(s *scene.Scene, name string) {
	for range 2 {
		s.Annotate(s.Now(name).Object)
		s.Pause(name)
	}
}

// once checks that the controller has not repeated a write to the Job of step fetch since a moment. Had says what it had to do.
func once(s *scene.Scene, name string, from time.Duration, had string) {
	byVerb := map[string][]history.Request{}
	for _, r := range s.Requests(func(r history.Request) bool {
		return r.Write() && r.Received >= from && r.Call.Resource == kinds.Job.Resource && r.Call.Object == jobOf(name, sample.Fetch)
	}) {
		byVerb[r.Call.Verb] = append(byVerb[r.Call.Verb], r)
	}
	for _, verb := range slices.Sorted(maps.Keys(byVerb)) {
		repeated := byVerb[verb]
		if len(repeated) < 2 {
			continue
		}
		f := finding.Finding{
			What: fmt.Sprintf("%s. Your controller sent a request for that, but the event of the change had not reached it yet. So its cache still showed "+
				"the state before. It sent the request again: %s to %s Job %s.", had, scene.Counted(len(repeated), "request", "requests"), verb, repeated[0].Object.Name),
			At: repeated[1].Answered,
		}
		for _, r := range repeated {
			f.Requests = append(f.Requests, r.ID)
		}
		s.FindAt(f)
	}
}

// jobsSeen are the changes of Jobs, in order.
func jobsSeen(s *scene.Scene) iter.Seq2[history.Change, *batchv1.Job] {
	return scene.Seen[batchv1.Job](s, kinds.Job.Resource)
}
