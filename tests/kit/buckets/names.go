package buckets

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/history"
)

// Resource is what histories call the objects of this package.
const Resource = "buckets"

const (
	api        = "$JS.API.STREAM."
	advisories = "$JS.EVENT.ADVISORY.STREAM."
	stream     = "OBJ_" // followed by the bucket's name
)

// verbs are those of Kubernetes that say what the requests of JetStream's API do to buckets.
var verbs = map[string]string{"CREATE": "create", "UPDATE": "update", "DELETE": "delete", "INFO": "get", "LIST": "list", "NAMES": "list", "PURGE": "purge"}

// callOf returns the name of a request about buckets, without a number, and the bucket's name. It returns false for other subjects.
func (p *Proxy) callOf(subject string) (call history.Call, bucket string, is bool) {
	rest, is := strings.CutPrefix(subject, api)
	operation, target, _ := strings.Cut(rest, ".")
	verb := verbs[operation]
	if !is || verb == "" {
		return history.Call{}, "", false
	}
	call = history.Call{Verb: verb, Resource: Resource, Object: history.None}
	if target == "" {
		return call, "", true
	}
	bucket, is = strings.CutPrefix(target, stream)
	call.Object = p.logicalOf(bucket)
	return call, bucket, is
}

// momentOf returns the name of an advisory about a bucket, without a number, and the bucket's name. It returns false for other
// subjects.
func (p *Proxy) momentOf(subject string) (moment history.Moment, bucket string, is bool) {
	rest, ours := strings.CutPrefix(subject, advisories)
	event, target, _ := strings.Cut(rest, ".")
	if bucket, is = strings.CutPrefix(target, stream); !is || !ours {
		return history.Moment{}, "", false
	}
	return history.Moment{Type: event, Resource: Resource, Object: p.logicalOf(bucket)}, bucket, true
}

// ofAdvisories says whether a subscription receives advisories about buckets, of whatever event and bucket.
func ofAdvisories(pattern string) bool {
	return strings.HasPrefix(pattern, advisories) || slices.ContainsFunc([]string{"CREATED", "UPDATED", "DELETED"}, func(event string) bool {
		return Receives(pattern, event)
	})
}

// Receives says whether a subscription receives advisories of an event ("UPDATED"), about all buckets or some.
func Receives(pattern, event string) bool {
	return strings.HasPrefix(pattern, advisories+event+".") || matches(pattern, advisories+event+"."+stream+"any")
}

func (p *Proxy) logicalOf(bucket string) history.Logical {
	if p.options.Logical != nil {
		return p.options.Logical(bucket)
	}
	return history.Logical(bucket)
}

// outcome is what a response of JetStream's API says.
type outcome struct {
	Error *struct {
		Code        int    `json:"code"`
		ErrCode     int    `json:"err_code"`
		Description string `json:"description"`
	} `json:"error"`
	// Created is when the bucket was created. A bucket that was deleted and created again has another one, and so it is what a
	// UID is elsewhere.
	Created string `json:"created"`
	Config  struct {
		Metadata map[string]string `json:"metadata"`
	} `json:"config"`
	// Streams is a page of a list, and Total what all pages have. Other responses may have a total of something else.
	Streams []listed `json:"streams"`
	Total   *int     `json:"total"`
}

// listed is the name in an entry of a list. STREAM.NAMES returns the name alone, and STREAM.LIST all about a stream.
type listed string

func (l *listed) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, (*string)(l)) == nil {
		return nil
	}
	var entry struct{ Config struct{ Name listed } }
	err := json.Unmarshal(text, &entry)
	*l = entry.Config.Name
	return err
}

// list returns the names of all buckets; nil if the response does not have all of them.
func (o outcome) list() (names []string) {
	if o.Total == nil || *o.Total > len(o.Streams) {
		return nil
	}
	names = []string{}
	for _, name := range o.Streams {
		if bucket, is := strings.CutPrefix(string(name), stream); is {
			names = append(names, bucket)
		}
	}
	return names
}

func outcomeOf(body []byte) (o outcome) {
	_ = json.Unmarshal(body, &o) // what can't be read says nothing
	return o
}
