package lesson03

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 3, Slug: "03-reconcile", Title: "Reconcile", Kind: lesson.Controller,
		Makes:      "the first `Reconcile`: one step after another",
		Prompt:     true,
		Difficulty: lesson.Easy, Minutes: 60,
		Checks: reconcile,
		Taught: lesson.Taught{
			Check: "3.13",
			Acts:  []string{"create", "create managedBy=another", "replace", "delete", "delete foreground", "complete", "announce", "fail", "label", "restart"},
			Faults: []string{
				"answer 500: writes jobs", "answer 504: writes jobs", "answer 429: writes jobs", "lose request: writes jobs",
				"answer 500: reads jobs", "answer 504: reads sequentialjobs",
				"crash before: writes jobs", "crash after commit: writes jobs", "crash after reply: writes jobs",
				"cut: ADDED jobs", "cut: MODIFIED jobs", "cut: MODIFIED sequentialjobs",
			},
		},
	})
}

var reconcile = []lesson.Check{
	{
		ID: "3.1", Title: "The first step's Job is created from its template", Section: "desired-and-actual", Concepts: []string{"C18"},
		Why: "The template is what the user asked for. If you drop or add anything, the result is a Job that nobody wanted. Without " +
			"its labels a network policy doesn't apply; without its backoffLimit it is retried six times.",
		Rules: []invariants.ID{invariants.I1, invariants.I3}, Play: scene.Play(fromTemplate),
	},
	{
		ID: "3.2", Title: "Steps run one after another", Section: "one-after-another", Concepts: []string{"C23"},
		Why: "Each step relies on the result of the previous one. A Job has succeeded when its condition Complete is True. Before that " +
			"its pods may still run, even if the Job reports SuccessCriteriaMet.",
		About: []invariants.ID{invariants.I1, invariants.I2}, Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3}, Play: scene.Play(oneAfterAnother),
	},
	{
		ID: "3.3", Title: "Every Job is controlled by its SequentialJob", Section: "owners", Concepts: []string{"C45"},
		Why: "Garbage collection follows the controller reference to find the objects to delete. Your watch follows it to find the " +
			"SequentialJob that waits for a Job's event.",
		About: []invariants.ID{invariants.I4}, Rules: []invariants.ID{invariants.I4}, Play: scene.Play(owned),
	},
	{
		ID: "3.4", Title: "Jobs of other owners are ignored", Section: "owners", Concepts: []string{"C18", "C45"},
		Why: "Anybody can choose the same labels and names, but the owner's UID in a controller reference is unambiguous. A controller " +
			"that selects Jobs by label can mistake another owner's Job for one of its steps, or delete it.",
		About: []invariants.ID{invariants.I8}, Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I8}, Play: scene.Play(othersJobs),
	},
	{
		ID: "3.5", Title: "After a restart during a run, the controller continues where it was", Section: "from-state-alone", Concepts: []string{"C20", "C25"},
		Why: "Every rollout and every drained node restarts a controller, at any point of its work. Whatever the process kept in " +
			"memory is gone. The state in the API server is not.",
		About: []invariants.ID{invariants.I3}, Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3}, Play: scene.Play(restarted),
	},
	{
		ID: "3.6", Title: "Failures are retried, and other SequentialJobs don't wait", Section: "what-to-return", Concepts: []string{"C22"},
		Why: "A busy or restarting API server refuses a request that it would accept a second later. If you only log the error, " +
			"nothing retries, because no event follows. If Reconcile itself waits for the API server, all other objects wait too.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3}, Play: scene.Play(triedAgain),
	},
	{
		ID: "3.7", Title: "Retries back off", Section: "what-to-return", Concepts: []string{"C22"},
		Why: "A controller that retries without a pause takes down an API server that is already in trouble, and keeps its own worker " +
			"busy. The workqueue waits longer after each failure, provided that Reconcile returns the error.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3}, Play: scene.Play(backsOff),
	},
	{
		ID: "3.8", Title: "An object that is being deleted starts nothing new", Section: "deletion", Concepts: []string{"C20", "C45"},
		Why: "An object that is deleted in the foreground stays until its Jobs are gone. A controller that keeps working on it creates " +
			"new Jobs as fast as the garbage collector removes them.",
		Rules: []invariants.ID{invariants.I4}, Play: scene.Play(deleted),
	},
	{
		ID: "3.9", Title: "A reconcile that finds nothing to do writes nothing", Section: "your-own-writes", Concepts: []string{"C24"},
		Why: "Every write triggers the controller that made it. If each reconcile writes, it never stops: one object keeps a worker " +
			"busy indefinitely, and a thousand objects keep the API server busy.",
		About: []invariants.ID{invariants.I9}, Rules: []invariants.ID{invariants.I3, invariants.I9}, Play: scene.Play(atRest),
	},
	{
		ID: "3.10", Title: "Requeue after a time only where time matters", Section: "what-to-return", Concepts: []string{"C22"},
		Why: "RequeueAfter is for a point in time, such as a deadline. Using it to check whether a Job has finished is polling: it " +
			"notices completion late and wastes requests. The watch on Jobs delivers the event immediately.",
		Play: scene.Play(noPolling),
	},
	{
		ID: "3.11", Title: "A failed step ends the run", Section: "one-after-another", Concepts: []string{"C23"},
		Why: "The next step relies on what the failed one should have done. The Job has already used its retries, as set by its " +
			"backoffLimit. A second Job would double them, and repeat what the first one did.",
		Rules: []invariants.ID{invariants.I2, invariants.I3}, Play: scene.Play(failed),
	},
	{
		ID: "3.12", Title: "startAt and managedBy are respected", Section: "objects-to-leave-alone", Concepts: []string{"C18"},
		Why: "An object with managedBy belongs to another controller. If both run it, each step runs twice. An object with startAt is " +
			"a retry: the steps before startAt have finished, and running them again repeats what they did.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3}, Play: scene.Play(leftAlone),
	},
	generated.Check(lesson.Check{
		ID: "3.13", Title: "In runs that nobody has planned, every SequentialJob comes to its end", Section: "runs-that-nobody-has-planned", Concepts: []string{"C18", "C20"},
		Why: "In production, users, failures and restarts come in any order. A controller that works in the runs that you had in mind " +
			"may still stop, or run a step twice, in another one.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I4, invariants.I5, invariants.I9},
	}, 9, 14, 12, 7),
}

