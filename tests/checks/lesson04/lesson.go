package lesson04

import (
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 4, Slug: "04-conditions", Title: "Status and conditions", Kind: lesson.Controller,
		Makes:     "the status as a ledger; conditions; a summary that can be waited for",
		Continues: 3, HeldTo: []int{3},
		Prompt:     true,
		Difficulty: lesson.Moderate, Minutes: 90,
		Checks: conditions,
	})
}

var conditions = []lesson.Check{
	{
		ID: "4.1", Title: "All conditions are there from the first status write, the outcome as Unknown", Section: "conditions", Concepts: []string{"C26"},
		Why: "A condition that is missing says nothing: nobody can tell a run that goes on from a controller that has not looked " +
			"yet, or that does not know the condition. Unknown says that it was looked at, and is not decided.",
		Play: playing(fromTheFirst),
	},
	{
		ID: "4.2", Title: "The status tells where each step stands", Section: "the-status-is-a-ledger", Concepts: []string{"C07", "C19", "C58"},
		Why: "People look at the status to learn what runs, since when, and as which Job. And it is the controller's own memory: " +
			"what does not stand there is forgotten with the next restart.",
		Rules: []invariants.ID{"I6"}, Play: playing(whereEachStepStands),
	},
	{
		ID: "4.3", Title: "The summary tells how it ended, and why", Section: "the-summary", Concepts: []string{"C27", "C58"},
		Why: "One condition is what kubectl wait, dashboards and other controllers read. Who gets the alert wants to know which " +
			"step it was and what its Job said, without looking for a Job that may be gone by then.",
		Rules: []invariants.ID{"I3", "I6"}, Play: playing(howItEnded),
	},
	{
		ID: "4.4", Title: "Transition times change only on transitions", Section: "transition-times", Concepts: []string{"C26"},
		Why: "lastTransitionTime tells since when a condition has its status. If each pass sets it, nothing ever lasts longer than " +
			"a moment, and an alert on what lasts an hour never comes.",
		Play: playing(onlyOnTransitions),
	},
	{
		ID: "4.5", Title: "A finished step never runs again", Section: "the-status-is-a-ledger", Concepts: []string{"C07"},
		Why: "People and their scripts delete Jobs that are done. A controller that goes by the Jobs that are there takes the step " +
			"for one that has not run, and a migration runs a second time.",
		Rules: []invariants.ID{"I3", "I6"}, Play: playing(neverAgain),
	},
	{
		ID: "4.6", Title: "The status is written although the work failed", Section: "status-when-the-work-failed", Concepts: []string{"C21"},
		Why: "It is when something fails that people look at the status. A pass that returns its error first leaves them with one " +
			"that says all is well, and the reason stands in a log that they may not read.",
		Rules: []invariants.ID{"I2", "I3", "I6"}, Play: playing(whyItWaits),
	},
	{
		ID: "4.7", Title: "One status write a pass, none that changes nothing", Section: "one-write-a-pass", Concepts: []string{"C24", "C26"},
		Why: "Each write goes through etcd and to everybody who watches, and wakes the controller that made it. What is written " +
			"piece by piece shows states in between that were never true.",
		Rules: []invariants.ID{"I9"}, Play: playing(fewWrites),
	},
	{
		ID: "4.8", Title: "What others wrote into the status stays", Section: "whose-status", Concepts: []string{"C26"},
		Why: "Conditions are a list that several programs write to: a gate, an auditor, a dashboard. A status written from an old " +
			"copy takes away what they have added since, and nobody notices.",
		Play: playing(whatOthersWrote),
	},
	{
		ID: "4.9", Title: "The status is written through /status, and nothing else of the object is touched", Section: "whose-status", Concepts: []string{"C19"},
		Why: "The spec and the labels are the user's. A controller that may only write /status can't spoil them, not even with a " +
			"bug, and a write to the object itself leaves its status as it was.",
		Rules: []invariants.ID{"I8"}, Play: playing(onlyTheStatus),
	},
	{
		ID: "4.10", Title: "A refused status write is not the end", Section: "whose-status", Concepts: []string{"C21"},
		Why: "What was seen is still true, and has to get into the status. After a conflict, which says that somebody else has written " +
			"to the object since it was read, that is with the object as it is now, and without doing the work once more.",
		Rules: []invariants.ID{"I1", "I2", "I3", "I6"}, Play: playing(afterConflicts),
	},
	{
		ID: "4.11", Title: "A Job that vanishes while its step runs is a failure", Section: "the-status-is-a-ledger", Concepts: []string{"C07"},
		Why: "Nobody knows how far it had got. Run again, it may do a second time what it had done already; and a run that waits for " +
			"a Job which is not there any more waits for ever, and says that all is well.",
		Rules: []invariants.ID{"I3", "I6"}, Play: playing(vanished),
	},
	{
		ID: "4.12", Title: "That a step is over is recorded before the next one begins", Section: "the-status-is-a-ledger", Concepts: []string{"C07"},
		Why: "The process may die at any point, and a Job that is done may be deleted at any time. What was built upon and not yet " +
			"recorded is then forgotten: the next process takes a step that had succeeded for one that was lost.",
		Rules: []invariants.ID{"I2", "I3", "I6"}, Play: playing(recordedFirst),
	},
}
