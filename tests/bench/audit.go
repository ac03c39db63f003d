package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// Requests is how many requests of each kind ("create jobs") the API server has answered.
type Requests struct {
	ByKind map[string]int
	Failed map[string]int // "create jobs: 409"
}

// auditEvent is the part of an audit log's line that is looked at.
// Source: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
type auditEvent struct {
	Verb string `json:"verb"`
	User struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// countRequests reads what the API server has logged about a user's requests. Requests that say
// nothing about objects (discovery) are left out.
func countRequests(path, user string) (Requests, error) {
	counted := Requests{ByKind: map[string]int{}, Failed: map[string]int{}}
	file, err := os.Open(path)
	if err != nil {
		return counted, fmt.Errorf("read the audit log: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var event auditEvent
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return counted, fmt.Errorf("read the audit log %s: %w", path, err)
		}
		if event.User.Username != user || event.ObjectRef.Resource == "" {
			continue
		}
		kind := event.Verb + " " + event.ObjectRef.Resource
		if event.ObjectRef.Subresource != "" {
			kind += "/" + event.ObjectRef.Subresource
		}
		counted.ByKind[kind]++
		if code := event.ResponseStatus.Code; code >= 400 {
			counted.Failed[fmt.Sprintf("%s: %d", kind, code)]++
		}
	}
	return counted, lines.Err()
}