func fromTemplate(s *scene.Scene) {
	step := sample.Step(sample.Fetch)
	template := &step.JobTemplate
	template.Labels = map[string]string{"team": "data", "kueue.x-k8s.io/queue-name": "data"}
	template.Annotations = map[string]string{"example.com/runbook": "fetch", "batch.kubernetes.io/cronjob-scheduled-timestamp": "2026-01-01T00:00:00Z"}
	template.Spec.BackoffLimit = new(int32(2))
	template.Spec.Template.Labels = map[string]string{"network": "internal"}
	template.Spec.Template.Spec.Containers[0].Args = []string{"--depth", "1"}

	s.Start()
	s.Create(sample.Web, []v1alpha1.Step{step, sample.Step(sample.Build)})
	s.SameAs(s.Running(sample.Web, sample.Fetch), template)
}

func oneAfterAnother(s *scene.Scene) {
	s.Start()
	several := sample.ThreeSteps()
	several[0].JobTemplate.Spec.Completions = new(int32(2))
	s.Create(sample.Web, several)
	s.Running(sample.Web, sample.Fetch)
	s.OnlyJobsOf(sample.Web, "step fetch ran", sample.Fetch)

	s.Must(s.Driver.Progress(s.Context(), s.Running(sample.Web, sample.Fetch)))
	s.OnlyJobsOf(sample.Web, "one of the two pods that step fetch needs had succeeded", sample.Fetch)

	s.Must(s.Driver.Announce(s.Context(), s.Running(sample.Web, sample.Fetch)))
	s.OnlyJobsOf(sample.Web, "step fetch had reported SuccessCriteriaMet, but was not Complete", sample.Fetch)

	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.OnlyJobsOf(sample.Web, "all steps were Complete", sample.Fetch, sample.Build, sample.Ship)
	beingDeleted(s)
}

// beingDeleted has a user delete a Job that runs, and whose pods take their time to end: until the end of the check. What
// follows then is for lesson 4.
func beingDeleted(s *scene.Scene) {
	const other = "other"
	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	job := s.Running(other, sample.Fetch)
	s.Retain(job)
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.OnlyJobsOf(other, "the Job of step fetch was being deleted, and still existed", sample.Fetch)
}

