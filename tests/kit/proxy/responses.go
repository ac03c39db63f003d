package proxy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"example.com/controller-course/tests/kit/history"
)

func (r response) write(w http.ResponseWriter) error {
	copyHeader(w.Header(), r.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(r.body)))
	w.WriteHeader(r.code)
	if _, err := w.Write(r.body); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// gateway is a gateway's response to a request that was done. It asks the client to retry later, which client-go does by itself.
// No other response of the proxy does.
func gateway() response {
	r := statusResponse(metav1.Status{Code: 503, Reason: metav1.StatusReasonServiceUnavailable, Message: "the server is currently unable to handle the request"})
	r.header.Set("Retry-After", "1")
	return r
}

// ByRole is in what AnswerForbidden says.
const ByRole = "User \"controller\" cannot"

// forbidden is the response to a request that the controller's role does not allow.
func forbidden(t target) response {
	about := schema.GroupResource{Group: t.group, Resource: t.resource}
	return statusResponse(metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Message: fmt.Sprintf("%s is forbidden: %s %s resource %q in API group %q in the namespace %q", about, ByRole, t.verb, t.resource, t.group, t.namespace),
		Details: &metav1.StatusDetails{Group: t.group, Kind: t.resource}})
}

// Denied is what AnswerDeniedAsBad, AnswerDeniedAsInvalid, AnswerDeniedAsMissing, AnswerDeniedAsBroken, AnswerDeniedWithID and
// AnswerDeniedAtLength say.
const Denied = "a Job has to name its budget"

// longestMessage is how many bytes the message of a condition may have.
const longestMessage = 32768

// Policy is what AnswerDenied names, in its last lines.
const Policy = "require-budget"

// refusals are the responses that the proxy sends instead of the API server, which does nothing then.
var refusals = map[Action]metav1.Status{
	Answer429: {Code: 429, Reason: metav1.StatusReasonTooManyRequests, Message: "Too many requests, please try again later."},
	Answer500: {Code: 500, Reason: metav1.StatusReasonInternalError, Message: "Internal error occurred: etcdserver: leader changed"},
	Answer504: {Code: 504, Reason: metav1.StatusReasonTimeout, Message: "Timeout: request did not complete within the allotted timeout"},
	AnswerDenied: {Code: 403, Reason: metav1.StatusReasonForbidden, Message: "admission webhook \"policies.example.com\" denied the request:\n\n" +
		"blocked by these policies:\n\n" + Policy + ":\n  budget: a Job has to name its budget\n",
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "metadata.labels[budget]"}}}}, // as the webhook gives them: no name
	AnswerConflict: {Code: 409, Reason: metav1.StatusReasonConflict, Message: "Operation cannot be fulfilled on resourcequotas \"quota\": the object has been " +
		"modified; please apply your changes to the latest version and try again"},
	AnswerInvalid: {Code: 422, Reason: metav1.StatusReasonInvalid, Message: "jobs.batch is forbidden: ValidatingAdmissionPolicy 'freeze' with binding 'freeze' " +
		"denied request: nothing may be changed now"},
	AnswerDeniedAsBad:     {Code: 400, Message: "admission webhook \"budgets.example.com\" denied the request: " + Denied},
	AnswerDeniedAsMissing: {Code: 404, Message: "admission webhook \"budgets.example.com\" denied the request: " + Denied},
	AnswerDeniedAsBroken:  {Code: 500, Message: "admission webhook \"budgets.example.com\" denied the request: " + Denied},
	AnswerDeniedWithID:    {Code: 403, Message: "admission webhook \"budgets.example.com\" denied the request: " + Denied},
	AnswerDeniedAtLength: {Code: 403, Message: "admission webhook \"budgets.example.com\" denied the request: " +
		strings.Repeat(Denied+"; ", 2*longestMessage/len(Denied+"; ")) + Denied}, // 65 KB
	AnswerDeniedAsInvalid: {Code: 422, Reason: metav1.StatusReasonInvalid, Message: "admission webhook \"budgets.example.com\" denied the request: " + Denied,
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{
			Type: metav1.CauseTypeFieldValueRequired, Field: "metadata.labels[budget]", Message: "Required value: " + Denied,
		}}}},
}

func statusResponse(status metav1.Status) response {
	return response{code: int(status.Code), header: http.Header{"Content-Type": {"application/json"}}, body: failure(status)}
}

// failure returns the body of a response with a status.
func failure(status metav1.Status) []byte {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	status.Status = metav1.StatusFailure
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return body
}

// lose cuts the connection so that the controller notices. Before the first byte of a response, net/http and
// client-go retry a read by themselves, and the controller never sees the error. So the response to a read
// starts, and is cut before its end. A client can't distinguish whether the request or the response was lost:
// a read leaves no traces. Writes are not retried.
func lose(w http.ResponseWriter, q *request, body []byte) {
	if !history.IsWrite(q.target.verb) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		_, _ = w.Write(body[:len(body)/2])        // it gets lost anyway
		_ = http.NewResponseController(w).Flush() // likewise
	}
	panic(http.ErrAbortHandler)
}
