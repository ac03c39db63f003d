package admission_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/internal/admission"
)

func TestWhatWebhooksDo(t *testing.T) {
	denied := func(code int32) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: code, Message: `admission webhook "policy.example.com" denied the request: no`,
		}}
	}
	unanswered := apierrors.NewInternalError(errors.New(`failed calling webhook "policy.example.com": connection refused`))
	for name, test := range map[string]struct {
		err                      error
		denied, unanswered, gone bool
	}{
		"no error":                  {nil, false, false, false},
		"denied without a code":     {denied(http.StatusBadRequest), true, false, false},
		"denied with a code":        {denied(http.StatusTeapot), true, false, false},
		"denied, wrapped":           {fmt.Errorf("creating: %w", denied(http.StatusForbidden)), true, false, false},
		"denied as missing":         {denied(http.StatusNotFound), true, false, false},
		"missing":                   {fmt.Errorf("deleting: %w", apierrors.NewNotFound(corev1.Resource("secrets"), "web")), false, false, true},
		"can't be called":           {unanswered, false, true, false},
		"can't be called, wrapped":  {fmt.Errorf("creating: %w", unanswered), false, true, false},
		"a quota":                   {apierrors.NewForbidden(corev1.Resource("secrets"), "web", errors.New("exceeded quota")), false, false, false},
		"another internal error":    {apierrors.NewInternalError(errors.New("etcd")), false, false, false},
		"not from the API server":   {errors.New("failed calling webhook "), false, false, false},
		"a request that is invalid": {apierrors.NewBadRequest("no"), false, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := admission.Denied(test.err); got != test.denied {
				t.Errorf("Denied() = %t, want %t", got, test.denied)
			}
			if got := admission.Unanswered(test.err); got != test.unanswered {
				t.Errorf("Unanswered() = %t, want %t", got, test.unanswered)
			}
			if got := admission.Gone(test.err); got != test.gone {
				t.Errorf("Gone() = %t, want %t", got, test.gone)
			}
		})
	}
}
