// Package lesson09 has the checks of lesson 9: Workspaces, whose buckets are outside the cluster, and the runs that use them.
package lesson09

import (
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 9, Slug: "09-finalizers", Title: "Finalizers", Kind: lesson.Controller,
		Makes:     "a second controller, for Workspaces: a bucket outside the cluster, and its finalizer",
		Continues: 8, HeldTo: []int{3, 4, 5, 6, 7, 8},
		Reports:    true,
		Store:      true,
		Difficulty: lesson.Hard, Minutes: 120,
		Checks: finalizers,
	})
}

// running are the invariants that hold while steps run, and those about Workspaces.
var running = []invariants.ID{
	invariants.I1, invariants.I2, invariants.I3, invariants.I6, invariants.I7, invariants.I10, invariants.I11,
}

var finalizers = []lesson.Check{
	{
		ID: "9.1", Title: "Nothing outside exists without the finalizer",
		Section: "the-finalizer-comes-first", Concepts: []string{"C46"},
		Why: "Your process can crash between any two of its writes, and a user can delete the object at that moment. Without a finalizer, " +
			"the object is gone then. Nobody knows of the bucket any more, and it stays indefinitely.",
		Rules: running, Play: scene.Play(interrupted),
	},
	{
		ID: "9.2", Title: "The finalizer goes once the store says that the bucket is gone",
		Section: "gone-is-what-the-store-says", Concepts: []string{"C46", "C66"},
		Why: "A deletion can be refused, or lost on its way. A controller that does not ask afterwards leaves buckets behind. One that " +
			"takes \"not found\" for a failure never lets the object go.",
		Rules: running, About: []invariants.ID{invariants.I11}, Play: scene.Play(ended),
	},
	{
		ID: "9.3", Title: "A Workspace that is deleted early needs no bucket",
		Section: "the-finalizer-comes-first", Concepts: []string{"C46"},
		Why: "A user deletes what was created by mistake, and your controller may see the object only then. A bucket that it still " +
			"creates is work for nothing. If the deletion waits for a bucket that never comes, the object is stuck.",
		Rules: running, Play: scene.Play(early),
	},
	{
		ID: "9.4", Title: "A deletion waits for the store, says so, and ends by itself",
		Section: "a-deletion-that-waits", Concepts: []string{"C46"},
		Why: "An object that hangs in Terminating without a reason makes users remove its finalizer by hand, and then the bucket stays. " +
			"And an outage of the store must not stop work that does not need the store.",
		Rules: running, Play: scene.Play(waiting),
	},
	{
		ID: "9.5", Title: "The store may be down when your controller starts",
		Section: "look-then-act", Concepts: []string{"C66"},
		Why: "After a power failure, everything starts at the same time. A controller that ends because another system is not there yet " +
			"stops all runs, also those without a Workspace.",
		Rules: running, Play: scene.Play(started),
	},
	{
		ID: "9.6", Title: "Another owner's bucket is neither used, nor changed, nor deleted",
		Section: "not-yours", Concepts: []string{"C66"},
		Why: "Anybody can create a bucket of any name. A controller that trusts the name writes into other people's files, and deletes " +
			"them with its own object. That can't be undone.",
		Rules: running, Play: scene.Play(foreign),
	},
	{
		ID: "9.7", Title: "Other clients' finalizers stay",
		Section: "the-finalizer-comes-first", Concepts: []string{"C46"},
		Why: "The list of finalizers belongs to all who have something to clean up. If your write removes another client's entry, that " +
			"client never learns of the deletion, and what it had to clean up stays.",
		Rules: running, Play: scene.Play(others),
	},
	{
		ID: "9.8", Title: "What a user wants to retain stays",
		Section: "look-then-act", Concepts: []string{"C66"},
		Why: "The files may be the only evidence of what went wrong. A user who asks for them to stay may do that late: while the " +
			"deletion waits. A bucket that is deleted all the same can't be brought back.",
		Rules: running, Play: scene.Play(retained),
	},
	{
		ID: "9.9", Title: "A Workspace that is up to date costs the store no request",
		Section: "what-was-conveyed", Concepts: []string{"C34"},
		Why: "After a restart, every object is reconciled. If each reconcile asks the store, thousands of requests arrive at the same " +
			"moment. A store that is slow then makes every object slow.",
		Rules: running, Play: scene.Play(offline),
	},
	{
		ID: "9.10", Title: "The status says what the store was told, and not what it should have been told",
		Section: "what-was-conveyed", Concepts: []string{"C34"},
		Why: "Suppose that the store is down when a user changes the capacity. A controller that records the new spec as done never " +
			"tells the store. And a bucket that is lost must not come back empty: the next step would work on nothing, and succeed.",
		Rules: running, Play: scene.Play(conveyed),
	},
	{
		ID: "9.11", Title: "No step starts before its Workspace is ready for the current spec",
		Section: "one-controller-one-job", Concepts: []string{"C18"},
		Why: "A step that starts too early has no files and no address of the store. It fails, or it works on nothing and succeeds. The " +
			"condition of an earlier spec says nothing about the current one.",
		Rules: running, About: []invariants.ID{invariants.I10}, Play: scene.Play(ready),
	},
	{
		ID: "9.12", Title: "A run has its own Workspace, or uses another one, and deletes only its own",
		Section: "one-controller-one-job", Concepts: []string{"C18"},
		Why: "Files in a Workspace that several runs share must outlive each of them. A run's own Workspace must go with the run, or it " +
			"stays indefinitely. And a run that takes another owner's Workspace for its own reads and deletes other people's files.",
		Rules: running, Play: scene.Play(whose),
	},
}