func owned(s *scene.Scene) {
	s.Begin()
	// The judge finds Jobs by their controller reference too, so it waits for any Job.
	s.Until(func() string {
		if len(s.Observer.Objects()[kinds.Job.Resource]) == 0 {
			return "there is no Job; web needs one for step fetch"
		}
		return ""
	})
	s.Complete(sample.Web, sample.Fetch)
	s.Running(sample.Web, sample.Build)
}

func othersJobs(s *scene.Scene) {
	s.Begin()
	decoy, err := s.Driver.Decoy(s.Context(), s.Running(sample.Web, sample.Fetch))
	s.Must(err)
	foreign := []scene.ForeignJob{{Job: decoy, Step: sample.Fetch}}
	owner := s.Now(sample.Web).Object
	s.About(func(f *finding.Finding) bool { return s.TookForeign(f, owner, foreign) })
	s.Must(s.Driver.Start(s.Context(), decoy))
	s.Must(s.Driver.Complete(s.Context(), s.Reread(decoy)))
	s.OnlyJobsOf(sample.Web, "a foreign Job with the labels of step fetch's Job was Complete", sample.Fetch)

	old := s.Leftover(sample.Web, sample.Build)
	foreign = append(foreign, scene.ForeignJob{Job: old, Step: sample.Build})
	s.Must(s.Driver.Start(s.Context(), old))
	s.Must(s.Driver.Complete(s.Context(), s.Reread(old)))
	s.Pause(sample.Web)
	old = s.Reread(old)
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.Untouched(s.Reread(decoy), "foreign")
	s.Untouched(s.Reread(old), "owned by an earlier SequentialJob of that name")
	namesakes(s)
}

// namesakes has another owner's Job, and then one of nobody, in the place of the next one, for a controller that derives
// names from steps. It has to wait until that Job is gone.
func namesakes(s *scene.Scene) {
	for _, one := range []struct {
		name  string
		owned bool
		whose string
	}{
		{"other", true, "another owner's"},
		{"another", false, "nobody's"},
	} {
		s.Create(one.name, sample.Steps(sample.Fetch, sample.Build))
		namesake := s.Namesake(s.Running(one.name, sample.Fetch), sample.Build, one.owned)
		s.Complete(one.name, sample.Fetch)
		s.Settle()
		s.Untouched(namesake, one.whose)
		s.Must(s.Driver.Vanish(s.Context(), namesake))
		s.Await(one.name, func(w stage.World) string {
			if w.Running(sample.Build) != nil {
				return ""
			}
			return s.NotRunning(w, one.name, sample.Build) +
				fmt.Sprintf(". Job %s, which was complete and is gone now, was %s", namesake.Name, one.whose)
		})
	}
}

func restarted(s *scene.Scene) {
	s.Begin()
	s.CrashAt("web/build")
	s.Complete(sample.Web, sample.Fetch)
	s.Crashed("web/build")
	untilHere := s.FromHere()
	s.Start()
	s.Running(sample.Web, sample.Build)
	untilHere() // what follows from the Job's end has nothing to do with the restart
	s.Complete(sample.Web, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.FromHere()
	s.Restart()
	s.Complete(sample.Web, sample.Ship)
	s.OnlyJobsOf(sample.Web, "all steps were Complete", sample.Fetch, sample.Build, sample.Ship)
}

func triedAgain(s *scene.Scene) {
	const other = "other"
	s.Start()
	s.OnWrites("jobs", "web/build", proxy.Answer500, scene.Many)
	s.Create(sample.Web, sample.ThreeSteps())
	s.Complete(sample.Web, sample.Fetch)
	s.Struck("your controller has not tried to create the Job web/build")

	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(other, sample.Fetch, sample.Build)
	s.Disarm()
	s.Complete(sample.Web, sample.Build, sample.Ship)
	overQuota(s)
}

// overQuota has the API server refuse a Job with 403 until a user raises the quota. No event tells the controller of that.
func overQuota(s *scene.Scene) {
	const limited = "limited"
	s.LimitJobs()
	s.Create(limited, sample.Steps(sample.Fetch))
	s.Until(func() string {
		if len(refusedBy(s, http.StatusForbidden, limited+"/fetch")) == 0 {
			return "your controller has not tried to create the Job limited/fetch"
		}
		return ""
	})
	s.AllowJobs()
	s.Await(limited, func(w stage.World) string {
		if w.Running(sample.Fetch) != nil {
			return ""
		}
		return s.NotRunning(w, limited, sample.Fetch) + ". A quota had refused it with 403 Forbidden, and has been raised since"
	})
}

func backsOff(s *scene.Scene) {
	const other = "other"
	s.Start()
	s.OnWrites("jobs", "web/fetch", proxy.Answer500, 2*scene.Many)
	s.Create(sample.Web, sample.ThreeSteps())
	s.Struck("your controller has not tried to create the Job web/fetch")

	refusal := scene.Refusal{
		What:  "The API server refuses to create the Job of step fetch",
		Tries: func() []history.Request { return refused(s, "web/fetch") },
	}
	s.Create(other, sample.ThreeSteps())
	for _, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		s.Await(other, func(w stage.World) string {
			return s.Unhurried(refusal, "while another SequentialJob went through three steps", func() string {
				if w.Running(step) == nil {
					return s.NotRunning(w, other, step)
				}
				return ""
			})()
		})
		s.Complete(other, step)
	}
	s.BacksOff(refusal)
	s.Disarm()
	s.Running(sample.Web, sample.Fetch)
}

