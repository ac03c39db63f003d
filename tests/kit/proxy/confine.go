package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/kinds"
)

// confine turns a request about all namespaces into one about those of the run: the client sees no others. The API
// server is asked about one namespace or all, and the response omits the objects of other namespaces.
func (p *Proxy) confine(t target) target {
	all := t.namespace == "" && t.name == "" && slices.Contains([]string{"list", "watch", "deletecollection"}, t.verb)
	if _, known := kinds.OfResource(t.group, t.resource); !all || !known { // it may have no namespace
		return t
	}
	if len(p.options.MoreNamespaces) > 0 {
		t.narrowed = true
		return t
	}
	url := *t.url
	url.Path = strings.TrimSuffix(url.Path, t.resource) + "namespaces/" + p.options.Namespace + "/" + t.resource
	t.url, t.namespace = &url, p.options.Namespace
	return t
}

// shows says whether the client may see an object. It may see all cluster-scoped objects.
func (p *Proxy) shows(t target, object interface{ GetNamespace() string }) bool {
	return !t.narrowed || object.GetNamespace() == "" || p.takes(object.GetNamespace())
}

// takes says whether the run takes place in a namespace.
func (p *Proxy) takes(namespace string) bool {
	return namespace == p.options.Namespace || slices.Contains(p.options.MoreNamespaces, namespace)
}

// withoutOthers removes from a list the objects that the client may not see.
func (p *Proxy) withoutOthers(t target, r response) response {
	if !t.narrowed || r.code != http.StatusOK {
		return r
	}
	list := map[string]json.RawMessage{}
	var items []json.RawMessage
	if json.Unmarshal(r.body, &list) != nil || json.Unmarshal(list["items"], &items) != nil {
		return r // no list
	}
	items = slices.DeleteFunc(items, func(item json.RawMessage) bool {
		object := struct {
			metav1.ObjectMeta `json:"metadata"`
		}{}
		return json.Unmarshal(item, &object) == nil && !p.shows(t, &object)
	})
	var err error
	if list["items"], err = json.Marshal(items); err == nil {
		r.body, err = json.Marshal(list)
	}
	if err != nil {
		panic(err) // it has just been read
	}
	return r
}
