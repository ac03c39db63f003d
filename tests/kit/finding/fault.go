package finding

import (
	"fmt"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// deeds say what a fault does with what it strikes.
var deeds = map[history.Action]string{
	proxy.LoseRequest:           "drops the request %s",
	proxy.LoseReply:             "drops the response to %s, which was done",
	proxy.Answer429:             "responds 429 (too many requests) to %s",
	proxy.Answer500:             "responds 500 (internal error) to %s",
	proxy.Answer504:             "responds 504 (timeout) to %s",
	proxy.AnswerDenied:          "responds 403 (denied by a webhook) to %s",
	proxy.AnswerConflict:        "responds 409 (others change the quota) to %s",
	proxy.AnswerInvalid:         "responds 422 (denied by a policy) to %s",
	proxy.AnswerDeniedAsBad:     "responds 400 (denied by a webhook) to %s",
	proxy.AnswerDeniedAsInvalid: "responds 422 (denied by a webhook) to %s",
	proxy.AnswerDeniedAsMissing: "responds 404 (denied by a webhook) to %s",
	proxy.AnswerDeniedAsBroken:  "responds 500 (denied by a webhook) to %s",
	proxy.AnswerDeniedWithID:    "responds 403 (denied by a webhook, in other words each time) to %s",
	proxy.AnswerDeniedAtLength:  "responds 403 (denied by a webhook, with a message of 65 KB) to %s",
	proxy.AnswerForbidden:       "responds 403 (the role does not allow it) to %s",
	proxy.AnswerGateway:         "responds 503 to %s, which was done",
	proxy.Conflict:              "lets another client write before %s",
	proxy.ConditionFirst:        "lets another client add a condition before %s",
	proxy.ReplaceFirst:          "lets another client delete the object, and create another one of its name, before %s",
	proxy.CrashBefore:           "kills the controller before %s",
	proxy.CrashAfterCommit:      "kills the controller after %s, before the response",
	proxy.CrashAfterReply:       "kills the controller after the response to %s",
	proxy.CommitLate:            "kills the controller, and delays %s",
	proxy.ArriveLate:            "delays %s",
	proxy.AnswerLate:            "delays the response to %s, which was done",
	proxy.Hold:                  "holds back %s and what follows",
	proxy.HoldAll:               "holds back %s and what follows on all watches",
	proxy.Cut:                   "cuts the watch before %s",
	proxy.MissedDelete:          "holds back %s and what follows, until the watch is cut",
	proxy.CrashAtEvent:          "kills the controller at %s",
	proxy.StaleStart:            "lets the next process start with %s",
	proxy.StaleKind:             "lets the next process start with %s, and with the current state of all other kinds",
	buckets.Unavailable:         "responds 503 to %s",
	buckets.NoResponders:        "responds like a server without JetStream to %s",
	buckets.CutBefore:           "cuts the connection before %s",
	buckets.CutAfter:            "cuts the connection after %s, before the response",
	buckets.CutAfterReply:       "cuts the connection after the response to %s",
	buckets.CutAt:               "cuts the connection before %s",
	buckets.LoseFrom:            "loses %s and what follows, which the controller does not notice",
}

// struck is a fault in words.
func struck(fault history.Fault) string { return fmt.Sprintf(deeds[fault.Action], fault.Target()) }

// healed is the end of a fault in words; empty for one that is over as soon as it has struck.
func healed(fault history.Fault) string {
	switch fault.Action {
	case proxy.Hold, proxy.HoldAll, proxy.StaleStart, proxy.StaleKind:
		return "delivers what was held back"
	case proxy.MissedDelete:
		return "cuts the watch, which can't be resumed (410 Gone)"
	case proxy.CommitLate, proxy.ArriveLate:
		return "delivers " + fault.Target()
	case proxy.AnswerLate:
		return "delivers the response to " + fault.Target()
	case buckets.LoseFrom:
		return "delivers what is new again"
	default:
		return ""
	}
}

// withheld says what a fault has done to the watch on which it kept an event back.
func withheld(run history.Run, frame history.Frame) string {
	if frame.Fault == 0 {
		return ""
	}
	fault := run.Faults[frame.Fault-1]
	did := "held from %s on"
	if fault.Action == proxy.Cut {
		did = "cut at %s"
	}
	return fmt.Sprintf("; its watch on %s was "+did, run.Streams[frame.Stream-1].Resource, seconds(fault.Struck))
}
