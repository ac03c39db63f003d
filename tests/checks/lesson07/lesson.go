// Package lesson07 has the checks of lesson 7: what a cache has, what it costs, and what it does not show.
package lesson07

import (
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 7, Slug: "07-cache", Title: "The cache", Kind: lesson.Controller,
		Makes:     "a cache that has what the controller reads, and nothing else",
		Continues: 6, HeldTo: []int{3, 4, 5, 6},
		Prompt:     true,
		Reports:    true,
		Difficulty: lesson.Moderate, Minutes: 75,
		Checks: cache,
		Taught: lesson.Taught{Check: "7.8", Acts: []string{"unlabel"}},
	})
}

// running are the invariants that hold while steps run.
var running = []invariants.ID{invariants.I1, invariants.I2, invariants.I3, invariants.I6, invariants.I7}

var cache = []lesson.Check{
	{
		ID: "7.1", Title: "Only SequentialJobs and Jobs are watched or listed",
		Section: "a-read-can-start-a-watch", Concepts: []string{"C19", "C31"},
		Why: "Through the cache, a single read of another kind moves all its objects into your memory: every pod of the cluster, for " +
			"an exit code. On a large cluster, the process is killed for it, and starts slowly the next time. A list past the cache " +
			"sends them over the network, again and again.",
		Rules: running, Play: scene.Play(twoKinds),
	},
	{
		ID: "7.2", Title: "Other people's Jobs don't reach your controller",
		Section: "keep-less", Concepts: []string{"C32"},
		Why: "A cluster can have a hundred times as many Jobs as your SequentialJobs have steps. Without a selector, your process " +
			"keeps all of them, and handles every event of theirs.",
		Rules: running, Play: scene.Play(othersStayOut),
	},
	{
		ID: "7.3", Title: "A Job that has lost its labels is not taken for deleted",
		Section: "what-the-cache-does-not-show", Concepts: []string{"C30"},
		Why: "When an object leaves your selector, the watch reports it as deleted. A controller that believes this fails a run whose " +
			"Job still works, or starts the step a second time. Users change labels too: a step must not take over another step's Job.",
		Rules: running, Play: scene.Play(unlabelled, unlabelledAndStopped, unlabelledAndGone, unlabelledMeanwhile, unlabelledUnrecorded),
	},
	{
		ID: "7.4", Title: "Each kind is watched once",
		Section: "three-forms-three-caches", Concepts: []string{"C31"},
		Why: "Each form of an object has a cache of its own: whole objects, metadata, unstructured ones. Two of them cost memory twice. " +
			"And one may be ahead of the other, so an event can wake you before your reads show its cause.",
		Rules: running, Play: scene.Play(once),
	},
	{
		ID: "7.5", Title: "An event that changes nothing costs no request",
		Section: "fast-and-offline", Concepts: []string{"C29", "C33"},
		Why: "Every label that somebody sets, and every resync, reconciles objects that are up to date. If each of these costs one " +
			"request, 5,000 objects cost 5,000, and your controller's real work waits behind them.",
		Rules: running, Play: scene.Play(offline),
	},
	{
		ID: "7.6", Title: "A restart costs two watches, however many objects there are",
		Section: "fast-and-offline", Concepts: []string{"C33", "C34", "C64"},
		Why: "After a restart, every object is reconciled once. Most have ended long ago, and their status says so. What is recorded " +
			"there need not be asked again.",
		Rules: running, Play: scene.Play(restarted),
	},
	{
		ID: "7.7", Title: "A refused Job does not stop the other objects",
		Section: "a-cache-that-never-fills", Concepts: []string{"C31"},
		Why: "A read through the cache waits until the kind's watch has delivered everything. If the role forbids that watch, the read " +
			"never returns. It holds a worker, and with it all objects.",
		Rules: running, Play: scene.Play(refused),
	},
	generated.Check(lesson.Check{
		ID: "7.8", Title: "In runs that nobody has planned, a narrow cache shows enough",
		Section: "runs-that-nobody-has-planned", Concepts: []string{"C32"},
		Why: "A controller that keeps less in memory has to know what it does not see. Users remove labels, suspend, delete and " +
			"limit runs, in any order.",
		Rules: append([]invariants.ID{invariants.I4}, running...),
	}, 2604, 357, 227, 94),
}