func deleted(s *scene.Scene) {
	s.Begin()
	job := s.Running(sample.Web, sample.Fetch)
	s.FromHere()
	s.Settle()
	before := reconciles(s, "error")
	failedBefore := refusals(s)
	s.Delete(sample.Web, metav1.DeletePropagationForeground)
	s.Pause(sample.Web)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Pause(sample.Web)
	s.Await(sample.Web, func(w stage.World) string {
		if w.Object != nil || len(w.Jobs) > 0 {
			return "web is being deleted, but it is not gone with all its Jobs; its Jobs: " + scene.JobsOf(w)
		}
		return ""
	})
	s.Settle()
	if errors, failed := reconciles(s, "error")-before, refusals(s)-failedBefore; errors > float64(failed) {
		s.FindAt(finding.Finding{
			What: fmt.Sprintf("Reconcile returned an error for an object that is gone. Since web was deleted, it has returned %.0f errors "+
				"(metric %s{result=\"error\"}), but only %d of its requests failed.", errors, reconcileTotal, failed),
			Read: "#what-to-return",
		})
	}
	kept(s)
	deletedMeanwhile(s)
}

// kept deletes a SequentialJob that another program's finalizer keeps. Nothing tells that from its deletion in the
// foreground but the name of the finalizer.
func kept(s *scene.Scene) {
	const kept = "kept"
	s.Create(kept, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) { object.Finalizers = []string{worlds.Archived} })
	job := s.Running(kept, sample.Fetch)
	s.Settle()
	s.Delete(kept, metav1.DeletePropagationBackground)
	s.Pause(kept)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Settle()
	s.OnlyJobsOf(kept, "it was being deleted, and another program's finalizer kept it", sample.Fetch)
}

// deletedMeanwhile deletes a SequentialJob while the controller is not running: nothing may need the controller.
func deletedMeanwhile(s *scene.Scene) {
	const other = "other"
	s.Create(other, sample.Steps(sample.Fetch))
	s.Running(other, sample.Fetch)
	s.Settle()
	s.Stop()
	s.Delete(other, metav1.DeletePropagationBackground)
	s.Await(other, func(w stage.World) string {
		switch {
		case w.Object != nil:
			return fmt.Sprintf("%s was deleted while your controller was not running, and is still there. Its finalizers: %s",
				other, strings.Join(w.Object.Finalizers, ", "))
		case len(w.Jobs) > 0:
			return fmt.Sprintf("%s was deleted while your controller was not running, and its Jobs are still there. The finalizers of %s: %s",
				other, w.Jobs[0].Name, strings.Join(w.Jobs[0].Finalizers, ", "))
		}
		return ""
	})
	s.Start()
}

func atRest(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	s.Rest()
	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.Rest()
	from := s.Log.Now()
	s.Restart()
	s.Rest()
	s.RestedSince(from) // from its first reconcile
}

