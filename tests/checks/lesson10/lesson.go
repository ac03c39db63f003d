// Package lesson10 has the checks of lesson 10: what others do to buckets, where no event tells of it.
package lesson10

import (
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 10, Slug: "10-drift", Title: "Drift", Kind: lesson.Controller,
		Makes:     "four ways to notice that somebody has changed a bucket, and what to do about it",
		Continues: 9, HeldTo: []int{3, 4, 5, 6, 7, 8, 9},
		Reports:    true,
		Store:      true,
		Difficulty: lesson.Hard, Minutes: 200,
		Checks: drift,
		Taught: lesson.Taught{
			Check: "10.13",
			Acts:  []string{"tamper", "force"},
		},
	})
}

// outside are the invariants about what is outside the cluster.
var outside = []invariants.ID{invariants.I11}

var drift = []lesson.Check{
	{
		ID: "10.1", Title: "With reapply, the settings are sent again and again, but never to another owner's bucket",
		Section: "send-it-again", Concepts: []string{"C50"},
		Why: "The simplest way to correct drift is to send what you want again, without asking what is there. It costs a write for each object " +
			"and interval. And an update has no precondition: sent to a bucket that has another owner by now, it takes the bucket over.",
		Rules: outside, Play: scene.Play(reapplied),
	},
	{
		ID: "10.2", Title: "With poll, each reconcile looks, and writes only what differs",
		Section: "look-in-each-reconcile", Concepts: []string{"C48", "C51"},
		Why: "Nobody tells your controller that a bucket has changed, so it has to look. The server adds entries of its own to what you have sent. " +
			"A controller that takes those for a difference writes at each look, for as long as it runs.",
		Rules: outside, Play: scene.Play(polled),
	},
	{
		ID: "10.3", Title: "With poller, one look shows all buckets",
		Section: "one-look-at-all", Concepts: []string{"C52", "C55"},
		Why: "With 5,000 Workspaces and a look every ten minutes, a look at each is eight requests a second, all year, to find nothing. " +
			"One list shows 256 buckets at once. It is the first to show that a bucket is gone, too. A controller that only creates it again hides " +
			"that files are lost.",
		Rules: outside, Play: scene.Play(listed, deletedMeanwhile, hidden, neverBound),
	},
	{
		ID: "10.4", Title: "With notify, a change is put back immediately, and none is missed in a gap",
		Section: "let-the-store-tell-you", Concepts: []string{"C53"},
		Why: "A notification comes at most once. What happens before you have subscribed, or while the connection is down, is never told. " +
			"And your own requests are told too: a controller that answers each notification with a change never comes to rest.",
		Rules: outside, Play: scene.Play(notified),
	},
	{
		ID: "10.5", Title: "A notification that was lost without a sign is made up for",
		Section: "let-the-store-tell-you", Concepts: []string{"C53"},
		Why: "Where two servers pass notifications on, the link between them can break. Your connection stays up, and you are told nothing. " +
			"A controller that relies on notifications alone never finds out.",
		Rules: outside, Play: scene.Play(unheard),
	},
	{
		ID: "10.6", Title: "A setting is put back if that is possible, and reported if not",
		Section: "put-back-or-tell", Concepts: []string{"C56"},
		Why: "Somebody has changed a setting that your controller does not compare, and programs fail. Or one that the store never changes back: " +
			"a controller that tries all the same fails at each attempt, and its user learns nothing.",
		Rules: outside, Play: scene.Play(classified, disowned),
	},
	{
		ID: "10.7", Title: "Lost files are reported, and no empty bucket takes their place",
		Section: "what-is-lost-stays-lost", Concepts: []string{"C49", "C54", "C56", "C67"},
		Why: "An empty bucket looks like a good one. A controller that creates it again, or does not notice that it was emptied, lets the next step run on " +
			"nothing. The run is green, and what it has produced is wrong.",
		Rules: outside, Play: scene.Play(lost),
	},
	{
		ID: "10.8", Title: "What a list lacks may be there",
		Section: "a-list-is-not-a-proof", Concepts: []string{"C52", "C66"},
		Why: "The store lists buckets in pages. If a bucket is deleted between two pages, another one falls between them. A controller that takes the list " +
			"for the truth reports lost files that are there, and the run fails. And by the time a list arrives, another owner may have a bucket that it shows.",
		Rules: outside, Play: scene.Play(paged, outOfDate),
	},
	{
		ID: "10.9", Title: "A store that does not respond says nothing about its buckets",
		Section: "a-list-is-not-a-proof", Concepts: []string{"C48"},
		Why: "The store is down for a minute, and your controller's looks fail. If it takes that for drift, it fails all runs that use a Workspace, " +
			"and one restart of the store costs a night's work.",
		Rules: outside, Play: scene.Play(outage, interrupted),
	},
	{
		ID: "10.10", Title: "A setting that somebody keeps changing is not fought over",
		Section: "two-who-put-back", Concepts: []string{"C55", "C56"},
		Why: "Another controller believes that the setting is its own, and puts it back too. Both of you send a request as soon as the other has. " +
			"The store is busy with that, and nobody is told.",
		Rules: outside, Play: scene.Play(disputed),
	},
	{
		ID: "10.11", Title: "A bucket whose Workspace is gone is swept",
		Section: "orphans", Concepts: []string{"C68"},
		Why: "No finalizer helps if somebody has removed it by hand, or if a request to create a bucket is done after the controller has crashed. " +
			"What is left takes up room, and nobody knows that it is there.",
		Rules: outside, Play: scene.Play(swept),
	},
	{
		ID: "10.12", Title: "A sweep takes nothing else",
		Section: "orphans", Concepts: []string{"C68"},
		Why: "A sweep deletes by a rule, and what it deletes is gone for good. Others use the store too: another cluster's controller, and people. " +
			"Some buckets are to stay without their Workspace. And a cache that is stale lacks Workspaces that exist.",
		Rules: outside, Play: scene.Play(spared),
	},
	generated.Check(lesson.Check{
		ID: "10.13", Title: "In runs that nobody has planned, what drifts is put back",
		Section: "put-back-or-tell", Concepts: []string{"C48", "C56"},
		Why: "Somebody changes a bucket while the controller crashes, and a user changes the capacity at the same time. Nobody foresees all " +
			"such combinations, and production brings them about.",
		Rules: running,
	}, 59, 4, 329, 18),
}

// running are the invariants that hold while steps run.
var running = []invariants.ID{invariants.I1, invariants.I2, invariants.I6, invariants.I7, invariants.I10, invariants.I11}
