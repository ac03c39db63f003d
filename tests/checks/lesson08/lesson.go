// Package lesson08 has the checks of lesson 8: what a controller does while its cache is stale.
package lesson08

import (
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 8, Slug: "08-expectations", Title: "Expectations", Kind: lesson.Controller,
		Makes:     "a controller that survives a stale cache",
		Continues: 7, HeldTo: []int{3, 4, 5, 6, 7},
		Reports:    true,
		Difficulty: lesson.Hard, Minutes: 120,
		Checks: expectations,
		Taught: lesson.Taught{Check: "8.9", Acts: []string{"delete orphan", "heal"}, Faults: generated.Stale()},
	})
}

// running are the invariants that hold while steps run.
var running = []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6, invariants.I7}

var expectations = []lesson.Check{
	{
		ID: "8.1", Title: "A repeated creation starts no second Job",
		Section: "names-that-show-a-repeat", Concepts: []string{"C43"},
		Why: "A request can succeed although its response says that it failed. Then it is repeated, by your controller or by client-go " +
			"itself. With a generated name, the API server can't see that, and runs the step twice.",
		Rules: running, Play: scene.Play(repeated),
	},
	{
		ID: "8.2", Title: "A Job of that name counts only if it is yours",
		Section: "whose-job-is-it", Concepts: []string{"C43"},
		Why: "A fixed name can be taken. A controller that takes any Job of that name for its own reports work as done that nobody " +
			"has done. One that gives up fails a run that could start as soon as the name is free.",
		Rules: running, Play: scene.Play(taken, unrecordedJobs, sameNames),
	},
	{
		ID: "8.3", Title: "A Job that may exist is looked for",
		Section: "claim-before-you-act", Concepts: []string{"C65"},
		Why: "The process that created a Job may have crashed before it could record that, and the next process may not see the Job. " +
			"A controller that then says that nothing runs lets two things run at the same time: the Job, and whatever its user starts next.",
		Rules: running, Play: scene.Play(unrecorded, unrecordedAndSuspended, unrecordedAndOver, goneUnseen, adoptedAndGone, adoptedAtItsEnd),
	},
	{
		ID: "8.4", Title: "No Job is created twice while the cache is stale",
		Section: "expectations", Concepts: []string{"C39", "C40"},
		Why: "The cache doesn't show yet what you have created. A controller that counts what it sees creates too many. With generated " +
			"names, two Jobs run. With fixed names, the API server refuses the second request, which is still one too many.",
		Rules: running, Play: scene.Play(tooMany),
	},
	{
		ID: "8.5", Title: "You cause no conflict, and overrule none",
		Section: "expectations", Concepts: []string{"C30", "C42"},
		Why: "A conflict should tell you that somebody else has written to the object. If your own writes cause conflicts, the log is " +
			"full of errors that mean nothing. And if it was somebody else, what you have decided is about a state that is gone.",
		Rules: running, Play: scene.Play(needless, ownEventLate, refusedMeanwhile, overtaken, keptAfterAll, inTime),
	},
	{
		ID: "8.6", Title: "Nothing is stopped or suspended twice while the cache is stale",
		Section: "expectations", Concepts: []string{"C41"},
		Why: "The cache still shows what you have deleted. A controller that decides by it deletes once more. In a set of equal " +
			"replicas that is one more that should have stayed; here it is a request for something that is already under way.",
		Rules: running, Others: 1, Play: scene.Play(tooFew, createdUnheard, lateAndStopped, suspendedOnce),
	},
	{
		ID: "8.7", Title: "An event that never comes does not stop the run",
		Section: "when-the-event-never-comes", Concepts: []string{"C39"},
		Why: "While a watch is interrupted, a Job can be created and deleted, and an object can be replaced. The new list shows neither. " +
			"A controller that waits for the event without a limit never does anything for that object again, and no log says so.",
		Rules: running, Play: scene.Play(neverShown, swappedUnseen, refusedUnheard, triesAgain),
	},
	{
		ID: "8.8", Title: "A new process does not act on a stale list",
		Section: "after-a-restart", Concepts: []string{"C30", "C44"},
		Why: "A new process expects nothing yet, and its first list may come from an API server whose own cache is stale. So it sees " +
			"a run as it was minutes ago, and repeats what its predecessor has done since.",
		Rules: running, Play: scene.Play(restarted, replacedSince, staysStale, resumedSince, suspendedSince, deletedSince, stillHalted),
	},
	generated.Check(lesson.Check{
		ID: "8.9", Title: "In runs that nobody has planned, nothing happens twice",
		Section: "runs-that-nobody-has-planned", Concepts: []string{"C43", "C65"},
		Why: "Stale caches, lost responses and restarts meet in combinations that nobody writes a test for. What holds in each of them " +
			"is the reason why a user may run a migration as a step.",
		Rules: append([]invariants.ID{invariants.I4}, running...),
	}, 7, 37, 29, 12),
}
