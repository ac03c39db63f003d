package campaign

import (
	"cmp"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

const jobs = "jobs"

// The kinds of plans that are no single action of the proxy.
const (
	secondCrash = "second crash during the recovery"
	legacyStart = "crash and restart on a stale list"
)

// enumerate returns every plan for a scenario: each fault at each call and at each event of its runs
// without faults.
func enumerate(baseline Baseline) []Plan {
	plans := []Plan{{Scenario: baseline.Scenario, Kind: NoFault}, {Scenario: baseline.Scenario, Kind: native}}
	if baseline.Calm {
		return plans
	}
	add := func(kind string, faults ...proxy.Fault) {
		plans = append(plans, Plan{Scenario: baseline.Scenario, Kind: kind, Faults: faults})
	}
	if baseline.Late {
		for _, call := range baseline.Calls {
			if call.Resource == buckets.Resource && call.Verb == "create" {
				add(string(proxy.CommitLate), proxy.Fault{Action: proxy.CommitLate, Call: call})
			}
		}
		return plans
	}
	single := func(fault proxy.Fault) {
		outside := stage.OfStore(fault)
		if baseline.Narrow && !outside && !isOfWorkspaces(fault) {
			return
		}
		if outside || !baseline.Few || !slices.Contains(alike, fault.Action) {
			add(string(fault.Action), fault)
		}
	}
	for _, call := range baseline.Calls {
		for _, action := range actionsOn(call) {
			single(proxy.Fault{Action: action, Call: call})
		}
	}
	inside := slices.DeleteFunc(slices.Clone(baseline.Moments), func(moment history.Moment) bool { return moment.Resource == buckets.Resource })
	for _, moment := range baseline.Moments {
		for _, action := range actionsAt(moment) {
			single(proxy.Fault{Action: action, Moment: moment})
		}
	}
	if baseline.Narrow {
		inside = nil
	}
	for i, moment := range inside {
		for _, stale := range staleStarts(inside[:i], moment) {
			add(legacyStart, proxy.Fault{Action: proxy.CrashAtEvent, Moment: moment}, stale)
		}
	}
	if baseline.Scenario == scenarios()[0].name {
		for _, faults := range secondCrashes(baseline.Calls) {
			add(secondCrash, faults...)
		}
	}
	return plans
}

// alike are the faults that affect a controller as another one does: only the response's code differs,
// or what the next process finds.
var alike = []proxy.Action{
	proxy.Answer429, proxy.Answer500, proxy.Answer504, proxy.AnswerGateway, proxy.CrashBefore, proxy.CrashAfterReply, proxy.Cut,
}

// isOfWorkspaces says whether a fault strikes a request or an event that is about a Workspace or a Secret.
func isOfWorkspaces(fault proxy.Fault) bool {
	resource, _, _ := strings.Cut(cmp.Or(fault.Call.Resource, fault.Moment.Resource), "/")
	return resource == kinds.Workspace.Resource || resource == kinds.Secret.Resource
}

// actionsOn are the legal faults of a call. A controller looks at all buckets every now and then, so only the first look has any.
func actionsOn(call history.Call) []proxy.Action {
	if call.Resource == buckets.Resource {
		if call.Verb == "list" && call.Nth > 1 {
			return nil
		}
		return buckets.ActionsOn(call)
	}
	actions := []proxy.Action{proxy.LoseRequest, proxy.Answer429, proxy.Answer500, proxy.Answer504}
	if !history.IsWrite(call.Verb) {
		return actions
	}
	actions = append(actions, proxy.LoseReply, proxy.AnswerGateway,
		proxy.CrashBefore, proxy.CrashAfterCommit, proxy.CrashAfterReply, proxy.CommitLate)
	if call.Verb != "create" {
		actions = append(actions, proxy.Conflict)
	}
	return actions
}

// actionsAt are the legal faults of an event.
func actionsAt(moment history.Moment) []proxy.Action {
	if moment.Resource == buckets.Resource {
		return buckets.ActionsAt
	}
	actions := []proxy.Action{proxy.Hold, proxy.HoldAll, proxy.Cut, proxy.CrashAtEvent}
	if moment.Type == "DELETED" {
		actions = append(actions, proxy.MissedDelete)
	}
	return actions
}

// staleStarts are the old states that a process may start with when its predecessor has seen an event:
// all as the event before left it, or the SequentialJob as it is and its Jobs as one of the last
// events about them did.
func staleStarts(earlier []history.Moment, moment history.Moment) []proxy.Fault {
	const mostBack = 3
	if len(earlier) == 0 {
		return nil
	}
	stale := []proxy.Fault{{Action: proxy.StaleStart, Moment: earlier[len(earlier)-1]}}
	if moment.Resource == jobs {
		return stale
	}
	for _, past := range slices.Backward(earlier) {
		if past.Resource == jobs && len(stale) <= mostBack {
			stale = append(stale, proxy.Fault{Action: proxy.StaleKind, Moment: past})
		}
	}
	return stale
}

// secondCrashes are a crash after each write, and another after each write that is left for the next process.
func secondCrashes(calls []history.Call) [][]proxy.Fault {
	writes := slices.DeleteFunc(slices.Clone(calls), func(call history.Call) bool { return !history.IsWrite(call.Verb) })
	var all [][]proxy.Fault
	for i, call := range writes {
		for n := 1; n < len(writes)-i; n++ {
			all = append(all, []proxy.Fault{
				{Action: proxy.CrashAfterCommit, Call: call},
				{Action: proxy.CrashAfterCommit, Write: n, Instance: 2},
			})
		}
	}
	return all
}

// share takes a fixed share of the plans, spread over scenarios and kinds.
func share(plans []Plan, most int) []Plan {
	type kind struct{ scenario, kind string }
	groups := map[kind][]Plan{}
	var order []kind
	for _, plan := range plans {
		key := kind{plan.Scenario, plan.Kind}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], plan)
	}
	var taken []Plan
	for i, key := range order {
		group := groups[key]
		taken = append(taken, group[i%len(group)])
	}
	if len(taken) <= most {
		return taken
	}
	var sampled []Plan
	for i := range most {
		sampled = append(sampled, taken[i*len(taken)/most])
	}
	return sampled
}
