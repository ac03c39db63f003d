package lesson01

import (
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/lesson"
)

func init() {
	lesson.Register(lesson.Lesson{
		Number: 1, Slug: "01-control-loop", Title: "The control loop", Kind: lesson.ClientProgram,
		Makes:      "with client-go alone: informers, a queue, workers, retries",
		Prompt:     true,
		Difficulty: lesson.Moderate, Minutes: 90,
		Role:   "your-task",
		Checks: controlLoop,
	})
}

// controlLoop judges controllers that keep the ConfigMap job-count in each namespace that has Jobs.
var controlLoop = []lesson.Check{
	{
		ID: "1.1", Title: "Each namespace's ConfigMap holds the number of its Jobs",
		Section: "a-loop-not-a-chain-of-events", Concepts: []string{"C01", "C02"}, Others: 2,
		Why: "This is what a controller is for: it makes the actual state match the desired state, and keeps it that way. Readers of " +
			"the ConfigMap rely on the number without checking it.",
		Play: scene.Play(converge),
	},
	{
		ID: "1.2", Title: "A burst of events leads to few writes",
		Section: "a-loop-not-a-chain-of-events", Concepts: []string{"C02", "C03", "C06"},
		Why: "Events arrive in bursts: after a restart, after a broken connection, when CronJobs fire at midnight. One request per " +
			"event floods the API server with numbers that are stale on arrival.",
		Play: scene.Play(burst),
	},
	{
		ID: "1.3", Title: "One worker handles a namespace at a time, and others don't wait",
		Section: "the-queue-gives-a-key-to-one-worker", Concepts: []string{"C03"}, Others: 7,
		Why: "Two workers on the same object overwrite each other, and the one with the stale count may write last. With a single " +
			"worker for everything, one slow response blocks the whole cluster.",
		Play: scene.Play(oneWorkerEach),
	},
	{
		ID: "1.4", Title: "Failures are retried with backoff, and other namespaces don't wait",
		Section: "what-failed-is-tried-again-later-each-time", Concepts: []string{"C04"}, Others: 6,
		Why: "Any request can fail, and no event announces when it would succeed. A controller that never retries leaves a wrong " +
			"number indefinitely. One that retries without a delay keeps an overloaded API server down.",
		Play: scene.Play(comeBack),
	},
	{
		ID: "1.5", Title: "Changes and deletions by others are corrected",
		Section: "a-loop-not-a-chain-of-events", Concepts: []string{"C01", "C07"},
		Why: "People and scripts clean up what they don't recognize. A controller that watches only its input misses such a change. " +
			"One that trusts its memory believes that the ConfigMap is still right.",
		Play: scene.Play(putRight),
	},
	{
		ID: "1.6", Title: "After a restart the state is corrected, even if no new event arrives",
		Section: "start-up-relist-resync", Concepts: []string{"C06", "C07", "C08"}, Others: 2,
		Why: "Every rollout and every drained node restarts a controller. Changes made in the meantime produce no event afterwards, " +
			"and whatever the old process kept in memory is gone.",
		Play: scene.Play(afterRestart),
	},
	{
		ID: "1.7", Title: "A missed deletion is noticed",
		Section: "the-informer-keeps-a-copy", Concepts: []string{"C02", "C06", "C08"},
		Why: "Watches break: API servers restart, connections are cut. If a watch can't be resumed, no event reports the objects that " +
			"were deleted in the meantime. They are only missing from the next list.",
		Play: scene.Play(missedDeletion),
	},
	{
		ID: "1.8", Title: "If nothing has to change, nothing is written",
		Section: "the-informer-keeps-a-copy", Concepts: []string{"C05", "C06"},
		Why: "Most reconciles find nothing to do, and after a start almost all of them do. If each one wrote, every rollout would cost " +
			"the API server one write per namespace. And somebody reads even a number that is wrong for a moment.",
		Play: scene.Play(leaveAlone),
	},
}
