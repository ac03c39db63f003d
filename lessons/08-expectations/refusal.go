package main

import (
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// refusal is why a step's Job could not be created, as the status reports it.
type refusal struct {
	reason  string // one of the reasons of the condition Succeeded
	message string // the API server's own words, where it has refused the Job
	final   bool   // every other attempt would be refused too

	requeueAfter time.Duration // when to try again even if no event arrives; 0 for never
}

// refusalOf returns why the API server refused a Job. It is nil if creating the Job failed for another reason.
func refusalOf(err error) *refusal {
	var response apierrors.APIStatus
	if !errors.As(err, &response) {
		return nil
	}
	if !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) && !deniedByWebhook(response.Status()) {
		return nil
	}
	message := response.Status().Message
	// TODO(words): Remove the next lines once names are fixed. They cut off the random end of a generated name, so that the
	// messages of two attempts, and with them the statuses, are equal.
	if details := response.Status().Details; details != nil && len(details.Name) > 5 {
		message = strings.ReplaceAll(message, details.Name, details.Name[:len(details.Name)-5]) // the five random characters
	}
	return &refusal{reason: v1alpha1.ReasonJobRefused, message: shorten(message), final: isFinal(response.Status())}
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

// shorten keeps a message within what an event can hold. An invalid template's message contains the invalid value,
// however long that is.
func shorten(message string) string {
	const most = 900
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "…"
}
