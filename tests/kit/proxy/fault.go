package proxy

import (
	"fmt"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/history"
)

// Fault is one fault that the proxy injects in a run, and Action what it does. The history of the run names
// the faults that have struck.
type (
	Fault  = history.Fault
	Action = history.Action
)

// Faults of a request. Each strikes once, or as often as it says.
const (
	// LoseRequest cuts the connection before the request reaches the API server.
	LoseRequest Action = "lose request"
	// LoseReply lets the API server do what was asked and cuts the connection then.
	LoseReply Action = "lose reply"
	// Answer429 refuses the request before it reaches the API server; without Retry-After, with
	// which client-go would retry it by itself.
	Answer429 Action = "answer 429"
	// Answer500 and Answer504 respond with that code without asking the API server, and without Retry-After.
	Answer500 Action = "answer 500"
	Answer504 Action = "answer 504"
	// AnswerDenied, AnswerConflict and AnswerInvalid refuse a write, as admission does: a webhook with the reason in several
	// lines, a quota that others change at the same time, a ValidatingAdmissionPolicy.
	AnswerDenied   Action = "answer 403"
	AnswerConflict Action = "answer 409"
	AnswerInvalid  Action = "answer 422"
	// AnswerDeniedAsBad, AnswerDeniedAsInvalid, AnswerDeniedAsMissing and AnswerDeniedAsBroken refuse a write as webhooks do that leave
	// out the code, that name fields, that have not found what the object refers to, or that choose a code of servers in trouble.
	AnswerDeniedAsBad     Action = "answer 400"
	AnswerDeniedAsInvalid Action = "answer 422 with fields"
	AnswerDeniedAsMissing Action = "answer 404"
	AnswerDeniedAsBroken  Action = "answer 500 by webhook"
	// AnswerDeniedWithID refuses a write as a webhook does that names the request in its message. So each message is another one.
	AnswerDeniedWithID Action = "answer 403 with an ID"
	// AnswerDeniedAtLength refuses a write as a webhook does that lists all that is wrong: its message is longer than a condition's may be.
	AnswerDeniedAtLength Action = "answer 403 at length"
	// AnswerForbidden refuses a request as a role does that does not allow it. A role can be changed.
	AnswerForbidden Action = "answer 403 by role"
	// AnswerGateway lets the API server do what was asked and responds with 503 and Retry-After, as a
	// gateway does. client-go retries the request by itself.
	AnswerGateway Action = "answer 503 after commit"
	// Conflict changes the object that the request is about, as another client, right before.
	Conflict Action = "write first"
	// ConditionFirst adds a condition to the status that the request is about, as another client, right before.
	ConditionFirst Action = "write condition first"
	// ReplaceFirst deletes the object that the request is about, as another client, right before. Then it creates another object
	// of the same name, without an owner and without a status.
	ReplaceFirst Action = "replace first"
	// CrashBefore kills the controller before its request reaches the API server.
	CrashBefore Action = "crash before"
	// CrashAfterCommit kills it when the API server has done what was asked, before it can know.
	CrashAfterCommit Action = "crash after commit"
	// CrashAfterReply kills it when it has received the response.
	CrashAfterReply Action = "crash after reply"
	// CommitLate kills it and delays its request; the API server receives it when the
	// successor has taken over: Heal releases it.
	CommitLate Action = "commit late"
	// ArriveLate delays the request until Answer or Heal, and only then the API server receives it. Requests wait there too, in the
	// queues of API Priority and Fairness.
	ArriveLate Action = "arrive late"
	// AnswerLate lets the API server do what was asked and delays the response until Answer or Heal.
	AnswerLate Action = "answer late"
)

// Faults of an event on a watch. Hold lasts until Heal; the others strike once.
const (
	// Hold holds back the event and all that follow on watches of that resource, bookmarks included.
	Hold Action = "hold"
	// HoldAll does the same on watches of all resources.
	HoldAll Action = "hold all"
	// Cut ends the watch before the event is delivered. The controller continues the watch from the last event.
	Cut Action = "cut"
	// MissedDelete delays the event like Hold. At Heal it cuts the watch and responds with 410 Gone when the
	// controller tries to continue it. So the controller has to list again, and never sees the events in between.
	MissedDelete Action = "hold, cut, 410"
	// CrashAtEvent kills the controller when the event has been delivered.
	CrashAtEvent Action = "crash at"
	// StaleStart lets the next instance start with the state that the event made, as a legacy list
	// from an API server with a stale cache does. Later events are held back until Heal.
	StaleStart Action = "start stale at"
	// StaleKind does the same for the event's resource alone: an API server has a cache for each.
	StaleKind Action = "start with stale kind at"
)

// ParseFault reads what Fault.String wrote.
func ParseFault(line string) (Fault, error) {
	name, target, found := strings.Cut(line, ": ")
	action := Action(name)
	if !found || !slices.Contains(slices.Concat(callActions, eventActions), action) {
		return Fault{}, fmt.Errorf("%q is no fault such as %q; there are these actions: %s", line, "lose reply: create jobs web/build #1", actionNames())
	}
	fault := Fault{Action: action}
	var err error
	switch {
	case slices.Contains(eventActions, action):
		fault.Moment, err = history.ParseMoment(target)
	case strings.HasPrefix(target, "write #"):
		if _, err = fmt.Sscanf(target, "write #%d of instance %d", &fault.Write, &fault.Instance); err != nil {
			err = fmt.Errorf("%q is not of the form %q: %w", target, "write #3 of instance 2", err)
		}
	case strings.HasPrefix(target, "next "):
		fault.Next, err = ParseNext(target)
	default:
		fault.Call, err = history.ParseCall(target)
	}
	if err != nil {
		return Fault{}, err
	}
	return fault, nil
}

// ParseNext reads the target of a fault of the next writes or reads: "next 2 writes jobs web/build", "next 2 reads jobs".
func ParseNext(target string) (next history.Next, err error) {
	if _, err := fmt.Sscanf(target, "next %d writes %s %s", &next.Times, &next.Resource, &next.Object); err == nil && next.Times > 0 {
		return next, nil
	}
	next = history.Next{Reads: true}
	if _, err := fmt.Sscanf(target, "next %d reads %s %s", &next.Times, &next.Resource, &next.Object); err == nil && next.Times > 0 {
		return next, nil
	}
	if _, err := fmt.Sscanf(target, "next %d reads %s", &next.Times, &next.Resource); err == nil && next.Times > 0 {
		next.Object = ""
		return next, nil
	}
	return history.Next{}, fmt.Errorf("%q is not of the form %q or %q", target, "next 2 writes jobs web/build", "next 2 reads jobs")
}

var (
	callActions  = []Action{LoseRequest, LoseReply, Answer429, Answer500, Answer504, AnswerDenied, AnswerConflict, AnswerInvalid, AnswerDeniedAsBad, AnswerDeniedAsInvalid, AnswerDeniedAsMissing, AnswerDeniedAsBroken, AnswerDeniedWithID, AnswerDeniedAtLength, AnswerForbidden, AnswerGateway, Conflict, ConditionFirst, ReplaceFirst, CrashBefore, CrashAfterCommit, CrashAfterReply, CommitLate, ArriveLate, AnswerLate}
	eventActions = []Action{Hold, HoldAll, Cut, MissedDelete, CrashAtEvent, StaleStart, StaleKind}
)

func actionNames() string {
	var names []string
	for _, action := range slices.Concat(callActions, eventActions) {
		names = append(names, string(action))
	}
	return strings.Join(names, ", ")
}
