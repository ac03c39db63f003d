package buckets

import (
	"fmt"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// Faults of a request besides those of package proxy, from which these can strike here: LoseRequest and LoseReply, without a
// cut of the connection, Answer500, CrashBefore, CrashAfterCommit, CrashAfterReply, CommitLate and AnswerLate. A server responds 500
// while all servers that have the bucket are down.
const (
	// Unavailable responds 503, as JetStream does while it has no leader. The request does nothing.
	Unavailable history.Action = "answer 503"
	// NoResponders responds as a server does on which JetStream is disabled: nobody has subscribed to the request's subject. The
	// request does nothing.
	NoResponders history.Action = "no responders"
	// CutBefore and CutAfter cut the connection before the request reaches the server, and once the server has done it.
	CutBefore history.Action = "cut before"
	CutAfter  history.Action = "cut after commit"
	// CutAfterReply cuts the connection when the client has received the response. What it sends next is lost, or kept by it.
	CutAfterReply history.Action = "cut after reply"
)

// Faults of an advisory. NATS delivers each at most once.
const (
	// CutAt cuts the connection before the advisory. A client notices that, and never receives this one.
	CutAt history.Action = "cut at"
	// LoseFrom loses the advisory and all that follow on that connection, until Heal. No client notices that: it happens where
	// the link between two servers breaks.
	LoseFrom history.Action = "lose from"
)

var (
	callActions = []history.Action{
		proxy.LoseRequest, proxy.LoseReply, Unavailable, CutBefore, CutAfter,
		proxy.CrashBefore, proxy.CrashAfterCommit, proxy.CrashAfterReply, proxy.CommitLate, proxy.AnswerLate,
	}
	// others are legal too. No plan of the campaign has them: to a controller that takes only "no such bucket" for a response about
	// the bucket, they make no other difference than callActions do.
	others = []history.Action{CutAfterReply, NoResponders, proxy.Answer500}
	// ActionsAt are the legal faults of an advisory.
	ActionsAt = []history.Action{CutAt, LoseFrom}
)

// ActionsOn are the legal faults of a request. Whether the server has done one that changes nothing makes no difference.
func ActionsOn(call history.Call) []history.Action {
	if history.IsWrite(call.Verb) {
		return callActions
	}
	return []history.Action{proxy.LoseRequest, Unavailable, CutBefore, proxy.CrashAfterReply, proxy.AnswerLate}
}

// ParseFault reads what Fault.String wrote: "lose reply: create buckets web #1", "answer 503: next 2 writes buckets web",
// "cut at: DELETED buckets web #1".
func ParseFault(line string) (fault history.Fault, err error) {
	action, target, _ := strings.Cut(line, ": ")
	fault.Action = history.Action(action)
	switch {
	case slices.Contains(slices.Concat(callActions, others), fault.Action) && strings.HasPrefix(target, "next "):
		fault.Next, err = proxy.ParseNext(target)
	case slices.Contains(slices.Concat(callActions, others), fault.Action):
		fault.Call, err = history.ParseCall(target)
	case slices.Contains(ActionsAt, fault.Action):
		fault.Moment, err = history.ParseMoment(target)
	default:
		err = fmt.Errorf("%q is no fault of buckets such as %q; there are these actions: %s", line, "lose reply: create buckets web #1", actionNames())
	}
	return fault, err
}

func actionNames() string {
	var names []string
	for _, action := range slices.Concat(callActions, others, ActionsAt) {
		names = append(names, string(action))
	}
	return strings.Join(names, ", ")
}
