package picture

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
)

// requests draws what the controller asked: writes in a lane for each resource, reads in one.
func (d *drafter) requests() {
	_, by := groups(d.run.Requests, history.Request.Write)
	resources, writes := groups(by[true], func(r history.Request) string { return r.Call.Resource })
	for _, resource := range resources {
		d.asked("write", resource, "its writes", writes[resource])
	}
	if reads := by[false]; len(reads) > 0 {
		d.asked("read", "reads", "watches aside", reads)
	}
}

func (d *drafter) asked(kind, name, note string, requests []history.Request) {
	var spans []span
	for _, r := range requests {
		spans = append(spans, span{r.Received, max(r.Received, r.Committed, r.Answered)})
	}
	places, count := rows(spans)
	lane := d.lane(kind, name, note, count)
	for i, r := range requests {
		look, text := outcome(r)
		call := fmt.Sprintf("%s %s", r.Call.Verb, r.Call.Object)
		if kind == "read" {
			call = fmt.Sprintf("%s %s %s", r.Call.Verb, r.Call.Resource, r.Call.Object)
		}
		if look != "ok" {
			call += " → " + text
		}
		d.add(spans[i].from, spans[i].to, entry{
			mark: mark{
				Lane: lane, Row: places[i], Kind: "request", Look: look, Label: call,
				Done: r.Succeeded() && look != "ok", Struck: r.Fault > 0,
				Same:  same(plain(r.Call.Resource), r.ResourceVersion),
				Cited: d.citing(func(f finding.Finding) bool { return slices.Contains(f.Requests, r.ID) }),
			},
			What:    fmt.Sprintf("%s → %s", r.Call, text),
			Details: append(requestDetails(r), d.blame(r.Fault)...),
		})
	}
}

// outcome is how a request ended for the controller: a look, and words.
func outcome(r history.Request) (look, text string) {
	text = strconv.Itoa(r.Returned)
	switch {
	case r.Returned == 0 && r.Code == 0:
		return "unanswered", "no response; the API server was not asked"
	case r.Returned == 0 && r.Succeeded():
		return "unanswered", "no response, but done"
	case r.Returned == 0:
		return "unanswered", "no response; the API server's was " + code(r.Code, r.Reason)
	case r.Returned >= http.StatusInternalServerError:
		look = "failed"
	case r.Returned >= http.StatusBadRequest:
		look = "refused"
	default:
		look = "ok"
	}
	switch {
	case r.Code == 0:
		text += ", without asking the API server"
	case r.Code == r.Returned:
		text = code(r.Code, r.Reason)
	case r.Succeeded():
		text += ", but done"
	default:
		text += "; the API server's response was " + code(r.Code, r.Reason)
	}
	return look, text
}

func requestDetails(r history.Request) []detail {
	return known(
		detail{"request", strconv.Itoa(r.ID)},
		detail{"instance", strconv.Itoa(r.Instance)},
		detail{"object", called(r.Object)},
		detail{"group", r.Group},
		detail{"uid", r.UID},
		detail{"resourceVersion", version(r.ResourceVersion)},
		detail{"the API server said", r.Message},
		detail{"API server responded", moment(r.Committed)},
		detail{"controller received it", moment(r.Answered)},
	)
}
