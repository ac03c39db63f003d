package lesson01

import "example.com/controller-course/tests/lesson"

func init() {
	lesson.Register(lesson.Lesson{
		Number: 1, Slug: "01-control-loop", Title: "The control loop", Kind: lesson.ClientProgram,
		Makes:      "with client-go alone: informers, a queue, workers, retries",
		Prompt:     true,
		Difficulty: lesson.Moderate, Minutes: 90,
		Checks: controlLoop,
	})
}

// controlLoop judges controllers that keep the ConfigMap job-count in each namespace that has Jobs.
var controlLoop = []lesson.Check{
	{
		ID: "1.1", Title: "Every namespace's ConfigMap says how many Jobs there are",
		Section: "a-loop-not-a-chain-of-events", Concepts: []string{"C01", "C02"}, Others: 2,
		Why: "That is all that a controller is for: what is there becomes what is wanted, and stays so whatever changes. Who reads the " +
			"ConfigMap relies on the number without looking.",
		Play: playing((*play).converge),
	},
	{
		ID: "1.2", Title: "A burst of events leads to few writes",
		Section: "a-loop-not-a-chain-of-events", Concepts: []string{"C02", "C03", "C06"},
		Why: "Events come in bursts: after a restart, a broken connection, a CronJob at midnight. One request for each keeps the " +
			"API server busy with numbers that are out of date when they arrive.",
		Play: playing((*play).burst),
	},
	{
		ID: "1.3", Title: "A namespace is worked on by one worker at a time, others go on",
		Section: "the-queue-gives-a-key-to-one-worker", Concepts: []string{"C03"}, Others: 1,
		Why: "Two workers on one object write over each other, and the one that knows less may be the last. And where there is one " +
			"worker only, a single slow answer holds up the whole cluster.",
		Play: playing((*play).oneWorkerEach),
	},
	{
		ID: "1.4", Title: "What failed is tried again, later each time, and others go on",
		Section: "what-failed-is-tried-again-later-each-time", Concepts: []string{"C04"}, Others: 1,
		Why: "Each request may fail, and no event tells when it would succeed. Who never comes back leaves a wrong number for ever; " +
			"who comes back at once, and again, keeps down the API server that is in trouble.",
		Play: playing((*play).comeBack),
	},
	{
		ID: "1.5", Title: "What somebody deletes or changes is put right",
		Section: "a-loop-not-a-chain-of-events", Concepts: []string{"C01", "C07"},
		Why: "People and scripts tidy up what they don't know. A controller that looks only at its input notices nothing of it, and " +
			"one that goes by what it remembers takes the ConfigMap for right.",
		Play: playing((*play).putRight),
	},
	{
		ID: "1.6", Title: "After a restart the state is right, though nothing happens any more",
		Section: "poll-the-world", Concepts: []string{"C06", "C07", "C08"}, Others: 2,
		Why: "Controllers are restarted with every rollout and every drained node. What happens meanwhile brings no event " +
			"afterwards, and what the old process knew is gone.",
		Play: playing((*play).afterRestart),
	},
	{
		ID: "1.7", Title: "A deletion that was missed is found",
		Section: "the-informer-keeps-a-copy", Concepts: []string{"C02", "C06", "C08"},
		Why: "Watches break off: API servers are restarted, connections cut. When one can't be resumed, nobody tells of the objects " +
			"that have gone meanwhile, except by their absence from a list.",
		Play: playing((*play).missedDeletion),
	},
	{
		ID: "1.8", Title: "Where nothing has to change, nothing is written",
		Section: "the-informer-keeps-a-copy", Concepts: []string{"C05", "C06"},
		Why: "Most passes find everything as it should be, after a start all of them. Were each a write, every rollout would hit the " +
			"API server with one for each namespace, and a number that is wrong for a moment is read by somebody.",
		Play: playing((*play).leaveAlone),
	},
}
