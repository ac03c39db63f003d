package finding

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
)

func seconds(t time.Duration) string { return fmt.Sprintf("%.3f s", t.Seconds()) }

// quoted is what a program printed, set off from our own words.
func quoted(lines ...string) string { return "  " + strings.Join(lines, "\n  ") }

// plain is a resource without its subresource.
func plain(resource string) string {
	resource, _, _ = strings.Cut(resource, "/")
	return resource
}

// asked is a request in words: "create jobs web-build".
func asked(r history.Request) string {
	object := r.Object.Name
	if object == "" && r.Call.Object != history.None {
		object = string(r.Call.Object)
	}
	if object == "?/?" || object == "?" { // it has neither a name nor an owner
		object = "(no name yet)"
	}
	return strings.TrimSpace(r.Call.Verb + " " + r.Call.Resource + " " + object + whose(r.Call.Resource, object, r.Call.Object))
}

// whose says of a bucket, whose name has a UID, to which Workspace it belongs; empty of anything else.
func whose(resource, name string, object history.Logical) string {
	if resource != buckets.Resource || object == history.None || name == string(object) {
		return ""
	}
	return " of " + string(object)
}

// places are the namespaces in which the controller asks about objects, by their resource.
func places(run history.Run) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, r := range run.Requests {
		if all[r.Call.Resource] == nil {
			all[r.Call.Resource] = map[string]bool{}
		}
		if r.Object.Namespace != "" {
			all[r.Call.Resource][r.Object.Namespace] = true
		}
	}
	return all
}

// where names the namespace that a request is about, if the controller asks about such objects in others too.
func where(places map[string]map[string]bool, r history.Request) string {
	if r.Object.Namespace == "" || len(places[r.Call.Resource]) < 2 {
		return ""
	}
	return " in " + r.Object.Namespace
}

// response is the response to a request, as the controller received it, and what the server did.
func response(r history.Request) string {
	server := serverOf(r)
	did := "" // also if the run, the process or the server ended before a response came
	switch {
	case r.Returned == r.Code && r.Returned > 0:
	case r.Succeeded():
		did = fmt.Sprintf(", but %s did it", server)
	case r.Code > 0:
		did = fmt.Sprintf(" (injected; %s responded %d %s)", server, r.Code, r.Reason)
	case r.Fault > 0, r.Returned > 0:
		did = fmt.Sprintf(" (injected; %s never received it)", server)
	}
	switch {
	case r.Returned == 0:
		return "no response" + did
	case r.Returned == r.Code && r.Reason != "":
		return fmt.Sprintf("%d %s", r.Returned, r.Reason)
	default:
		return fmt.Sprintf("%d %s", r.Returned, http.StatusText(r.Returned)) + did
	}
}

// serverOf is who a request is for.
func serverOf(r history.Request) string {
	if r.Call.Resource == buckets.Resource {
		return "the object store"
	}
	return "the API server"
}

// misled says whether the API server did what was asked, and the controller did not receive that response.
func misled(r history.Request) bool { return r.Succeeded() && r.Returned != r.Code }
