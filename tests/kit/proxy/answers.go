package proxy

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/history"
)

// write sends the answer on to the controller.
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
	status := metav1.Status{Status: metav1.StatusFailure}
	header := http.Header{}
	switch action {
	case Answer429:
		status.Code, status.Reason = http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests
		status.Message = "Too many requests, please try again later."
	case Answer504:
		status.Code, status.Reason = http.StatusGatewayTimeout, metav1.StatusReasonTimeout
		status.Message = "Timeout: request did not complete within the allotted timeout"
	case AnswerGateway:
		status.Code, status.Reason = http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable
		status.Message = "the server is currently unable to handle the request"
		header.Set("Retry-After", "1")
	default:
		status.Code, status.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
		status.Message = "Internal error occurred: etcdserver: leader changed"
	}
	return statusAnswer(status, header)
}

func statusAnswer(status metav1.Status, header http.Header) answer {
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, err := json.Marshal(status)
	if err != nil {
		panic(err) // it consists of strings and numbers
	}
	header = maps.Clone(header)
	header.Set("Content-Type", "application/json")
	return answer{code: int(status.Code), header: header, body: body}
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
