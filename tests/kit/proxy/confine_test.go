package proxy_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
)

const allJobs = "/apis/batch/v1/jobs"

// elsewhere is an event, or an object, as it would be in another namespace.
func elsewhere(namespace, text string) string {
	return strings.ReplaceAll(text, `"namespace":"run"`, `"namespace":"`+namespace+`"`)
}

func TestAConfinedControllerIsShownOneNamespace(t *testing.T) {
	b := newBench(t, func(options *proxy.Options) { options.Confined = true })
	one := b.instance(1)
	one.ask(http.MethodGet, allJobs, "")
	one.ask(http.MethodGet, "/apis/batch/v1/namespaces/other/jobs/a", "")
	one.ask(http.MethodGet, "/api/v1/nodes", "")
	one.open(allJobs, fromStart)
	b.wantAsked("GET "+jobs, "GET /apis/batch/v1/namespaces/other/jobs/a", "GET /api/v1/nodes", "GET "+jobs+"?watch=true&"+fromStart)
}

func TestAConfinedControllerIsShownSomeNamespaces(t *testing.T) {
	b := newBench(t, func(options *proxy.Options) { options.Confined, options.MoreNamespaces = true, []string{"more"} })
	b.server.respond("GET "+allJobs, `{"kind":"JobList","metadata":{"resourceVersion":"9"},"items":[`+
		strings.Join([]string{job("build", 7), elsewhere("other", job("build", 8)), elsewhere("more", job("build", 9))}, ",")+`]}`)
	one := b.instance(1)
	var list struct {
		Metadata struct{ ResourceVersion string }
		Items    []struct{ Metadata struct{ Namespace string } }
	}
	reply := one.ask(http.MethodGet, allJobs, "")
	must.Succeed(t, json.Unmarshal([]byte(reply.body), &list))
	if len(list.Items) != 2 || list.Items[0].Metadata.Namespace != "run" || list.Items[1].Metadata.Namespace != "more" || list.Metadata.ResourceVersion != "9" {
		t.Errorf("the controller was shown %s", reply.body)
	}

	w, s := one.open(allJobs, fromStart)
	s.send(added("build", 11), elsewhere("other", added("build", 12)), elsewhere("more", added("build", 13)), initialEnd(14),
		elsewhere("other", modified("build", 15)), bookmark(16))
	w.want("ADDED web-build@11", "ADDED web-build@13", "BOOKMARK @14", "BOOKMARK @16")
}

func TestAConfinedControllerSeesItsOwnNamespacesOnly(t *testing.T) {
	b := newBench(t, func(options *proxy.Options) { options.Confined, options.MoreNamespaces = true, []string{"beside"} })
	space := func(name string) string {
		return `{"kind":"Namespace","metadata":{"name":"` + name + `","resourceVersion":"7"}}`
	}
	const all = "/api/v1/namespaces"
	var items, rows []string
	for _, name := range []string{"default", "run", "beside", "run-2"} {
		items = append(items, space(name))
		rows = append(rows, `{"cells":["`+name+`"],"object":`+space(name)+`}`)
	}
	one := b.instance(1)
	for list, want := range map[string]string{
		`{"items":[` + strings.Join(items, ",") + `]}`: `{"items":[` + strings.Join(items[1:3], ",") + `]}`,
		`{"rows":[` + strings.Join(rows, ",") + `]}`:   `{"rows":[` + strings.Join(rows[1:3], ",") + `]}`,
	} {
		b.server.respond("GET "+all, list)
		assert.Equal(t, "what the controller was shown of "+list, one.ask(http.MethodGet, all, "").body, want)
	}
	w, s := one.open(all, fromStart)
	for _, item := range items {
		s.send(frame("ADDED", item))
	}
	s.send(initialEnd(8), frame("DELETED", space("run-2")), bookmark(9))
	w.want("ADDED run@7", "ADDED beside@7", "BOOKMARK @8", "BOOKMARK @9")
	b.awaitUp(1)
}
