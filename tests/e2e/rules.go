// Package e2e says what a lesson's controller is held to on a cluster with real containers, where the finished
// operator is held to it too. The specs beside it are run by 'make e2e' and 'make lesson-3 e2e'.
package e2e

import (
	"fmt"
	"slices"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// A Rule is one that holds from a lesson on.
type Rule struct {
	ID    string    // "K1"
	From  int       // the first lesson whose controller has to keep it
	Title string    // the rule, as a sentence
	Why   string    // why it matters in production
	Read  string    // where it is explained, from the repository's root
	Check lesson.ID // the lessons' check that is about the same, whose hints help: "3.2"
}

// Rules are all that a lesson's controller can be held to.
var Rules = []Rule{
	{
		"K1", 3, "Steps run one after another, by the clock of their own containers",
		"What a step relies on is what the one before has really done, in its containers. Here a kubelet runs them, the Job " +
			"controller counts them, and each tells itself when it began and when it ended.",
		"lessons/03-reconcile/README.md#one-after-another", "3.2",
	},
	{
		"K2", 3, "A failed step ends the run",
		"What comes next relies on what the failed step should have done, and did not: its program ended with another " +
			"code than 0.",
		"lessons/03-reconcile/README.md#one-after-another", "3.11",
	},
	{
		"K3", 3, "A controller whose container is killed goes on where it was, and runs nothing twice",
		"Nodes are drained and programs run out of memory. The next process knows nothing but what the API server knows, " +
			"while the step's pod has been running all the time.",
		"lessons/03-reconcile/README.md#from-state-alone", "3.5",
	},
	{
		"K4", 3, "A run that is deleted leaves neither Job nor pod",
		"Garbage collection goes by owner references. A Job without one runs on when nobody wants its result any more, and " +
			"its pod takes up room on a node for ever.",
		"lessons/03-reconcile/README.md#deletion", "3.3",
	},
	{
		"K5", 4, "kubectl wait sees the end of a run",
		"The condition is all that people and pipelines go by: kubectl wait, Argo CD and Flux know nothing else of a kind " +
			"that was made yesterday.",
		"lessons/04-conditions/README.md#the-summary", "4.3",
	},
	{
		"K6", 4, "The status gives the Job's own reason for the failure of a step",
		"Who is called at night reads the status first. The Job controller knows the reason; a status without it sends " +
			"everybody to look for a pod that may be gone.",
		"lessons/04-conditions/README.md#conditions", "4.3",
	},
	{
		"K7", 4, "A finished step whose Job is removed does not run again",
		"Jobs are tidied away, by people and by their own ttlSecondsAfterFinished. What the step did is done all the same.",
		"lessons/04-conditions/README.md#the-status-is-a-ledger", "4.5",
	},
	{
		"K8", 5, "While a run is suspended it has no pod, and then it goes on",
		"People suspend to free the nodes. What still runs is not suspended, whatever the status says.",
		"lessons/05-observed-generation/README.md#suspend-and-resume", "5.4",
	},
}

// Find returns the rule with an ID.
func Find(id string) (Rule, error) {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, fmt.Errorf("there is no check %s on a cluster with real containers; there are %s to %s", id, Rules[0].ID, Rules[len(Rules)-1].ID)
	}
	return Rules[i], nil
}

// Of returns the rules that a lesson's controller has to keep.
func Of(number int) []Rule {
	return slices.DeleteFunc(slices.Clone(Rules), func(r Rule) bool { return r.From > number })
}

// Verdicts is the file descriptor on which the specs tell each Verdict, as JSON, where E2E_VERDICTS is set.
const Verdicts = 3

// Verdict is what came of a rule.
type Verdict struct {
	ID      string           // of the rule; empty where the controller did not get to work at all
	Finding *finding.Finding // nil when the controller keeps it
}
