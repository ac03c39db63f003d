package finding

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// The texts about what causes most floods.
const (
	ownWrites = "lessons/03-reconcile/README.md#your-own-writes"
	retries   = "lessons/03-reconcile/README.md#what-to-return"
	informers = "lessons/01-control-loop/README.md#the-informer-keeps-a-copy"
	stopping  = "lessons/06-failure/README.md#stop-first-then-report"
	conveyed  = "lessons/09-finalizers/README.md#what-was-conveyed"
)

// Flood is the finding for a controller that asks too much of the API server.
func Flood(run history.Run) Finding {
	const (
		most    = 8
		opening = "watch "
	)
	counts := map[string]int{}
	var last time.Duration
	for _, r := range run.Requests {
		counts[r.Call.Verb+" "+r.Call.Resource]++
		last = max(last, r.Received)
	}
	for _, stream := range run.Streams {
		counts[opening+stream.Resource]++
		last = max(last, stream.Opened)
	}
	all := len(run.Requests) + len(run.Streams)
	kinds := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	var lines []string
	for _, kind := range kinds[:min(most, len(kinds))] {
		lines = append(lines, fmt.Sprintf("%6d %s", counts[kind], kind))
	}
	f := Finding{
		Check: CheckFlood, Title: "The controller sends requests only when there is something to do",
		What: fmt.Sprintf("Your controller made %d requests in %.1f s:\n%s", all, last.Seconds(), quoted(lines...)),
		Why: "The whole cluster shares one API server. Most often the cause is a loop: a status that differs in each reconcile, " +
			"for instance by a time, so each write causes the event that causes the next write; or an error that is " +
			"returned where the controller only has to wait.",
		Read: ownWrites,
		At:   last,
	}
	switch {
	case len(kinds) == 0:
	case strings.HasPrefix(kinds[0], opening):
		f.What += "\nIt opened the same watches again and again."
		f.Why = "The whole cluster shares one API server. A watch stays open and delivers every event, so a controller needs one for each kind. " +
			"Code that stops a watch after an event opens the next one immediately, and can miss what happens in between. An informer opens " +
			"its watch once, and again only after the connection was lost."
		f.Read = informers
	case strings.HasSuffix(kinds[0], " "+buckets.Resource):
		f.Why = "Many programs share an object store. Most often the cause is a reconcile that always looks: each event triggers it, those of its own status " +
			"writes included. As long as the status shows that the store has the current spec, no event is a reason to look. A request that has failed is " +
			"repeated with growing pauses."
		f.Read = conveyed
	case strings.HasPrefix(kinds[0], "delete "):
		f.Why = "The whole cluster shares one API server. An object that is deleted stays for a while, as long as it has finalizers or its pods have to " +
			"end first. Each of its events triggers a reconcile, which must not delete it again: it has a deletionTimestamp."
		f.Read = stopping
	}
	if refused, most := mostRefused(run); refused*4 >= all {
		f.What += fmt.Sprintf("\n%d of them were refused, most often with: %d %s: %s", refused, most.Code, most.Reason, most.Message)
		f.Why = "The whole cluster shares one API server. A request that was refused is retried, and repeats what came before it. " +
			"Correct the request that is refused first."
		f.Read = retries
	}
	return f
}

// mostRefused is how many requests the API server refused, and one of those with the most frequent message.
func mostRefused(run history.Run) (refused int, most history.Request) {
	times := map[string]int{}
	for _, r := range run.Requests {
		if r.Code < http.StatusBadRequest {
			continue
		}
		refused++
		if times[r.Message]++; times[r.Message] > times[most.Message] || most.Code == 0 {
			most = r
		}
	}
	return refused, most
}

// permission is what a role allows.
type permission struct{ group, resource, verb string }

// refusals are what a controller was refused, with how often, in the order of the first times.
type refusals struct {
	order []permission
	times map[permission]int
}

func (r *refusals) note(p permission) (isNew bool) {
	if r.times == nil {
		r.times = map[permission]int{}
	}
	if isNew = r.times[p] == 0; isNew {
		r.order = append(r.order, p)
	}
	r.times[p]++
	return isNew
}

// Refused is the finding for a controller that its role does not allow what it asked for, if it was so.
func Refused(run history.Run) (Finding, bool) {
	var all refusals
	var first time.Duration
	var requests []int
	for _, r := range run.Requests {
		if missing, is := missingFor(r); is {
			if all.note(missing) {
				requests = append(requests, r.ID)
			}
			first = earlier(first, r.Received)
		}
	}
	for _, stream := range run.Streams {
		if stream.Code == http.StatusForbidden {
			all.note(permission{groupOf(run, stream.Resource), stream.Resource, "watch"})
			first = earlier(first, stream.Opened)
		}
	}
	if len(all.order) == 0 {
		return Finding{}, false
	}
	f := all.finding()
	f.When = fmt.Sprintf("The first time at %s.", seconds(first))
	f.At, f.Requests = first, requests
	return f, true
}

// earlier is the earlier one of two times, of which the first may be zero, for never.
func earlier(known, other time.Duration) time.Duration {
	if known == 0 || other < known {
		return other
	}
	return known
}

