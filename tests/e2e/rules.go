// Package e2e says what a lesson's code is held to on a cluster with real containers. The finished operator is
// held to the rules for controllers too. 'make e2e' and 'make lesson-3 e2e' run the specs in this folder.
package e2e

import (
	"fmt"
	"slices"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// A Rule holds for lessons of one kind: for the first that teaches it, and for the later ones.
type Rule struct {
	ID    string      // "K1"
	Kind  lesson.Kind // what the code that has to keep it is
	From  int         // the first lesson whose code has to keep it
	Title string      // the rule, as a sentence
	Why   string      // why it matters in production
	Read  string      // where it is explained, from the repository's root
	Check lesson.ID   // the lessons' check that is about the same, whose hints help: "3.2"
}

// HoldsFor says whether the code of a lesson has to keep the rule.
func (r Rule) HoldsFor(l lesson.Lesson) bool { return r.Kind == l.Kind && r.From <= l.Number }

// Rules are all that the code of a lesson can be held to.
var Rules = []Rule{
	{
		"K1", lesson.Controller, 3, "Steps run one after another, by the clock of their own containers",
		"A step relies on what the containers of the step before really did. Here a kubelet runs the containers, and each of " +
			"them logs when it started and when it ended.",
		"lessons/03-reconcile/README.md#one-after-another", "3.2",
	},
	{
		"K2", lesson.Controller, 3, "A failed step ends the run",
		"The next step relies on a result that the failed step did not produce: its program exited with a code other " +
			"than 0.",
		"lessons/03-reconcile/README.md#one-after-another", "3.11",
	},
	{
		"K3", lesson.Controller, 3, "After its container is killed, the controller continues where it was and runs nothing twice",
		"Nodes are drained, and programs run out of memory. The next process knows only what the API server stores, and the " +
			"step's pod has been running all the time.",
		"lessons/03-reconcile/README.md#from-state-alone", "3.5",
	},
	{
		"K4", lesson.Controller, 3, "A run that is deleted leaves neither Job nor pod",
		"Garbage collection relies on owner references. A Job without one keeps running after its owner is deleted, and its " +
			"pod occupies a node indefinitely.",
		"lessons/03-reconcile/README.md#deletion", "3.3",
	},
	{
		"K5", lesson.Controller, 4, "kubectl wait sees the end of a run",
		"People and pipelines rely on the condition: kubectl wait, Argo CD and Flux know nothing else about your kind.",
		"lessons/04-conditions/README.md#the-summary", "4.3",
	},
	{
		"K6", lesson.Controller, 4, "The status gives the Job's own reason for the failure of a step",
		"The engineer on call reads the status first. The Job controller knows the reason. A status without it makes them " +
			"search for a pod that may be gone.",
		"lessons/04-conditions/README.md#conditions", "4.3",
	},
	{
		"K7", lesson.Controller, 4, "A finished step whose Job is removed does not run again",
		"People delete finished Jobs, and so does ttlSecondsAfterFinished. The effect of the step stays.",
		"lessons/04-conditions/README.md#the-status-is-a-ledger", "4.5",
	},
	{
		"K8", lesson.Controller, 5, "While a run is suspended it has no running pod; when it is resumed, it continues",
		"People suspend runs to free nodes. A pod that still runs is not suspended, whatever the status says.",
		"lessons/05-observed-generation/README.md#suspend-and-resume", "5.4",
	},
	{
		"K9", lesson.ClientProgram, 1, "The number follows real Jobs, from their creation to their removal",
		"Most Jobs of a cluster are removed by a controller and not by a person: ttlSecondsAfterFinished does it, and so does " +
			"the history limit of a CronJob. A number that only grows is wrong by tomorrow.",
		"lessons/01-control-loop/README.md#a-loop-not-a-chain-of-events", "1.1",
	},
	{
		"K10", lesson.ClientProgram, 1, "After the container is killed, nothing is counted twice and nothing is left out",
		"Programs run out of memory and nodes fail, without a signal and in the middle of the work. The next process receives " +
			"an event for every Job that exists, those that the last one counted included.",
		"lessons/01-control-loop/README.md#the-api-server-is-the-only-memory", "1.6",
	},
	{
		"K11", lesson.ClientProgram, 1, "Deletions that happen while no replica runs are counted afterwards",
		"Every rollout leaves a gap between two pods. No event shows the next process what was deleted in it. Where all Jobs " +
			"are gone, only the ConfigMap shows that there is something to correct.",
		"lessons/01-control-loop/README.md#start-up-relist-resync", "1.6",
	},
	{
		"K12", lesson.ClientProgram, 1, "Namespaces that are being deleted hold up no other namespace",
		"A namespace can stay Terminating for days, because of one finalizer that nobody removes. The API server refuses to create " +
			"anything in it. A worker that waits there for success is lost to all other namespaces.",
		"lessons/01-control-loop/README.md#what-failed-is-tried-again-later-each-time", "1.4",
	},
	{
		"K13", lesson.API, 2, "kubectl apply takes the CRD and the samples, and changes nothing the second time",
		"A pipeline applies the same manifests again and again. A CRD that is too large for the annotation of kubectl apply fails in " +
			"each of them. An object that changes at each apply never matches its manifest.",
		"lessons/02-api/README.md#embed-what-is-there", "2.9",
	},
	{
		"K14", lesson.API, 2, "kubectl apply refuses a mistake and names the field",
		"The person at the keyboard sees this one message. If it names the field and what is allowed there, they correct the " +
			"manifest in a minute.",
		"lessons/02-api/README.md#two-places-for-no", "2.4",
	},
	{
		"K15", lesson.API, 2, "kubectl explain lists the fields, and kubectl get sjob shows how a run is going",
		"Nobody has the Go types at hand during an incident. What kubectl shows is all that most people ever see of an API.",
		"lessons/02-api/README.md#what-people-meet-first", "2.8",
	},
	{
		"K16", lesson.API, 2, "Two field managers each own their entries, and only the same field is a conflict",
		"Server-side apply is how several programs share one object: a controller, a gateway, a person. Where a list is one " +
			"value, the second of them gets a conflict about an entry that it never wrote.",
		"lessons/02-api/README.md#lists-that-merge", "2.7",
	},
	{
		"K17", lesson.API, 2, "An object that was stored under an older CRD can still be read and changed",
		"A new CRD changes no object: etcd returns what was stored years ago. If the API server then refuses every change, nobody " +
			"can suspend the run any more, and its controller can't write a status.",
		"lessons/02-api/README.md#what-may-change-later", "2.5",
	},
	{
		"K18", lesson.Controller, 6, "A step that may fail does not end the run",
		"Clean-up and notification steps fail without harm. A run that stops there leaves the rest of its work undone.",
		"lessons/06-failure/README.md#whose-failure-it-is", "6.1",
	},
	{
		"K19", lesson.Controller, 6, "At its deadline, a run ends without a pod that still runs",
		"People set a deadline to free what a run holds. A pod that outlives its run still holds it, and nobody looks for it.",
		"lessons/06-failure/README.md#stop-first-then-report", "6.4",
	},
	{
		"K20", lesson.Controller, 6, "A finished run is removed with its Jobs and pods when its time to live has passed",
		"Runs that nobody removes fill etcd, and their pods keep their logs on the nodes. Garbage collection removes them with " +
			"their owner, and with nothing else.",
		"lessons/06-failure/README.md#cleaning-up", "6.7",
	},
	{
		"K21", lesson.Controller, 6, "A run that a quota holds up says so, and continues when there is room",
		"Quotas are full for a while. A run that fails because of that has to be started again by a person, and one that says " +
			"nothing looks as if it were working.",
		"lessons/06-failure/README.md#final-or-temporary", "6.3",
	},
	{
		"K22", lesson.Controller, 7, "A Job that has lost its labels runs on, and its step ends as its container does",
		"A narrow cache loses an object when its labels go. The container on the node runs on all the same.",
		"lessons/07-cache/README.md#what-the-cache-does-not-show", "7.3",
	},
	{
		"K23", lesson.Controller, 8, "Another owner's Job that has the name is left alone, and the run continues when the name is free",
		"Names are not yours alone. Taking over such a Job reports work that nobody has done, and deleting it destroys " +
			"somebody else's.",
		"lessons/08-expectations/README.md#whose-job-is-it", "8.2",
	},
	{
		"K24", lesson.Controller, 9, "One step's file reaches the next, and the bucket goes with its run",
		"A Workspace is there to hand files on. A program knows its bucket only by the environment variables of its container. And " +
			"what a run leaves in the store stays there for as long as the store exists.",
		"lessons/09-finalizers/README.md#one-controller-one-job", "9.12",
	},
	{
		"K25", lesson.Controller, 9, "A deletion waits for an object store that is down, and ends by itself",
		"Somebody scales the store away for an hour. Until it is back, nobody can know whether the bucket is gone, and the Workspace is " +
			"the last record of it.",
		"lessons/09-finalizers/README.md#a-deletion-that-waits", "9.4",
	},
	{
		"K26", lesson.Controller, 10, "What somebody changes of a bucket by hand is put back, while the run goes on",
		"People have clients of the object store too, and use them at night to make room. No event of the cluster tells of that.",
		"lessons/10-drift/README.md#no-event-tells-you", "10.4",
	},
	{
		"K27", lesson.Controller, 10, "A run whose files somebody deletes ends before its next step",
		"A step that finds an empty bucket does its work on nothing, and succeeds. The run is green, and nobody looks at it again.",
		"lessons/10-drift/README.md#what-is-lost-stays-lost", "10.7",
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

// Of returns the rules that the code of a lesson has to keep.
func Of(l lesson.Lesson) []Rule {
	return slices.DeleteFunc(slices.Clone(Rules), func(r Rule) bool { return !r.HoldsFor(l) })
}

// Verdicts is the file descriptor on which the specs tell each Verdict, as JSON, where E2E_VERDICTS is set.
const Verdicts = 3

// Verdict is the result for a rule.
type Verdict struct {
	ID      string           // of the rule; empty where the controller did not get to work at all
	Finding *finding.Finding // nil when the code keeps it
}
