package scene

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/script"
)

// surprise says why a check can't go on although the judge can: something that it relies on is not there, or not as it was. Mostly the
// controller has deleted or changed it, and other checks say more. Empty if the error is about the judge itself.
func surprise(err error) string {
	stuck, is := errors.AsType[*script.Stuck](err)
	if !is || !unexpected(stuck.Err) {
		return ""
	}
	why, _, _ := strings.Cut(stuck.Error(), "\n") // without the stack
	return fmt.Sprintf("it could not go on (%s). Has your controller deleted or changed what the check relies on? If not, this is a mistake in the course", why)
}

func unexpected(err error) bool {
	reasons := []metav1.StatusReason{metav1.StatusReasonNotFound, metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonInvalid}
	gone := []error{jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound}
	return errors.Is(err, script.ErrPanic) || slices.Contains(reasons, apierrors.ReasonForError(err)) ||
		slices.ContainsFunc(gone, func(one error) bool { return errors.Is(err, one) })
}
