package finding

import (
	"fmt"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// deeds say what a fault does with what it strikes.
var deeds = map[history.Action]string{
	proxy.LoseRequest:      "loses the request %s",
	proxy.LoseReply:        "loses the answer to %s, which is done",
	proxy.Answer429:        "answers 429 (too many requests) to %s",
	proxy.Answer500:        "answers 500 (internal error) to %s",
	proxy.Answer504:        "answers 504 (timeout) to %s",
	proxy.AnswerGateway:    "answers 503 to %s, which is done",
	proxy.Conflict:         "has somebody else write before %s",
	proxy.CrashBefore:      "kills the controller before %s",
	proxy.CrashAfterCommit: "kills the controller after %s, before the answer",
	proxy.CrashAfterReply:  "kills the controller after the answer to %s",
	proxy.CommitLate:       "kills the controller, and delays %s",
	proxy.AnswerLate:       "keeps back the answer to %s, which is done",
	proxy.Hold:             "holds back %s and what follows",
	proxy.HoldAll:          "holds back %s and what follows on all watches",
	proxy.Cut:              "cuts the watch before %s",
	proxy.MissedDelete:     "holds back %s and what follows, for good",
	proxy.CrashAtEvent:     "kills the controller at %s",
	proxy.StaleStart:       "lets the next process begin with %s",
	proxy.StaleKind:        "lets the next process begin with %s, and with the truth of all else",
}

// struck is a fault in words.
func struck(fault history.Fault) string { return fmt.Sprintf(deeds[fault.Action], fault.Target()) }

// healed is the end of a fault in words; empty for one that is over as soon as it has struck.
func healed(fault history.Fault) string {
	switch fault.Action {
	case proxy.Hold, proxy.HoldAll, proxy.StaleStart, proxy.StaleKind:
		return "lets go what was held back"
	case proxy.MissedDelete:
		return "cuts the watch, which can't be resumed (410 Gone)"
	case proxy.CommitLate:
		return "lets go " + fault.Target()
	case proxy.AnswerLate:
		return "lets go the answer to " + fault.Target()
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
