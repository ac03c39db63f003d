package main

import (
	"errors"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refusal is why the API server refused a step's Job.
type refusal struct {
	message string // the API server's own words
	final   bool   // every other attempt would be refused too
}

// refusalOf returns why the API server refused a Job. It is nil if creating the Job failed for another reason.
func refusalOf(err error, job *batchv1.Job) *refusal {
	var response apierrors.APIStatus
	if !errors.As(err, &response) {
		return nil
	}
	if !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) && !deniedByWebhook(response.Status()) {
		return nil
	}
	return &refusal{message: shorten(wordsOf(response.Status(), job)), final: isFinal(response.Status())}
}

// isFinal says whether the API server will refuse this Job each time.
func isFinal(status metav1.Status) bool {
	if status.Reason != metav1.StatusReasonInvalid || deniedByWebhook(status) {
		return false
	}
	if status.Details == nil || len(status.Details.Causes) == 0 {
		return false
	}
	for _, cause := range status.Details.Causes {
		if cause.Field == "" {
			return false
		}
	}
	return true
}

// deniedByWebhook says whether a webhook refused the Job. It may choose any code, and if it chooses none, that is 400. The
// API server puts a prefix before what the webhook says.
// Source: k8s.io/apiserver/pkg/admission/plugin/webhook/errors.
func deniedByWebhook(status metav1.Status) bool {
	return strings.HasPrefix(status.Message, "admission webhook ")
}

// gone says whether the object of a request doesn't exist. A webhook may refuse a request with the same code, and then the object is there.
func gone(err error) bool {
	var response apierrors.APIStatus
	return errors.As(err, &response) && apierrors.IsNotFound(err) && !deniedByWebhook(response.Status())
}

// wordsOf returns the API server's message without the Job's name. The API server generates a new name for each
// attempt. Otherwise each attempt would write a different status. If a webhook responds, the name in the details may be anything.
func wordsOf(status metav1.Status, job *batchv1.Job) string {
	if deniedByWebhook(status) || status.Details == nil || status.Details.Name == "" {
		return status.Message
	}
	return strings.ReplaceAll(status.Message, status.Details.Name, job.GenerateName)
}

// shorten keeps a message within what an event can hold. An invalid template's message contains the invalid value,
// however long that is.
func shorten(message string) string {
	const most = 900
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}
