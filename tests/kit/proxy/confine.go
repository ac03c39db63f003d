package proxy

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/kinds"
)

// confine turns a request about all namespaces into one about those of the run: the client sees no others. The API
// server is asked about one namespace or all, and the response omits the objects of other namespaces.
func (p *Proxy) confine(t target, body []byte) (target, []byte) {
	if t.namespace != "" && !p.takes(t.namespace) && p.options.Foreign != nil && p.options.Foreign(t.namespace) {
		return elsewhere(t, body)
	}
	if all := t.namespace == "" && t.name == "" && slices.Contains([]string{"list", "watch", "deletecollection"}, t.verb); !all {
		return t, body
	}
	if _, known := kinds.OfResource(t.group, t.resource); !known || len(p.options.MoreNamespaces) > 0 { // it may have no namespace
		t.narrowed = true
		return t, body
	}
	url := *t.url
	url.Path = strings.TrimSuffix(url.Path, t.resource) + "namespaces/" + p.options.Namespace + "/" + t.resource
	t.url, t.namespace = &url, p.options.Namespace
	return t, body
}

// elsewhere turns a request into another run's namespace into one into a namespace that does not exist. So the response
// is the API server's own, as if there were no other run. Both names are equally long, because a body may contain
// lengths. The body is never stored.
func elsewhere(t target, body []byte) (target, []byte) {
	t.nowhere = "x" + t.namespace[1:]
	url := *t.url
	url.Path = strings.Replace(url.Path, "/namespaces/"+t.namespace, "/namespaces/"+t.nowhere, 1)
	t.url = &url
	return t, bytes.ReplaceAll(body, []byte(t.namespace), []byte(t.nowhere))
}

// shows says whether the client may see an object. It may see all cluster-scoped objects, except other runs' namespaces.
func (p *Proxy) shows(t target, object interface {
	GetNamespace() string
	GetName() string
}) bool {
	namespace := object.GetNamespace()
	if t.group == "" && t.resource == namespaces {
		namespace = object.GetName()
	}
	return !t.narrowed || namespace == "" || p.takes(namespace)
}

// takes says whether the run takes place in a namespace.
func (p *Proxy) takes(namespace string) bool {
	return namespace == p.options.Namespace || slices.Contains(p.options.MoreNamespaces, namespace)
}

// confined turns the API server's response into the one that the client receives.
func (p *Proxy) confined(t target, r response) response {
	if t.nowhere != "" {
		r.body = bytes.ReplaceAll(r.body, []byte(t.nowhere), []byte(t.namespace))
	}
	if t.narrowed && r.code == http.StatusOK {
		r.body = p.withoutOthers(t, r.body)
	}
	return r
}

// withoutOthers removes from a list, or from a table, the objects that the client may not see.
func (p *Proxy) withoutOthers(t target, body []byte) []byte {
	list := map[string]json.RawMessage{}
	if json.Unmarshal(body, &list) != nil {
		return body
	}
	field := "items"
	if list[field] == nil {
		field = "rows"
	}
	var items []json.RawMessage
	if json.Unmarshal(list[field], &items) != nil {
		return body // no list
	}
	items = slices.DeleteFunc(items, func(item json.RawMessage) bool {
		type object struct {
			metav1.ObjectMeta `json:"metadata"`
		}
		entry := struct {
			object
			Of object `json:"object"` // in a row
		}{}
		return json.Unmarshal(item, &entry) == nil && !(p.shows(t, &entry.object) && p.shows(t, &entry.Of))
	})
	var err error
	if list[field], err = json.Marshal(items); err == nil {
		body, err = json.Marshal(list)
	}
	if err != nil {
		panic(err) // it has just been read
	}
	return body
}
