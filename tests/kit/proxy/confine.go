package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/kinds"
)

// confine makes of a request about all namespaces one about those of the run: to its client it looks as if there were
// no others. The API server is asked about one namespace or all; what of that is too much is left out of the answer.
func (p *Proxy) confine(t target) target {
	all := t.namespace == "" && t.name == "" && slices.Contains([]string{"list", "watch", "deletecollection"}, t.verb)
	if _, known := kinds.OfResource(t.group, t.resource); !all || !known { // what it is may have no namespace
		return t
	}
	if len(p.options.Beside) > 0 {
		t.narrowed = true
		return t
	}
	url := *t.url
	url.Path = strings.TrimSuffix(url.Path, t.resource) + "namespaces/" + p.options.Namespace + "/" + t.resource
	t.url, t.namespace = &url, p.options.Namespace
	return t
}

// shows says whether an object is for the client to see; what has no namespace is.
func (p *Proxy) shows(t target, object interface{ GetNamespace() string }) bool {
	return !t.narrowed || object.GetNamespace() == "" || p.takes(object.GetNamespace())
}

// takes says whether the run takes place in a namespace.
func (p *Proxy) takes(namespace string) bool {
	return namespace == p.options.Namespace || slices.Contains(p.options.Beside, namespace)
}

// withoutOthers leaves out of a list what is not for the client to see.
func (p *Proxy) withoutOthers(t target, a answer) answer {
	if !t.narrowed || a.code != http.StatusOK {
		return a
	}
	list := map[string]json.RawMessage{}
	var items []json.RawMessage
	if json.Unmarshal(a.body, &list) != nil || json.Unmarshal(list["items"], &items) != nil {
		return a // no list
	}
	items = slices.DeleteFunc(items, func(item json.RawMessage) bool {
		object := struct {
			metav1.ObjectMeta `json:"metadata"`
		}{}
		return json.Unmarshal(item, &object) == nil && !p.shows(t, &object)
	})
	var err error
	if list["items"], err = json.Marshal(items); err == nil {
		a.body, err = json.Marshal(list)
	}
	if err != nil {
		panic(err) // it has just been read
	}
	return a
}
