package checks

import (
	"fmt"
	"net/http"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

var reconcile = []Check{
	{
		ID: "3.1", Title: "The first step's Job is made from its template", Section: "desired-and-actual", Concepts: []string{"C18"},
		Why: "The template is what the user asked for. What is left out of it, or added, is a Job that nobody wanted: " +
			"without its labels a network policy does not hold, without its backoffLimit it is tried six times more.",
		Rules: []string{"I1", "I3"}, play: fromTemplate,
	},
	{
		ID: "3.2", Title: "Steps run one after another", Section: "one-after-another", Concepts: []string{"C23"},
		Why: "Each step relies on what the one before has left behind. A Job is over when its condition Complete is True; " +
			"before that its pods may still run, even if it says SuccessCriteriaMet.",
		Rules: []string{"I1", "I2", "I3"}, play: oneAfterAnother,
	},
	{
		ID: "3.3", Title: "Every Job is controlled by its SequentialJob", Section: "owners", Concepts: []string{"C45"},
		Why: "The controller reference is how garbage collection knows what goes with what, and how an event of a Job finds " +
			"the SequentialJob that waits for it.",
		Rules: []string{"I4"}, play: owned,
	},
	{
		ID: "3.4", Title: "Other people's Jobs count for nothing", Section: "owners", Concepts: []string{"C18", "C45"},
		Why: "Labels and names are anybody's to choose; a controller reference with the owner's UID is not. Who goes by labels " +
			"takes a stranger's Job for a step, or deletes it.",
		Rules: []string{"I1", "I2", "I3", "I8"}, play: othersJobs,
	},
	{
		ID: "3.5", Title: "After a restart in mid-run it goes on where it was", Section: "from-state-alone", Concepts: []string{"C20", "C25"},
		Why: "Controllers are restarted with every rollout and every drained node, at any point. What a process remembers is gone " +
			"then; what the API server knows is not.",
		Rules: []string{"I1", "I2", "I3"}, play: restarted,
	},
	{
		ID: "3.6", Title: "What failed is tried again, and others go on meanwhile", Section: "what-to-return", Concepts: []string{"C22"},
		Why: "An API server that is busy or restarts refuses what it would take a second later. An error that is only logged " +
			"is never tried again, because no event comes; one that is waited for in Reconcile keeps all others waiting.",
		Rules: []string{"I1", "I2", "I3"}, play: triedAgain,
	},
	{
		ID: "3.7", Title: "Retries back off", Section: "what-to-return", Concepts: []string{"C22"},
		Why: "A controller that tries again at once, and again, takes down the API server that is already in trouble, and its own " +
			"worker with it. The workqueue waits longer after each failure, if it is told of the error.",
		Rules: []string{"I1", "I2", "I3"}, play: backsOff,
	},
	{
		ID: "3.8", Title: "What is being deleted starts nothing", Section: "deletion", Concepts: []string{"C20", "C45"},
		Why: "An object that is deleted in the foreground stays until its Jobs are gone. A controller that goes on with it makes " +
			"new ones as fast as they are removed.",
		Rules: []string{"I4"}, play: deleted,
	},
	{
		ID: "3.9", Title: "A pass that has nothing to do does nothing", Section: "your-own-writes", Concepts: []string{"C24"},
		Why: "Every write wakes the controller that made it. If each pass writes, it never ends: one object keeps a worker " +
			"busy for ever, and a thousand of them the API server.",
		Rules: []string{"I3", "I9"}, play: atRest,
	},
	{
		ID: "3.10", Title: "Time is asked for only where time matters", Section: "what-to-return", Concepts: []string{"C22"},
		Why: "RequeueAfter is for a point in time, such as a deadline. Who uses it to look whether a Job is done yet polls: " +
			"late for the one that is, and for nothing for all others. The watch on Jobs tells at once.",
		play: noPolling,
	},
	{
		ID: "3.11", Title: "A failed step ends the run", Section: "one-after-another", Concepts: []string{"C23"},
		Why: "What comes next relies on what the failed step should have done. The Job has had its retries, by its backoffLimit; " +
			"a second Job would double them, and repeat what the first one did.",
		Rules: []string{"I2", "I3"}, play: failed,
	},
}

func fromTemplate(s *Scene) {
	step := newStep(fetch)
	template := &step.JobTemplate
	template.Labels = map[string]string{"team": "data"}
	template.Annotations = map[string]string{"example.com/runbook": "fetch"}
	template.Spec.BackoffLimit = new(int32(2))
	template.Spec.Template.Labels = map[string]string{"network": "internal"}
	template.Spec.Template.Spec.Containers[0].Args = []string{"--depth", "1"}

	s.Start()
	s.Create(web, []v1alpha1.Step{step, newStep(build)})
	s.sameAs(s.Running(web, fetch), template)
}

func oneAfterAnother(s *Scene) {
	s.Start()
	several := threeSteps()
	several[0].JobTemplate.Spec.Completions = new(int32(2))
	s.Create(web, several)
	s.Running(web, fetch)
	s.Settle()
	s.only(web, "step fetch ran", fetch)

	s.must(s.Driver.Progress(s.ctx, s.Running(web, fetch)))
	s.Settle()
	s.only(web, "of the two pods that step fetch needs one had succeeded, after one that had failed", fetch)

	s.must(s.Driver.Announce(s.ctx, s.Running(web, fetch)))
	s.Settle()
	s.only(web, "step fetch said SuccessCriteriaMet and was not Complete", fetch)

	s.Complete(web, fetch)
	s.Complete(web, build)
	s.Complete(web, ship)
	s.Settle()
	s.only(web, "all steps were Complete", fetch, build, ship)
}

func owned(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	// Jobs that are not found by their controller reference would not be found by the judge either.
	s.until(func() string {
		if len(s.Observer.Objects()[kinds.Job.Resource]) == 0 {
			return "there was no Job; that of step fetch was to be created"
		}
		return ""
	})
	s.Complete(web, fetch)
	s.Running(web, build)
}

func othersJobs(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	decoy, err := s.Driver.Decoy(s.ctx, s.Running(web, fetch))
	s.must(err)
	foreign := []foreignJob{{decoy, fetch}}
	owner := s.Now(web).Object
	s.own = func(f *finding.Finding) bool { return s.tookForeign(f, owner, foreign) }
	s.must(s.Driver.Start(s.ctx, decoy))
	s.must(s.Driver.Complete(s.ctx, s.reread(decoy)))
	s.Settle()
	s.only(web, "a Job of somebody else with the labels of step fetch's was Complete", fetch)

	old := s.leftover(web, build)
	foreign = append(foreign, foreignJob{old, build})
	s.must(s.Driver.Start(s.ctx, old))
	s.must(s.Driver.Complete(s.ctx, s.reread(old)))
	s.pause(web)
	old = s.reread(old)
	s.Complete(web, fetch)
	s.Complete(web, build)
	s.Running(web, ship)
	s.untouched(s.reread(decoy), "a Job of somebody else")
	s.untouched(s.reread(old), "a Job of an earlier SequentialJob of that name")
}

func restarted(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.crashAt("web/build")
	s.Complete(web, fetch)
	s.crashed("web/build")
	untilHere := s.fromHere()
	s.Start()
	s.Running(web, build)
	untilHere() // what comes of the Job's end has to do with no restart
	s.Complete(web, build)
	s.Running(web, ship)
	s.fromHere()
	s.Restart()
	s.Complete(web, ship)
	s.Settle()
	s.only(web, "all steps were Complete", fetch, build, ship)
}

func triedAgain(s *Scene) {
	const other = "other"
	s.Start()
	s.refuse("web/build", many)
	s.Create(web, threeSteps())
	s.Complete(web, fetch)
	s.refused("web/build")

	s.Create(other, steps(fetch, build))
	s.Complete(other, fetch)
	s.Complete(other, build)
	s.Proxy.Disarm()
	s.Complete(web, build)
	s.Complete(web, ship)
}

func backsOff(s *Scene) {
	const other = "other"
	s.Start()
	s.refuse("web/fetch", 2*many)
	s.Create(web, threeSteps())
	s.refused("web/fetch")

	s.Create(other, threeSteps())
	for _, step := range []string{fetch, build, ship} {
		s.Await(other, func(w stage.World) string {
			if n := s.attempts("web/fetch"); n > many {
				s.Find("The API server refused to create the Job of step fetch, and your controller tried again %d times "+
					"while another SequentialJob was on its way through three steps.", n)
			}
			if w.Running(step) == nil {
				return s.notRunning(w, other, step)
			}
			return ""
		})
		s.Complete(other, step)
	}
	s.until(s.soonEachTime)
	s.Proxy.Disarm()
	s.Running(web, fetch)
}

// soonEachTime says that the pauses between the attempts at a Job that was refused did not grow, while that is
// so. It ends the check when there were so many that they would have: the first of a queue's usual pauses are
// 5, 10, 20 ms, and the last two of so many are 64 and 128 times as long.
func (s *Scene) soonEachTime() string {
	const series = 8
	pauses := pausesBetween(s.refusedAttempts("web/fetch"))
	if grown(pauses) {
		return ""
	}
	if len(pauses) >= series {
		s.Find("The API server refused to create the Job of step fetch, and your controller tried again %d times, after %s to %s. "+
			"It did not wait longer each time.", len(pauses), inMilliseconds(slices.Min(pauses)), inMilliseconds(slices.Max(pauses)))
	}
	return "your controller did not wait longer before each attempt at the Job of step fetch, which was refused"
}

func deleted(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	job := s.Running(web, fetch)
	s.fromHere()
	s.Settle()
	before := s.passes(failedPasses)
	refused := s.refusals()
	s.Delete(web, metav1.DeletePropagationForeground)
	s.pause(web)
	s.must(s.Driver.Complete(s.ctx, job))
	s.pause(web)
	s.Await(web, func(w stage.World) string {
		if w.Object != nil || len(w.Jobs) > 0 {
			return "web, which is being deleted, was not gone with all its Jobs; there was " + jobsOf(w)
		}
		return ""
	})
	s.Settle()
	if after := s.passes(failedPasses); after-before > float64(s.refusals()-refused) {
		s.Find("When web had been deleted and was gone, %.0f passes of Reconcile returned an error (metric %s{result=\"error\"}), "+
			"though nothing had failed.", after-before, reconcileTotal)
	}
}

func atRest(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Running(web, fetch)
	s.Rest()
	s.Complete(web, fetch)
	s.Complete(web, build)
	s.Complete(web, ship)
	s.Rest()
	from := s.Log.Now()
	s.Restart()
	s.Rest()
	s.rests = append(s.rests, invariants.Interval{From: from, To: s.Log.Now()}) // from its first pass on
}

func noPolling(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Running(web, fetch)
	s.Settle()
	s.Complete(web, fetch)
	s.Complete(web, build)
	s.Running(web, ship)
	s.Settle()

	all := s.passes(nil)
	if all == 0 {
		s.Skip("the controller has no metric " + reconcileTotal)
	}
	for _, again := range []struct {
		result, returned string
		caused           int
	}{
		{"requeue_after", "RequeueAfter", 0},
		{"requeue", "Requeue", 0},
		{"error", "an error", s.refusals()},
	} {
		if n := s.passes(map[string]string{"result": again.result}); n > float64(again.caused) {
			s.Find("%.0f of %.0f passes of Reconcile returned %s (metric %s{result=%q}), in a run in which nothing depended on time "+
				"and nothing failed.", n, all, again.returned, reconcileTotal, again.result)
		}
	}
}

// reconcileTotal is the metric by which controller-runtime counts passes.
const reconcileTotal = "controller_runtime_reconcile_total"

// failedPasses are the labels of those that returned an error.
var failedPasses = map[string]string{"result": "error"}

// passes is how many passes with these labels the controller that runs has counted; none where it counts none.
func (s *Scene) passes(labels map[string]string) float64 {
	_, running, _ := s.Current()
	n, _, err := running.Metric(s.ctx, reconcileTotal, labels)
	if err != nil {
		return 0
	}
	return n
}

// refusals is how many of the controller's requests did not get what they asked for.
func (s *Scene) refusals() int {
	n := 0
	for _, request := range s.Log.Run().Requests {
		if request.Told < http.StatusOK || request.Told >= http.StatusMultipleChoices {
			n++
		}
	}
	return n
}

func failed(s *Scene) {
	s.Start()
	s.Create(web, threeSteps())
	s.Complete(web, fetch)
	s.Running(web, build)
	s.fromHere()
	s.Fail(web, build, batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	s.Settle()
	s.only(web, "step build had failed", fetch, build)
	s.Restart()
	s.Settle()
	s.only(web, "step build had failed, and your controller had been restarted", fetch, build)
}

// many is more often than a controller that backs off tries again in a run.
const many = 100

// refuse has the API server answer 500 to the next writes about a Job, as one that is in trouble does.
func (s *Scene) refuse(job string, times int) { s.onWrites(job, proxy.Answer500, times) }

// refused waits until that has happened.
func (s *Scene) refused(job string) {
	s.until(func() string {
		if s.attempts(job) == 0 {
			return fmt.Sprintf("the Job %s had not been tried to be created", job)
		}
		return ""
	})
}

// attempts is how many writes about a Job were refused.
func (s *Scene) attempts(job string) int { return len(s.refusedAttempts(job)) }

func (s *Scene) refusedAttempts(job string) []history.Request {
	return slices.DeleteFunc(slices.Clone(s.Log.Run().Requests), func(request history.Request) bool {
		return string(request.Call.Object) != job || !request.Write() || request.Fault == 0
	})
}
