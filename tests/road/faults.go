package road

import (
	"fmt"
	"slices"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/proxy"
)

// Fault is what several kinds of plans have in common, in the words of the page.
type Fault string

// noFault is that of the runs without any.
const noFault Fault = "none"

// faults are the rows of the page, with the last action of their plans: what comes before, such as the first of two crashes,
// only leads there.
var faults = []struct {
	fault   Fault
	actions []proxy.Action
}{
	{noFault, nil},
	{"a request that is lost or refused", []proxy.Action{proxy.LoseRequest, proxy.Answer429, proxy.Answer500, proxy.Answer504}},
	{"a response that is lost or wrong, of a request that took effect", []proxy.Action{proxy.LoseReply, proxy.AnswerGateway}},
	{"another client that writes first", []proxy.Action{proxy.Conflict}},
	{"a crash", []proxy.Action{proxy.CrashBefore, proxy.CrashAfterCommit, proxy.CrashAfterReply, proxy.CrashAtEvent}},
	{"a crash, after which a request takes effect", []proxy.Action{proxy.CommitLate}},
	{"a watch that is interrupted", []proxy.Action{proxy.Cut}},
	{"a deletion that no event reports", []proxy.Action{proxy.MissedDelete}},
	{"events that are late", []proxy.Action{proxy.Hold, proxy.HoldAll}},
	{"a crash, and a restart with a stale list", []proxy.Action{proxy.StaleStart, proxy.StaleKind}},
}

// faultOf is that of a plan. It fails if no row of the page has it.
func faultOf(plan campaign.Plan) (Fault, error) {
	if len(plan.Faults) == 0 {
		return noFault, nil
	}
	last := plan.Faults[len(plan.Faults)-1].Action
	for _, row := range faults {
		if slices.Contains(row.actions, last) {
			return row.fault, nil
		}
	}
	return "", fmt.Errorf("%s: the table of the road has no row for %q: add it in tests/road/faults.go", plan, last)
}
