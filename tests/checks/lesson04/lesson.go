package lesson04

import (
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 4, Slug: "04-conditions", Title: "Status and conditions", Kind: lesson.Controller,
		Makes:     "the status as a ledger; conditions; a summary that can be waited for",
		Continues: 3, HeldTo: []int{3},
		Prompt:     true,
		Reports:    true,
		Role:       "whose-status",
		Difficulty: lesson.Moderate, Minutes: 90,
		Checks: conditions,
		Taught: lesson.Taught{
			Check: "4.13",
			Acts:  []string{"tidy", "remove", "condition", "quota"},
			Faults: []string{
				"answer 500: writes sequentialjobs/status", "lose request: writes sequentialjobs/status", "lose reply: writes sequentialjobs/status",
				"write first: writes sequentialjobs/status", "crash before: writes sequentialjobs/status",
				"crash after commit: writes sequentialjobs/status", "crash after reply: writes sequentialjobs/status",
			},
		},
	})
}

var conditions = []lesson.Check{
	{
		ID: "4.1", Title: "All conditions are there from the first write, with an Unknown outcome", Section: "conditions", Concepts: []string{"C26"},
		Why: "A missing condition says nothing. A run in progress looks the same as a controller that hasn't looked yet, or that " +
			"doesn't know the condition. Unknown says: the controller has looked, and the outcome is undecided.",
		Play: scene.Play(fromTheFirst),
	},
	{
		ID: "4.2", Title: "The status shows the state of every step", Section: "the-status-is-a-ledger", Concepts: []string{"C07", "C19", "C58"},
		Why: "People read the status to learn which step runs, since when, and as which Job. It is also the controller's own memory: " +
			"what is not recorded there is lost with the next restart.",
		Rules: []invariants.ID{invariants.I6}, Play: scene.Play(whereEachStepStands),
	},
	{
		ID: "4.3", Title: "The summary says how the run ended, and why", Section: "the-summary", Concepts: []string{"C27", "C58"},
		Why: "kubectl wait, dashboards and other controllers read a single condition. The person who receives the alert wants to know " +
			"which step failed and what its Job reported. The Job itself may be gone by then.",
		Rules: []invariants.ID{invariants.I3, invariants.I6}, Play: scene.Play(howItEnded),
	},
	{
		ID: "4.4", Title: "Transition times change only on transitions", Section: "transition-times", Concepts: []string{"C26"},
		Why: "lastTransitionTime says since when a condition has had its status. If every reconcile sets it, no status ever lasts " +
			"longer than a moment, and an alert on a state that lasts an hour never fires.",
		Play: scene.Play(onlyOnTransitions),
	},
	{
		ID: "4.5", Title: "A finished step never runs again", Section: "the-status-is-a-ledger", Concepts: []string{"C07"},
		Why: "People and their scripts delete finished Jobs. A controller that relies on the Jobs that exist concludes that the step " +
			"has not run, and a migration runs a second time.",
		Rules: []invariants.ID{invariants.I3, invariants.I6}, Play: scene.Play(neverAgain),
	},
	{
		ID: "4.6", Title: "The status is written even if the work failed", Section: "status-when-the-work-failed", Concepts: []string{"C21"},
		Why: "People look at the status when something fails. A reconcile that returns its error first leaves a status that says all " +
			"is well. The reason is only in a log, which they may not be able to read.",
		Rules: []invariants.ID{invariants.I2, invariants.I3, invariants.I6}, Play: scene.Play(whyItWaits),
	},
	{
		ID: "4.7", Title: "At most one status write per reconcile, and none without a change", Section: "one-write-per-reconcile", Concepts: []string{"C24", "C26"},
		Why: "Each write goes through etcd and to every watcher, and triggers the controller that made it. A status that is written " +
			"piece by piece shows intermediate states that were never true.",
		Rules: []invariants.ID{invariants.I9}, Play: scene.Play(fewWrites),
	},
	{
		ID: "4.8", Title: "What others write to the status stays", Section: "whose-status", Concepts: []string{"C26"},
		Why: "Several programs write to the list of conditions: a gate, an auditor, a dashboard. A status written from a stale copy " +
			"removes what they have added since, and nobody notices.",
		Play: scene.Play(whatOthersWrote),
	},
	{
		ID: "4.9", Title: "The controller writes only /status, and nothing else of the object", Section: "whose-status", Concepts: []string{"C19"},
		Why: "The spec and the labels belong to the user. A controller that may write only /status can't damage them, not even through " +
			"a bug. And a write to the object itself doesn't change its status.",
		Rules: []invariants.ID{invariants.I8}, Play: scene.Play(onlyTheStatus),
	},
	{
		ID: "4.10", Title: "A status write that fails is retried", Section: "whose-status", Concepts: []string{"C21"},
		Why: "What the controller has observed is still true, and must reach the status. A conflict means that somebody has changed " +
			"the object since you read it. Retry with the current object, and don't repeat the work.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6}, Play: scene.Play(afterConflicts),
	},
	{
		ID: "4.11", Title: "A Job that vanishes while its step runs is a failure", Section: "the-status-is-a-ledger", Concepts: []string{"C07"},
		Why: "Nobody knows how far the Job got, so running it again may repeat what it has already done. And a run that waits for a " +
			"Job that no longer exists waits indefinitely, and reports that all is well.",
		Rules: []invariants.ID{invariants.I1, invariants.I3, invariants.I6}, Play: scene.Play(vanished),
	},
	{
		ID: "4.12", Title: "A finished step is recorded before the next one starts", Section: "the-status-is-a-ledger", Concepts: []string{"C07"},
		Why: "The process can die at any point, and a finished Job can be deleted at any time. If the next step starts first, the " +
			"success may never be recorded. The next process then takes the finished step for a lost one.",
		Rules: []invariants.ID{invariants.I2, invariants.I3, invariants.I6}, Play: scene.Play(recordedFirst),
	},
	generated.Check(lesson.Check{
		ID: "4.13", Title: "In runs that nobody has planned, every status says how it ended", Section: "runs-that-nobody-has-planned", Concepts: []string{"C07", "C21"},
		Why: "In production, users, failures and restarts come in any order. The status has to be right after each of them, because " +
			"it is what everybody acts on, your controller included.",
		Rules: []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I4, invariants.I6, invariants.I9},
	}, 9, 11, 14, 12),
}
