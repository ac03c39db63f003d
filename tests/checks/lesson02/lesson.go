package lesson02

import "example.com/controller-course/tests/lesson"

func init() {
	lesson.Register(lesson.Lesson{
		Number: 2, Slug: "02-api", Title: "The API", Kind: lesson.API,
		Makes:      "the Go types of `SequentialJob`, and the rules that refuse what can never work",
		Difficulty: lesson.Moderate, Minutes: 75,
		Checks: api,
	})
}

// api judges an API by its CRD. What a finding calls an object is one of kind SequentialJob.
var api = []lesson.Check{
	{
		ID: "2.1", Title: "The kind is served under the names that people and programs use",
		Section: "what-people-meet-first", Concepts: []string{"C15", "C17"},
		Why: "Group, version and kind stand in every manifest from now on, and the short name is in everybody's fingers. " +
			"None of them can be changed later without breaking somebody.",
		Play: playing(kindIsServed),
	},
	{
		ID: "2.2", Title: "Good input is taken as it is",
		Section: "embed-what-is-there", Concepts: []string{"C10", "C11", "C16", "C57"},
		Why: "Who is refused for no good reason goes elsewhere. Worse is what is dropped: what the schema does not know vanishes " +
			"without a word, unless the client asks for strict validation. Labels by which somebody is billed are then missing.",
		Play: playing(takesGoodInput),
	},
	{
		ID: "2.3", Title: "What is left out has a meaning, and the object shows it",
		Section: "what-is-not-set", Concepts: []string{"C12"},
		Why: "Each controller, dashboard and script that reads the object would otherwise have to know, and agree on, " +
			"what a missing field means.",
		Play: playing(fillsInDefaults),
	},
	{
		ID: "2.4", Title: "Bad input is refused, with a message that says what is wrong where",
		Section: "two-places-for-no", Concepts: []string{"C13", "C14", "C59"},
		Why: "What is not refused here fails later and elsewhere: in a Job that cannot be created, at night, with nobody " +
			"at the keyboard. And who reads only that a rule failed has to understand the rule first.",
		Play: playing(refusesBadInput),
	},
	{
		ID: "2.5", Title: "What may not change is refused to change, and what may change can be changed",
		Section: "what-may-change-later", Concepts: []string{"C15"},
		Why: "A list of steps that changes under a run leaves a status that speaks of steps which are no longer there, and " +
			"a controller that has to guess what was meant. A limit that cannot be raised ends the run that it was to protect.",
		Play: playing(guardsChanges),
	},
	{
		ID: "2.6", Title: "Spec and status are written apart",
		Section: "who-writes-what", Concepts: []string{"C09", "C10"},
		Why: "Users write the spec, the controller writes the status. With one door for both, an update of a manifest " +
			"wipes out what the controller has recorded, and each status write looks like a new wish of the user.",
		Play: playing(separatesStatus),
	},
	{
		ID: "2.7", Title: "Two writers of different entries of a list do not meet",
		Section: "lists-that-merge", Concepts: []string{"C14"},
		Why: "A list is one value unless the API says how to tell its entries apart. Then whoever writes one entry owns, " +
			"and overwrites, all of them: conditions of other programs vanish.",
		Play: playing(mergesLists),
	},
	{
		ID: "2.8", Title: "kubectl get shows how a run is going",
		Section: "what-people-meet-first", Concepts: []string{"C17"},
		Why: "It is the first thing that anybody looks at when something is wrong, and for most the only one. A name and " +
			"an age say nothing.",
		Play: playing(showsColumns),
	},
	{
		ID: "2.9", Title: "A plain kubectl apply takes the CRD",
		Section: "embed-what-is-there", Concepts: []string{"C11"},
		Why: "kubectl apply keeps all that it applied in an annotation of the object, and annotations have a limit. A CRD beyond " +
			"it fails in every pipeline that applies manifests in the usual way.",
		Play: playing(fitsIntoAnApply),
	},
	{
		ID: "2.10", Title: "A Go client that reads an object and writes it back changes nothing",
		Section: "what-is-not-set", Concepts: []string{"C12"},
		Why: "Controllers, command line tools and tests use these very types. A zero that gets lost, or one that nobody " +
			"has set, is a setting that somebody has changed without knowing.",
		Play: playing(survivesGoClients),
	},
}
