package proxy_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
)

func TestCallsAreNamed(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	build := jobs + "/web-build"
	b.server.respond("PATCH "+build, job("build", 7))

	one.ask(http.MethodGet, build, "")              // before anything is known
	one.ask(http.MethodPost, jobs, job("build", 0)) // shows what the name means
	one.ask(http.MethodGet, build, "")              //
	b.instance(2).ask(http.MethodGet, build, "")    // counted over all instances
	one.ask(http.MethodDelete, build, `{"kind":"DeleteOptions"}`)
	one.askAs(http.MethodPatch, build+"/status", "application/merge-patch+json", `{}`)
	one.askAs(http.MethodPatch, jobs+"/web-ship", "application/apply-patch+yaml", "kind: Job\n"+
		"metadata: {name: web-ship, ownerReferences: [{kind: SequentialJob, name: web}]}\n"+
		"spec: {template: {spec: {containers: [{name: ship}]}}}\n")
	one.ask(http.MethodGet, "/apis/batch/v1/jobs", "")
	one.ask(http.MethodDelete, jobs, "")
	one.ask(http.MethodPost, "/api/v1/namespaces/run/events", `{"kind":"Event","metadata":{"name":"e"},"involvedObject":{"name":"web"}}`)
	one.ask(http.MethodGet, "/api/v1/namespaces/other/pods/p", "") // not about the run

	b.wantCalls(
		"get jobs web-build #1 200 200",
		"create jobs web/build #1 200 200",
		"get jobs web/build #1 200 200",
		"get jobs web/build #2 200 200",
		"delete jobs web/build #1 200 200",
		"patch jobs/status web/build #1 200 200",
		"patch jobs web/ship #1 200 200",
		"list jobs - #1 200 200",
		"deletecollection jobs - #1 200 200",
		"create events web #1 200 200",
		"get pods p #0 200 200",
	)
}

// A kind is named and confined as its entry in the table says.
func TestCallsOfAnotherKindAreNamed(t *testing.T) {
	table := slices.Clone(kinds.Table)
	kinds.Table = append(kinds.Table, kinds.Kind{
		GroupVersionResource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "workspaces"}, Kind: "Workspace",
		Logical: func(object *unstructured.Unstructured) history.Logical {
			return history.Logical(object.GetLabels()["team"])
		},
	})
	t.Cleanup(func() { kinds.Table = table })
	b := newBench(t, func(options *proxy.Options) { options.Confined = true })
	one := b.instance(1)
	const workspaces = "/apis/example.com/v1/namespaces/run/workspaces"
	one.ask(http.MethodPost, workspaces, `{"metadata":{"name":"red-1","labels":{"team":"red"}}}`)
	one.ask(http.MethodGet, workspaces+"/red-1", "")
	one.ask(http.MethodGet, "/apis/example.com/v1/workspaces", "")
	b.wantCalls("create workspaces red #1 200 200", "get workspaces red #1 200 200", "list workspaces - #1 200 200")
	assert.Equal(t, "what the API server was asked, for the run's namespace alone", b.server.lines()[2], "GET "+workspaces)
}

func TestProtobufBodiesAreRead(t *testing.T) {
	b := newBench(t)
	object := newJob("build")
	object.TypeMeta = metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"}
	object.Name, object.GenerateName = "", "web-"
	var body bytes.Buffer
	must.Succeed(t, protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(object, &body))
	b.instance(1).askAs(http.MethodPost, jobs, "application/vnd.kubernetes.protobuf", body.String())
	b.wantCalls(create + " 200 200")
	assert.Equal(t, "the body, after its way", b.server.all()[0].body, body.String())
}

func TestNamesAreLearnedFromLists(t *testing.T) {
	b := newBench(t)
	item := strings.Replace(job("build", 7), `"apiVersion":"batch/v1","kind":"Job",`, "", 1)
	b.server.respond("GET "+jobs, `{"kind":"JobList","metadata":{"resourceVersion":"9"},"items":[`+item+`]}`)
	one := b.instance(1)
	one.ask(http.MethodGet, jobs, "")
	one.ask(http.MethodGet, jobs+"/web-build", "")
	b.wantCalls("list jobs - #1 200 200", "get jobs web/build #1 200 200")
	assert.Equal(t, "the version of an object that a list has", b.log.Run().Requests[0].ResourceVersion, uint64(0))
}
