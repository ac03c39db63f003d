// Package finding is what the judge says about a controller, for a reader who sees it for the first time.
package finding

import "time"

// Finding is one thing that is wrong with a controller, or with how it was started.
type Finding struct {
	Check Check  // what was broken
	Title string // the rule, as a sentence: "One Job per step, ever"

	What  string // what happened, with names and resourceVersions
	World string // what else there was, where that is not what the check itself brought about; may be empty
	When  string // the order of events that shows it, with times
	Log   string // what the controller printed about it at the time; may be empty
	Why   string // why it matters in production
	Read  string // where to read on: a path in this repository with an anchor, or of a check's finding only the anchor; may be empty

	Picture string // the file with the picture; empty where there is none
	Again   string // the command that does it again

	Waited bool // nothing wrong was seen: what has to happen did not happen

	At time.Duration // the moment of it, since the beginning of the run
	// Requests, Changes are the places in the run's history that show it (IDs from 1, resourceVersions).
	Requests []int
	Changes  []uint64
}
