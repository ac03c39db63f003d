// Package lesson09 has the checks of lesson 9: a second controller, for buckets outside the cluster.
package lesson09

import (
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 9, Slug: "09-finalizers", Title: "Finalizers", Kind: lesson.Controller,
		Makes:     "a second API and controller: a bucket outside the cluster",
		Continues: 8, HeldTo: []int{3, 4, 5, 6, 7, 8},
		Reports:    true,
		Store:      true,
		Difficulty: lesson.Hard, Minutes: 150,
		Checks: finalizers,
		Taught: lesson.Taught{
			Check:  "9.14",
			Acts:   []string{"create workspace", "provide", "resize", "abandon", "outage", "recover"},
			Faults: generated.Outside(),
		},
	})
}

// files is the Workspace of most checks.
const files = "files"

// outside are the invariants about what is outside the cluster; running hold while steps run.
var (
	outside = []invariants.ID{invariants.I11}
	running = []invariants.ID{invariants.I1, invariants.I2, invariants.I6, invariants.I7, invariants.I10, invariants.I11}
)

var finalizers = []lesson.Check{
	{
		ID: "9.1", Title: "Nothing exists outside before the finalizer does",
		Section: "the-finalizer-comes-first", Concepts: []string{"C46"},
		Why: "Garbage collection doesn't reach a bucket. If your process crashes before the finalizer is there, a user can delete the Workspace, " +
			"and it is gone at once. Nothing names its bucket any more: it takes up room, and costs money, for as long as the store exists.",
		Rules: outside, Play: scene.Play(finalizerFirst, unguarded),
	},
	{
		ID: "9.2", Title: "The bucket goes, then the finalizer",
		Section: "only-the-store-knows-that-it-is-gone", Concepts: []string{"C46", "C66"},
		Why: "The Workspace is the last record of its bucket. A controller that removes the finalizer after an error leaves a bucket that " +
			"nobody knows. One that takes \"not found\" for an error keeps the Workspace, and its namespace, from ever going.",
		Rules: outside, About: outside, Play: scene.Play(finalizerLast),
	},
	{
		ID: "9.3", Title: "A Workspace that is being deleted, or gone, gets no bucket",
		Section: "the-finalizer-comes-first", Concepts: []string{"C46"},
		Why: "A user may delete a Workspace right after they have created it. Your controller then sees a new object that is being deleted. " +
			"A bucket that it creates for that comes for nobody, and a finalizer can't be added any more.",
		Rules: outside, Play: scene.Play(neverThere),
	},
	{
		ID: "9.4", Title: "A deletion waits for the store, says so, and keeps nobody else waiting",
		Section: "a-deletion-that-waits", Concepts: []string{"C46", "C66"},
		Why: "Somebody else operates the store, and it is down sometimes. A user who sees that kubectl delete hangs has nothing but the " +
			"status to find out why. Without a word there, they remove the finalizer by hand, and the bucket stays.",
		Rules: outside, Play: scene.Play(downAtTheEnd, refusedAtTheEnd, offlineAtTheEnd),
	},
	{
		ID: "9.5", Title: "The process starts without the store",
		Section: "a-deletion-that-waits", Concepts: []string{"C66", "C18"},
		Why: "A process that exits because the store is down is restarted with longer and longer pauses. Meanwhile nobody runs " +
			"SequentialJobs, most of which have nothing to do with the store.",
		Rules: running, Play: scene.Play(downAtTheStart),
	},
	{
		ID: "9.6", Title: "A bucket counts only if it has the Workspace's mark",
		Section: "not-yours", Concepts: []string{"C66"},
		Why: "Everybody who can reach the store can create a bucket of any name. To NATS, creating a bucket that exists with the same " +
			"settings is a success. A controller that takes that for its own deletes other people's files later.",
		Rules: outside, Play: scene.Play(notYours, comesAndGoes, givenBack),
	},
	{
		ID: "9.7", Title: "Other clients' finalizers are theirs",
		Section: "not-yours", Concepts: []string{"C46"},
		Why: "metadata.finalizers is a list that several controllers share. A merge patch replaces the whole list, with the entries that " +
			"its author knew. What somebody else wanted to clean up is then never cleaned up, and nobody notices.",
		Rules: outside, Play: scene.Play(othersFinalizers),
	},
	{
		ID: "9.8", Title: "With Retain, the bucket stays, even if the user decides late",
		Section: "a-deletion-that-waits", Concepts: []string{"C46", "C66"},
		Why: "The user has the last word until the bucket is gone. By default, the NATS client keeps a request that it could not send, and " +
			"sends it when the store is back: the deletion that your controller reported as failed is done minutes later.",
		Rules: outside, Play: scene.Play(retained),
	},
	{
		ID: "9.9", Title: "An up-to-date Workspace costs the store no request",
		Section: "what-was-conveyed", Concepts: []string{"C34"},
		Why: "Each event of each object leads to a reconcile, and so does each restart. If every reconcile asks the store, a thousand " +
			"Workspaces mean a thousand requests whenever your process starts, and Workspaces that are fine depend on the store being up.",
		Rules: outside, Play: scene.Play(offline),
	},
	{
		ID: "9.10", Title: "The status says which spec the store has",
		Section: "what-was-conveyed", Concepts: []string{"C34", "C66"},
		Why: "observedGeneration says which spec your controller has read. The store may not know of it yet. If the status mixes the two up, " +
			"the new capacity never reaches the store, and a run starts with the old one. And a bucket that is gone must not come back empty under " +
			"a status that says nothing of the loss: the next step would work on nothing.",
		Rules: outside, Play: scene.Play(conveyed, changedMeanwhile, lostAndChanged, vanishes, tooMuch, olderCapacity),
	},
	{
		ID: "9.11", Title: "A run waits until its Workspace is ready for its current spec",
		Section: "one-controller-one-job", Concepts: []string{"C18"},
		Why: "A step that starts too early fails, or works on nothing and succeeds. Ready=True may be about an older spec, because the other " +
			"controller has not got that far. Only observedGeneration shows that.",
		Rules: running, About: []invariants.ID{invariants.I10}, Play: scene.Play(waits, waitsForSecret, waitsForChange),
	},
	{
		ID: "9.12", Title: "A run's own Workspace goes with the run, and no other",
		Section: "one-controller-one-job", Concepts: []string{"C18"},
		Why: "The Workspace that a run has created for itself goes with it, by garbage collection. One that others share has to stay, with " +
			"all files of their runs. A name alone does not say which of the two it is.",
		Rules: running, Play: scene.Play(
			whose, refusedAtFirst, goneBeforeItStarts, replacedBefore, replacedWhileItRuns, replacedWhileSuspended, replacedWhileDown,
			goneWhileItRuns, goneWhileItWaits,
		),
	},
	{
		ID: "9.13", Title: "After an error, the controller looks before it acts",
		Section: "look-then-act", Concepts: []string{"C66"},
		Why: "A request whose response is lost may have been done. To repeat it is no answer: the store refuses the second creation if the " +
			"spec has changed meanwhile, and a controller that takes that for a conflict never uses the bucket that it has created itself.",
		Rules: outside, Play: scene.Play(lookedUp),
	},
	generated.Check(lesson.Check{
		ID: "9.14", Title: "In runs that nobody has planned, each Workspace has its bucket, and no bucket is left",
		Section: "runs-that-nobody-has-planned", Concepts: []string{"C46", "C66"},
		Why: "Crashes, outages, lost responses and stale caches meet in combinations that nobody writes a test for. What holds in each of " +
			"them is that every bucket has a Workspace that knows of it, and every Workspace has the bucket that it began with.",
		Rules: append([]invariants.ID{invariants.I4}, running...),
	}, 1, 2, 3, 4),
}
