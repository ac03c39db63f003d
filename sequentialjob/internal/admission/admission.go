// Package admission recognizes what the API server says about admission webhooks.
package admission

import (
	"errors"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Denied says whether a webhook refused the request. It may choose any code, and that is 400 if it chooses none. The API server puts a
// prefix before what the webhook says.
// Source: k8s.io/apiserver/pkg/admission/plugin/webhook/errors.
func Denied(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status) && strings.HasPrefix(status.Status().Message, "admission webhook ")
}

// Gone says whether the object of a request does not exist. A webhook may refuse a request with the same code, and then the object is there.
func Gone(err error) bool { return apierrors.IsNotFound(err) && !Denied(err) }

// Unanswered says whether the API server refused the request because it can't call a webhook that it must ask. That may last.
// Source: k8s.io/apiserver/pkg/admission/plugin/webhook/validating and mutating.
func Unanswered(err error) bool {
	return apierrors.IsInternalError(err) && strings.Contains(err.Error(), "failed calling webhook ")
}