func noPolling(s *scene.Scene) {
	s.Begin()
	s.Running(sample.Web, sample.Fetch)
	s.Settle()
	s.Complete(sample.Web, sample.Fetch, sample.Build)
	s.Running(sample.Web, sample.Ship)
	s.Settle()

	all := reconciles(s, "")
	counted := fmt.Sprintf("The metric at the end of the run, %s:\n%7.0f in all", reconcileTotal, all)
	for _, result := range []string{"success", "requeue_after", "requeue", "error"} {
		counted += fmt.Sprintf("\n%7.0f %s", reconciles(s, result), result)
	}
	if all == 0 {
		s.NotJudged("it needs the metric %s, which your controller does not have", reconcileTotal)
	}
	for _, again := range []struct {
		result, returned string
		caused           int
	}{
		{"requeue_after", "RequeueAfter", untilTheyExpire(s, all)},
		{"requeue", "Requeue", 0},
		{"error", "an error", refusals(s)},
	} {
		if n := reconciles(s, again.result); n > float64(again.caused) {
			s.FindAt(finding.Finding{
				What: fmt.Sprintf("%.0f of %.0f reconciles returned %s (metric %s{result=%q}), in a run in which nothing depended on time "+
					"and nothing failed.", n, all, again.returned, reconcileTotal, again.result),
				When: counted,
			})
		}
	}
	resting(s)
}

// untilTheyExpire is how many of all reconciles may have returned the time until an object expires: in a world with such an object, any
// number of them. The plain world has none.
func untilTheyExpire(s *scene.Scene, all float64) int {
	for _, object := range scene.Seen[v1alpha1.SequentialJob](s, kinds.SequentialJob.Resource) {
		if object.Spec.TTLSecondsAfterFinished != nil {
			return int(all)
		}
	}
	return 0
}

// resting checks that the controller does not reconcile again and again while nothing changes. A reconcile that the
// machine's load has delayed comes once.
func resting(s *scene.Scene) {
	const long, times = 2200 * time.Millisecond, 2
	began, first := s.Log.Now(), reconciles(s, "")
	for range times {
		from, before := s.Log.Now(), reconciles(s, "")
		s.Until(func() string {
			if s.Had(from) < long {
				return "the controller is still being watched at rest"
			}
			return ""
		})
		if reconciles(s, "") <= before || s.LastChange() >= from { // others may still act: then there is a reason
			return
		}
	}
	s.Find("While nothing changed for %.1f s, your controller reconciled %.0f times (metric %s). There is one unfinished "+
		"SequentialJob, and it waits for its Job.", (s.Log.Now() - began).Seconds(), reconciles(s, "")-first, reconcileTotal)
}

// reconcileTotal is the metric in which controller-runtime counts reconciles.
const reconcileTotal = "controller_runtime_reconcile_total"

// reconciles is how many reconciles with a result the running controller has counted: all where result is empty, none
// where it has no such metric.
func reconciles(s *scene.Scene, result string) float64 {
	var labels map[string]string
	if result != "" {
		labels = map[string]string{"result": result}
	}
	_, running, _ := s.Current()
	metrics, err := running.Metrics(s.Context(), labels)
	if err != nil {
		return 0
	}
	return metrics[reconcileTotal]
}

// refusals is how many of the controller's requests failed.
func refusals(s *scene.Scene) int {
	return len(s.Requests(func(r history.Request) bool {
		return r.Returned < http.StatusOK || r.Returned >= http.StatusMultipleChoices
	}))
}

func failed(s *scene.Scene) {
	s.Begin()
	s.Complete(sample.Web, sample.Fetch)
	s.Running(sample.Web, sample.Build)
	s.FromHere()
	s.Fail(sample.Web, sample.Build)
	s.OnlyJobsOf(sample.Web, "step build had failed", sample.Fetch, sample.Build)
	s.Restart()
	s.OnlyJobsOf(sample.Web, "step build had failed, and your controller had been restarted", sample.Fetch, sample.Build)
}

// refusedBy are the tries to write a Job that the API server refused with a status code.
func refusedBy(s *scene.Scene, code int, job string) []history.Request {
	return s.Requests(func(r history.Request) bool { return string(r.Call.Object) == job && r.Write() && r.Code == code })
}

// refused are the tries to write a Job that a fault refused.
func refused(s *scene.Scene, job string) []history.Request {
	return s.Requests(func(r history.Request) bool { return string(r.Call.Object) == job && r.Write() && r.Fault != 0 })
}
