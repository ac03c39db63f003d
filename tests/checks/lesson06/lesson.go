// Package lesson06 has the checks of lesson 6: failures, refusals, deadlines, a time to live, retries and Events.
package lesson06

import (
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 6, Slug: "06-failure", Title: "Failure", Kind: lesson.Controller,
		Makes:     "failures that may happen, refusals, deadlines, a time to live, retries, Events",
		Continues: 5, HeldTo: []int{3, 4, 5},
		Prompt:     true,
		Reports:    true,
		Difficulty: lesson.Moderate, Minutes: 90,
		Checks: failure,
		Taught: lesson.Taught{
			Check: "6.11",
			Acts:  []string{"create startAt=", "create continue=", "limit", "expire"},
			Faults: []string{
				"answer 403: writes jobs", "answer 422: writes jobs",
			},
		},
	})
}

// running are the invariants that hold while steps run.
var running = []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6, invariants.I7}

var failure = []lesson.Check{
	{
		ID: "6.1", Title: "A step with onFailure: Continue may fail, and the run says so",
		Section: "whose-failure-it-is", Concepts: []string{"C58"},
		Why: "Some steps are optional. Their failure must not skip the steps that are not. But a run that says only that it has succeeded " +
			"hides the failure from those who could repair it.",
		Rules: running, Play: scene.Play(mayFail),
	},
	{
		ID: "6.2", Title: "An invalid template fails its step immediately, in the API server's words",
		Section: "final-or-temporary", Concepts: []string{"C13", "C63"},
		Why: "Steps never change, so an invalid template stays invalid. A controller that retries it shows a run that is Running for " +
			"days. Only the API server knows what is wrong with the template, so its words have to reach the user.",
		Rules: running, Play: scene.Play(invalidTemplates),
	},
	{
		ID: "6.3", Title: "A refusal that may pass is retried, and is visible meanwhile",
		Section: "final-or-temporary", Concepts: []string{"C63"},
		Why: "A quota is raised, a policy is corrected, a webhook comes back. Nobody sends an event then, so only a retry notices. A " +
			"controller that gives up turns five minutes of maintenance into a failed run.",
		Rules: running, Others: 1, Play: scene.Play(refusedForAWhile, refusedInManyWays, refusedByQuota, refusedTwice),
	},
	{
		ID: "6.4", Title: "At the deadline, the Job is stopped before the run has failed",
		Section: "stop-first-then-report", Concepts: []string{"C22", "C61"},
		Why: "A user who sees that a run has failed starts the next one. If pods of the first one still run then, both work on the same " +
			"data.",
		Rules: running, Play: scene.Play(atTheDeadline, endsAtTheDeadline, failsAtTheDeadline, crashesAtTheDeadline, unseenAtTheDeadline),
	},
	{
		ID: "6.5", Title: "The deadline does not count suspended time",
		Section: "a-deadline-is-a-point-in-time", Concepts: []string{"C22"},
		Why: "A run that is suspended over the weekend must not fail on Monday. The process that counts may end meanwhile, so the status " +
			"has to say for how long the clock was stopped.",
		Rules: running, Play: scene.Play(suspendedTime),
	},
	{
		ID: "6.6", Title: "The deadline is noticed without an event, also after a restart and after a change",
		Section: "a-deadline-is-a-point-in-time", Concepts: []string{"C22"},
		Why: "No event says that time has passed. A run that hangs causes no events at all, and it is for such runs that people set a " +
			"deadline.",
		Rules: running, Play: scene.Play(noticed),
	},
	{
		ID: "6.7", Title: "A finished object is deleted when its time to live has passed, and not before",
		Section: "cleaning-up", Concepts: []string{"C47", "C61"},
		Why: "Finished runs that nobody deletes fill the API server. But a run that has failed is evidence: its status and its Jobs " +
			"have to stay until somebody has looked at them, for as long as the user wants.",
		Rules: running, Play: scene.Play(timeToLive),
	},
	{
		ID: "6.8", Title: "Only the object that was read is deleted",
		Section: "cleaning-up", Concepts: []string{"C47"},
		Why: "Between your read and your deletion, somebody may create another run of that name, or decide to keep this one. A deletion " +
			"by name alone takes whatever has the name, and can't be undone.",
		Rules: running, Play: scene.Play(onlyWhatWasRead),
	},
	{
		ID: "6.9", Title: "Steps before startAt are skipped and never run",
		Section: "retry-from-a-step", Concepts: []string{"C58"},
		Why: "startAt is how users retry: the steps before it have finished in an earlier run. To run them again repeats what they did, " +
			"and to run fewer leaves out work.",
		Rules: running, Play: scene.Play(retries),
	},
	{
		ID: "6.10", Title: "Events report what the status says, and each only once",
		Section: "condition-event-metric", Concepts: []string{"C58"},
		Why: "kubectl describe shows Events, and people act on them. An Event about what is not in the status yet may be wrong. One " +
			"that is sent in each reconcile buries all others, and costs the API server a write each time.",
		Rules: running, Events: true, Play: scene.Play(reported),
	},
	generated.Check(lesson.Check{
		ID: "6.11", Title: "In runs that nobody has planned, failures and limits stay right",
		Section: "runs-that-nobody-has-planned", Concepts: []string{"C58"},
		Why: "You think of a deadline, and of a suspension. Users have both at once, while the controller restarts. Rules that hold in " +
			"every run find what nobody has thought of.",
		Rules: append([]invariants.ID{invariants.I4}, running...),
	}, 83, 30, 141, 62),
}
