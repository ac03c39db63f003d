package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

func TestAcceptJSON(t *testing.T) {
	for accept, want := range map[string]string{
		"application/vnd.kubernetes.protobuf, */*":             "application/json, */*",
		"application/vnd.kubernetes.protobuf,application/json": "application/json,application/json",
		"application/json;q=0.9,application/cbor;q=1":          "application/json;q=0.9,application/json;q=1",
		"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json": "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
		"application/json;as=Table;v=v1;g=meta.k8s.io,application/json": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
		"application/com.github.proto-openapi.spec.v2@v1.0+protobuf":    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf",
	} {
		header := http.Header{"Accept": {accept}}
		acceptJSON(header)
		assert.Equal(t, "what becomes of "+accept, header.Get("Accept"), want)
	}
}

func TestTargetOf(t *testing.T) {
	tests := []struct{ method, url, want string }{
		{"GET", "/apis/batch/v1/namespaces/run/jobs", "list batch run jobs - -"},
		{"GET", "/apis/batch/v1/jobs?watch=true", "watch batch - jobs - -"},
		{"GET", "/apis/batch/v1/jobs?watch=false", "list batch - jobs - -"},
		{"GET", "/apis/batch/v1/watch/namespaces/run/jobs", "watch batch run jobs - -"},
		{"GET", "/apis/batch/v1/namespaces/run/jobs/a", "get batch run jobs a -"},
		{"POST", "/apis/batch/v1/namespaces/run/jobs", "create batch run jobs - -"},
		{"PUT", "/apis/batch/v1/namespaces/run/jobs/a/status", "update batch run jobs a status"},
		{"PATCH", "/api/v1/namespaces/run/pods/a", "patch - run pods a -"},
		{"DELETE", "/api/v1/namespaces/run/pods/a", "delete - run pods a -"},
		{"DELETE", "/api/v1/namespaces/run/pods", "deletecollection - run pods - -"},
		{"GET", "/api/v1/namespaces", "list - - namespaces - -"},
		{"GET", "/api/v1/namespaces/run", "get - run namespaces run -"},
		{"PUT", "/api/v1/namespaces/run/finalize", "update - run namespaces run finalize"},
		{"GET", "/api/v1", ""}, {"GET", "/apis/batch/v1", ""}, {"GET", "/apis", ""}, {"GET", "/openapi/v3", ""}, {"GET", "/", ""},
	}
	for _, test := range tests {
		got := ""
		if target, ok := targetOf(httptest.NewRequest(test.method, test.url, nil)); ok {
			got = target.verb
			for _, part := range []string{target.group, target.namespace, target.resource, target.name, target.subresource} {
				if part == "" {
					part = "-"
				}
				got += " " + part
			}
		}
		assert.Equal(t, test.method+" "+test.url, got, test.want)
	}
}

// The API server finds what is wrong with a watch by the function that is asked here.
func TestWithoutWatchList(t *testing.T) {
	options := &internalversion.ListOptions{
		Watch: true, SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	}
	wrong := validation.ValidateListOptions(options, false)
	want := apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "ListOptions"}, "", wrong).Status()
	var got metav1.Status
	must.Succeed(t, json.Unmarshal(withoutWatchList().body, &got))
	got.TypeMeta = metav1.TypeMeta{}
	assert.Equal(t, "status", got, want)
}

func TestScopeOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		url, accept string
		want        history.Scope
	}{
		{"/apis/batch/v1/jobs?watch=true", "application/json, */*", history.Scope{}},
		{
			"/apis/batch/v1/namespaces/run/jobs?watch=true&labelSelector=app%3Dweb&fieldSelector=metadata.name%3Dweb", "application/json",
			history.Scope{Namespace: "run", Labels: "app=web", Fields: "metadata.name=web"},
		},
		{
			"/apis/batch/v1/jobs?watch=true", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
			history.Scope{Metadata: true},
		},
		{ // a client that takes metadata only if it can't have the whole
			"/apis/batch/v1/jobs?watch=true", "application/json,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", history.Scope{},
		},
	} {
		request := httptest.NewRequest(http.MethodGet, test.url, nil)
		request.Header.Set("Accept", test.accept)
		assert.Equal(t, "the scope of "+test.url+" for "+test.accept, scopeOf(request), test.want)
	}
}
