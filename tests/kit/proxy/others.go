package proxy

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// ConflictAnnotation is what Conflict sets on an object. The object gets a new resourceVersion by it,
// and its generation stays.
const ConflictAnnotation = "proxy.controller-course.example.com/conflict"

// ForeignCondition is the type of the condition that ConditionFirst adds to a status.
const ForeignCondition = "proxy.controller-course.example.com/Checked"

// writeFirst changes the object that a write is about. An object that is not there can't be changed.
func (p *Proxy) writeFirst(t target, fault int) {
	if t.name == "" || !history.IsWrite(t.verb) {
		return
	}
	p.write(t.object(), "application/merge-patch+json", fmt.Sprintf(`{"metadata":{"annotations":{%q:"%d"}}}`, ConflictAnnotation, fault))
}

// addCondition adds a condition to the status that a write is about.
func (p *Proxy) addCondition(t target) {
	status := &url.URL{Path: t.object().Path + "/status"}
	condition := fmt.Sprintf(`{"type":%q,"status":"True","reason":"Checked","message":"","lastTransitionTime":%q}`,
		ForeignCondition, time.Now().UTC().Format(time.RFC3339))
	if !p.write(status, "application/json-patch+json", `[{"op":"add","path":"/status/conditions/-","value":`+condition+`}]`) { // it has none yet
		p.write(status, "application/merge-patch+json", `{"status":{"conditions":[`+condition+`]}}`)
	}
}

// write has another client patch an object, and says whether the API server has done it.
func (p *Proxy) write(object *url.URL, patchType, patch string) bool {
	return p.asAnother(http.MethodPatch, object, patchType, []byte(patch)) != nil
}

// replaceFirst deletes the object that a write is about, and creates another one of the same name, as a user with kubectl get
// -o yaml, delete and create. That one has no owner.
func (p *Proxy) replaceFirst(t target) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(p.asAnother(http.MethodGet, t.object(), "", nil)); err != nil {
		return // there is none
	}
	p.asAnother(http.MethodDelete, t.object(), "application/json", []byte(`{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`))
	again := &unstructured.Unstructured{Object: map[string]any{"spec": object.Object["spec"]}}
	again.SetGroupVersionKind(object.GroupVersionKind())
	again.SetName(object.GetName())
	again.SetLabels(object.GetLabels())
	again.SetAnnotations(object.GetAnnotations())
	dropGenerated(again)
	text, err := again.MarshalJSON()
	if err != nil {
		return
	}
	all := &url.URL{Path: strings.TrimSuffix(t.object().Path, "/"+t.name)}
	p.asAnother(http.MethodPost, all, "application/json", text)
}

// dropGenerated removes what the API server adds to a Job, and refuses in another one.
func dropGenerated(job *unstructured.Unstructured) {
	unstructured.RemoveNestedField(job.Object, "spec", "selector")
	for _, labels := range [][]string{{"metadata", "labels"}, {"spec", "template", "metadata", "labels"}} {
		for _, label := range kinds.GeneratedLabels {
			unstructured.RemoveNestedField(job.Object, append(labels, label)...)
		}
	}
}

// asAnother sends a request as another client, and returns the body of the response; nil if the API server has not done it.
// That shows in what it responds to the controller: nobody has come before it.
func (p *Proxy) asAnother(method string, object *url.URL, contentType string, body []byte) []byte {
	header := http.Header{"Accept": {"application/json"}}
	if contentType != "" {
		header.Set("Content-Type", contentType)
	}
	response, err := p.admin.ask(p.ctx, method, object, header, body)
	if err != nil || response.code >= http.StatusBadRequest {
		return nil
	}
	return response.body
}