// RefusedIn is the finding for a controller whose role does not allow a request, by the responses that it
// has logged.
func RefusedIn(log string) (Finding, bool) {
	var all refusals
	for _, said := range byRole.FindAllStringSubmatch(strings.ReplaceAll(log, `\"`, `"`), -1) {
		all.note(permission{group: said[3], resource: said[2], verb: said[1]})
	}
	return all.finding(), len(all.order) > 0
}

func (r *refusals) finding() Finding {
	var refused []string
	for _, p := range r.order {
		refused = append(refused, fmt.Sprintf("%s %s (%s)", p.verb, p.resource, count(r.times[p])))
	}
	return Finding{
		Check: CheckRBAC, Title: "The controller's role allows what it does",
		What: "The API server refused these requests, because your controller's role does not allow them:\n" + quoted(refused...) +
			fromCache(r.order) + ofStatus(r.order) + otherVerbs(r.order) + ofFinalizers(r.order) + "\nIf your controller needs them, add these markers above its code:\n" + quoted(markers(r.order)...),
		Why: "In production a controller is not an administrator. It runs with its own ServiceAccount and may do what its " +
			"role allows. Everything else is refused with 403 until an operator notices.",
		Read: contract,
	}
}

// fromCache explains which permissions a cache needs, if the refused request was a get.
func fromCache(missing []permission) string {
	if !slices.ContainsFunc(missing, func(p permission) bool { return p.verb == "get" }) {
		return ""
	}
	return "\nReads from a cache, through a lister or the manager's client, need list and watch, but not get."
}

// ofStatus explains how to write a status, if the refused request was a write of an object that has one.
func ofStatus(missing []permission) string {
	resource := kinds.SequentialJob.Resource
	if !slices.ContainsFunc(missing, func(p permission) bool { return p.resource == resource && (p.verb == "update" || p.verb == "patch") }) {
		return ""
	}
	return "\nThis request writes the object itself. A status is written through its subresource, with the client's Status(). " +
		"That needs a role for " + resource + "/status."
}

// otherVerbs says how to do without a permission to update a status.
func otherVerbs(missing []permission) string {
	update := permission{kinds.SequentialJob.Group, kinds.SequentialJob.Resource + "/status", "update"}
	if !slices.Contains(missing, update) {
		return ""
	}
	return "\nThe starter's role allows patch: write with r.Status().Patch. Add a marker only if you need another verb."
}

// ofFinalizers says why a controller that writes no finalizers needs the permission for them.
func ofFinalizers(missing []permission) string {
	if !slices.ContainsFunc(missing, func(p permission) bool { return strings.HasSuffix(p.resource, "/finalizers") }) {
		return ""
	}
	return "\nThe owner references that it sets have blockOwnerDeletion: true. On clusters with the admission plugin " +
		"OwnerReferencesPermissionEnforcement, that takes the permission to update the owner's finalizers."
}

// byRole matches the API server's message when a role does not allow a request. Quotas and admission
// policies also respond with 403, with other messages.
var byRole = regexp.MustCompile(`User "[^"]*" cannot (\S+) resource "([^"]+)" in API group "([^"]*)"`)

// blocksDeletion is in the message of the admission plugin OwnerReferencesPermissionEnforcement. An owner reference
// that blocks the owner's deletion takes the permission to update the owner's finalizers. The plugin's other message is
// about an owner of a kind that does not exist.
const blocksDeletion = "cannot set blockOwnerDeletion if"

// ByRole says whether the API server refused a request because the controller's role does not allow it. No retry helps then.
func ByRole(r history.Request) bool {
	_, is := missingFor(r)
	return is && r.Fault == 0
}

func missingFor(r history.Request) (permission, bool) {
	if r.Code != http.StatusForbidden {
		return permission{}, false
	}
	if strings.Contains(r.Message, blocksDeletion) {
		owner := kinds.SequentialJob
		return permission{group: owner.Group, resource: owner.Resource + "/finalizers", verb: "update"}, true
	}
	said := byRole.FindStringSubmatch(r.Message)
	if said == nil {
		return permission{}, false
	}
	return permission{group: said[3], resource: said[2], verb: said[1]}, true
}

// groupOf is a resource's API group, as it was in requests; of a watch it is not known.
func groupOf(run history.Run, resource string) string {
	for _, r := range run.Requests {
		if plain(r.Call.Resource) == resource {
			return r.Group
		}
	}
	for _, kind := range kinds.Table {
		if kind.Resource == resource {
			return kind.Group
		}
	}
	return ""
}

// markers are the lines from which controller-gen makes a role that allows all that.
func markers(missing []permission) []string {
	var order []permission // without verbs
	verbs := map[permission][]string{}
	for _, p := range missing {
		on := permission{group: p.group, resource: p.resource}
		if verbs[on] == nil {
			order = append(order, on)
		}
		verbs[on] = append(verbs[on], p.verb)
	}
	var lines []string
	for _, on := range order {
		group := on.group
		if group == "" {
			group = `""`
		}
		lines = append(lines, fmt.Sprintf("// +kubebuilder:rbac:groups=%s,resources=%s,verbs=%s", group, on.resource, strings.Join(verbs[on], ";")))
	}
	return lines
}

func count(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
