package history

import (
	"fmt"
	"strings"
	"time"
)

// Action is what a fault does to the request or the event that it strikes. Package proxy has them all.
type Action string

// Fault is one thing that happens to the controller in a run. It strikes a request (Call is set), an event
// (Moment is set), the nth write of one process (Write > 0), the next writes to an object, or the next reads (Next is set).
type Fault struct {
	Action Action
	Call   Call
	Moment Moment
	Write  int // from 1; counted for each instance from its start, Instance says whose
	// Instance is the process whose writes are counted, from 1; only with Write.
	Instance int
	Next     Next
}

// Next are the next writes to an object, or the next reads of a kind or of one object, whichever verbs the controller uses.
type Next struct {
	Resource string  // with the subresource: "sequentialjobs/status"
	Object   Logical // that is written or read; empty for reads of any objects of the kind
	Reads    bool    // whether a controller sends any is up to the controller
	Times    int     // how many of them are struck
}

// Covers says whether a request is one of these.
func (n Next) Covers(call Call) bool {
	if n.Times == 0 || call.Resource != n.Resource {
		return false
	}
	switch {
	case !n.Reads:
		return IsWrite(call.Verb) && call.Object == n.Object
	case n.Object != "":
		return call.Verb == "get" && call.Object == n.Object
	default:
		return call.Verb == "get" || call.Verb == "list"
	}
}

// String is the fault's line, which proxy.ParseFault reads: "lose reply: create jobs web/build #1",
// "hold: MODIFIED jobs web/build #2", "crash after commit: write #3 of instance 2",
// "answer 500: next 2 writes jobs web/build", "answer 504: next 1 reads jobs", "answer 500: next 1 reads jobs web/build".
func (f Fault) String() string { return string(f.Action) + ": " + f.Target() }

// Target is the second half of the line.
func (f Fault) Target() string {
	switch {
	case f.Next.Times > 0 && f.Next.Reads:
		return strings.TrimSpace(fmt.Sprintf("next %d reads %s %s", f.Next.Times, f.Next.Resource, f.Next.Object))
	case f.Next.Times > 0:
		return fmt.Sprintf("next %d writes %s %s", f.Next.Times, f.Next.Resource, f.Next.Object)
	case f.Write > 0:
		return fmt.Sprintf("write #%d of instance %d", f.Write, f.Instance)
	case f.Moment != Moment{}:
		return f.Moment.String()
	default:
		return f.Call.String()
	}
}

// Strike is a fault that has struck. One of the next writes to an object names the Call that it struck.
type Strike struct {
	ID int // from 1, the place in Run.Faults
	Fault
	Struck time.Duration
	Healed time.Duration
}
