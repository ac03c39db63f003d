// Package audit reads what the API server has logged about a user's requests.
package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Request is a request about objects that the API server has answered. It has answered a watch when that has ended.
type Request struct {
	Received  time.Time
	Verb      string
	Resource  string // with the subresource, if any: "jobs/status"
	Namespace string
	Name      string
	URI       string
	Code      int
}

// Kind is what requests are counted by: "create jobs".
func (r Request) Kind() string { return r.Verb + " " + r.Resource }

// Failed says whether the API server refused the request or could not do it.
func (r Request) Failed() bool { return r.Code >= 400 }

func (r Request) String() string { return fmt.Sprintf("%s %s: %d", r.Verb, r.URI, r.Code) }

// Read returns the requests of a user in an API server's audit log, in the order in which they were
// answered. Requests that say nothing about objects (discovery) are left out.
func Read(path, user string) ([]Request, error) {
	var requests []Request
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return requests, nil // a line without an end is still being written
		}
		if err != nil {
			return nil, fmt.Errorf("read the audit log %s: %w", path, err)
		}
		var logged event
		if err := json.Unmarshal(bytes.TrimSpace(line), &logged); err != nil {
			return nil, fmt.Errorf("read the audit log %s: %w", path, err)
		}
		if logged.User.Username == user && logged.ObjectRef.Resource != "" {
			requests = append(requests, logged.request())
		}
	}
}

// event is the part of an audit log's line that is looked at.
// Source: https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/
type event struct {
	Verb       string    `json:"verb"`
	RequestURI string    `json:"requestURI"`
	Received   time.Time `json:"requestReceivedTimestamp"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

func (e event) request() Request {
	resource := e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		resource += "/" + e.ObjectRef.Subresource
	}
	return Request{
		Received: e.Received, Verb: e.Verb, Resource: resource, Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		URI: e.RequestURI, Code: e.ResponseStatus.Code,
	}
}

// Counts is how many requests there were of each kind.
type Counts struct {
	ByKind map[string]int
	Failed map[string]int // "create jobs: 409"
}

// Count counts requests.
func Count(requests []Request) Counts {
	counts := Counts{ByKind: map[string]int{}, Failed: map[string]int{}}
	for _, request := range requests {
		counts.ByKind[request.Kind()]++
		if request.Failed() {
			counts.Failed[fmt.Sprintf("%s: %d", request.Kind(), request.Code)]++
		}
	}
	return counts
}
