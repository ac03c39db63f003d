package proxy

import (
	"encoding/json"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/history"
)

func (a answer) write(w http.ResponseWriter) error {
	copyHeader(w.Header(), a.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	w.WriteHeader(a.code)
	if _, err := w.Write(a.body); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// refusal is what the controller is told in the API server's place. Only a gateway's answer asks to
// come again later, which client-go does by itself.
func refusal(action Action) answer {
	answer := statusAnswer(refusals[action])
	if action == AnswerGateway {
		answer.header.Set("Retry-After", "1")
	}
	return answer
}

var refusals = map[Action]metav1.Status{
	Answer429:     {Code: 429, Reason: metav1.StatusReasonTooManyRequests, Message: "Too many requests, please try again later."},
	Answer500:     {Code: 500, Reason: metav1.StatusReasonInternalError, Message: "Internal error occurred: etcdserver: leader changed"},
	AnswerGateway: {Code: 503, Reason: metav1.StatusReasonServiceUnavailable, Message: "the server is currently unable to handle the request"},
	Answer504:     {Code: 504, Reason: metav1.StatusReasonTimeout, Message: "Timeout: request did not complete within the allotted timeout"},
}

func statusAnswer(status metav1.Status) answer {
	return answer{code: int(status.Code), header: http.Header{"Content-Type": {"application/json"}}, body: failure(status)}
}

// failure is how a status stands in an answer.
func failure(status metav1.Status) []byte {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	status.Status = metav1.StatusFailure
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	return body
}

// lose cuts the connection in a way that the controller gets to know of. When nothing has come back
// yet, net/http and client-go repeat a read by themselves, and the controller never hears of it. So
// the answer to a read begins, and is cut before its end. Nobody can tell from that on which way it
// was lost: a read leaves no traces. Writes are not repeated.
func lose(w http.ResponseWriter, q *request, body []byte) {
	if !history.IsWrite(q.target.verb) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		_, _ = w.Write(body[:len(body)/2])        // it is to be lost anyway
		_ = http.NewResponseController(w).Flush() // likewise
	}
	panic(http.ErrAbortHandler)
}
