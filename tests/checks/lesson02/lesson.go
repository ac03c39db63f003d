package lesson02

import (
	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 2, Slug: "02-api", Title: "The API", Kind: lesson.API,
		Makes:      "the Go types of `SequentialJob`, and the rules that refuse what can never work",
		Difficulty: lesson.Moderate, Minutes: 75,
		Checks: api,
	})
}

// api judges an API by its CRD. Objects are of the kind SequentialJob.
var api = []lesson.Check{
	{
		ID: "2.1", Title: "The kind is served under the names that people and programs use",
		Section: "what-people-meet-first", Concepts: []string{"C15", "C17"},
		Why: "Every manifest names the group, version and kind from now on, and users type the short name every day. You can't change " +
			"any of them later without breaking somebody.",
		Play: crds.Play(kindIsServed),
	},
	{
		ID: "2.2", Title: "Valid input is accepted and kept as it is",
		Section: "embed-what-is-there", Concepts: []string{"C10", "C11", "C16", "C57"},
		Why: "Users whose valid input is refused go elsewhere. Dropped fields are worse: the API server silently prunes what the " +
			"schema doesn't know, unless the client asks for strict validation. Then the labels that billing relies on are missing.",
		Play: crds.Play(takesGoodInput),
	},
	{
		ID: "2.3", Title: "Omitted fields have a meaning, and the object shows it",
		Section: "what-is-not-set", Concepts: []string{"C12"},
		Why: "Otherwise every controller, dashboard and script that reads the object has to know what a missing field means, and all " +
			"of them have to agree.",
		Play: crds.Play(fillsInDefaults),
	},
	{
		ID: "2.4", Title: "Invalid input is refused, with a message that says why and where",
		Section: "two-places-for-no", Concepts: []string{"C13", "C14", "C59"},
		Why: "Input that is not refused here fails later and elsewhere: in a Job that can't be created, at night, when nobody is " +
			"watching. If the message only says that a rule failed, users have to work out the rule first.",
		Play: crds.Play(refusesBadInput),
	},
	{
		ID: "2.5", Title: "Immutable fields can't be changed, and mutable fields can",
		Section: "what-may-change-later", Concepts: []string{"C15"},
		Why: "If the list of steps changes during a run, the status describes steps that no longer exist, and the controller has to " +
			"guess. A deadline that can't be raised ends the very run that it should protect.",
		Play: crds.Play(guardsChanges),
	},
	{
		ID: "2.6", Title: "Spec and status are written separately",
		Section: "who-writes-what", Concepts: []string{"C09", "C10"},
		Why: "Users write the spec, and the controller writes the status. Without a status subresource, updating the object from a " +
			"manifest wipes out what the controller has recorded. And each status write looks like a change that the user asked for.",
		Play: crds.Play(separatesStatus),
	},
	{
		ID: "2.7", Title: "Writers of different entries in a list don't conflict",
		Section: "lists-that-merge", Concepts: []string{"C14"},
		Why: "A list is a single value unless the API declares how to tell its entries apart. A program that writes one entry then " +
			"owns and overwrites the whole list, and the conditions of other programs vanish.",
		Play: crds.Play(mergesLists),
	},
	{
		ID: "2.8", Title: "kubectl get shows the progress of a run",
		Section: "what-people-meet-first", Concepts: []string{"C17"},
		Why: "This is the first place that people look when something is wrong, and for most of them the only one. A name and an age " +
			"tell them nothing.",
		Play: crds.Play(showsColumns),
	},
	{
		ID: "2.9", Title: "A plain kubectl apply accepts the CRD",
		Section: "embed-what-is-there", Concepts: []string{"C11"},
		Why: "kubectl apply stores everything that it applied in an annotation of the object, and annotations are limited in size. A " +
			"CRD that exceeds the limit breaks every pipeline that applies manifests in the usual way.",
		Play: crds.Play(fitsIntoAnApply),
	},
	{
		ID: "2.10", Title: "A Go client that reads an object and writes it back changes nothing",
		Section: "what-is-not-set", Concepts: []string{"C12"},
		Why: "Controllers, command-line tools and tests use these very types. If a zero is lost or added on the way, somebody has " +
			"changed a setting without knowing it.",
		Play: crds.Play(survivesGoClients),
	},
}
