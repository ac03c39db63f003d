package crds

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Refusal is the response of an API server that rejects a request for its content.
type Refusal struct {
	Message string   // as a user reads it; each of several causes in a line of its own
	Causes  []string // each with its field, where it has one: "spec.steps: Required value"
}

// Naming are the causes that name all these words, anywhere in a sentence: "a step's" and "Steps" name steps. Of "name
// or metadata" one is enough.
func (r Refusal) Naming(words ...string) []string {
	return slices.DeleteFunc(slices.Clone(r.Causes), func(cause string) bool {
		said := strings.ToLower(cause)
		return slices.ContainsFunc(words, func(word string) bool {
			return !slices.ContainsFunc(strings.Split(strings.ToLower(word), " or "), func(one string) bool {
				return strings.Contains(said, strings.TrimSuffix(one, "s"))
			})
		})
	})
}

// RefusalOf says whether an error is a refusal. Other errors say nothing about the API.
func RefusalOf(err error) (Refusal, bool) {
	var response apierrors.APIStatus
	if !errors.As(err, &response) {
		return Refusal{}, false
	}
	status := response.Status()
	if status.Code < http.StatusBadRequest || status.Code >= http.StatusInternalServerError || status.Code == http.StatusTooManyRequests {
		return Refusal{}, false
	}
	refusal := Refusal{Message: status.Message}
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			refusal.Causes = append(refusal.Causes, strings.TrimPrefix(cause.Field+": "+cause.Message, ": "))
		}
	}
	if refusal.Causes == nil {
		refusal.Causes = []string{status.Message}
	}
	if status.Reason == metav1.StatusReasonInvalid { // its message is all causes, in one line
		refusal.Message = strings.Join(refusal.Causes, "\n")
	}
	return refusal, true
}
