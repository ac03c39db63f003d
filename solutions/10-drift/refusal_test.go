package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestRefusalOf(t *testing.T) {
	quota := apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build", errors.New("exceeded quota"))
	invalid := apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "web-build", field.ErrorList{field.Required(field.NewPath("spec", "template"), "")})
	policy := apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "web-build", nil)
	policy.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "images come from our registry"}}
	webhook := apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "", field.ErrorList{field.Required(field.NewPath("spec", "template"), "")})
	webhook.ErrStatus.Message = `admission webhook "jobs.example.com" denied the request`
	badRequest := apierrors.NewBadRequest(`admission webhook "jobs.example.com" denied the request: no team`)

	for name, test := range map[string]struct {
		err        error
		wantReason string // "" if nothing was refused
		wantWords  string
		wantFinal  bool
		reason     string
	}{
		"a quota":           {quota, "JobRefused", `jobs.batch "web-build" is forbidden: exceeded quota`, false, "quotas are raised"},
		"invalid":           {invalid, "JobRefused", `Job.batch "web-build" is invalid: spec.template: Required value`, true, "steps never change"},
		"a policy":          {policy, "JobRefused", `Job.batch "web-build" is invalid`, false, "it names no field, and policies change"},
		"a webhook":         {webhook, "JobRefused", `admission webhook "jobs.example.com" denied the request`, false, "webhooks change"},
		"a webhook, 400":    {badRequest, "JobRefused", `admission webhook "jobs.example.com" denied the request: no team`, false, "webhooks choose the code"},
		"a bad request":     {apierrors.NewBadRequest("no body"), "", "", false, "that says nothing about the Job"},
		"a quota, wrapped":  {fmt.Errorf("creating: %w", quota), "JobRefused", `jobs.batch "web-build" is forbidden: exceeded quota`, false, "the message is the API server's own"},
		"a server error":    {apierrors.NewInternalError(errors.New("no leader")), "", "", false, "nothing was refused"},
		"the name is taken": {apierrors.NewAlreadyExists(batchv1.Resource("jobs"), "web-build"), "", "", false, "that says nothing about the Job"},
	} {
		got := refusalOf(test.err)
		if refused := test.wantReason != ""; refused != (got != nil) {
			t.Errorf("%s: got %+v, and it was refused: %t: %s", name, got, refused, test.reason)
			continue
		}
		if got == nil {
			continue
		}
		if got.reason != test.wantReason || !strings.HasPrefix(got.message, test.wantWords) || got.final != test.wantFinal {
			t.Errorf("%s: got %+v, want %s, %q, final: %t: %s", name, *got, test.wantReason, test.wantWords, test.wantFinal, test.reason)
		}
		if got.requeueAfter != 0 {
			t.Errorf("%s: requeued after %s, want 0s: the error is retried with backoff", name, got.requeueAfter)
		}
	}
}

func TestGone(t *testing.T) {
	missing := apierrors.NewNotFound(batchv1.Resource("jobs"), "web-build")
	webhook := apierrors.NewNotFound(batchv1.Resource("jobs"), "web-build")
	webhook.ErrStatus.Message = `admission webhook "jobs.example.com" denied the request: no such team`
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"no error":             {nil, false},
		"the object is gone":   {fmt.Errorf("stopping: %w", missing), true},
		"a webhook says so":    {webhook, false},
		"another error":        {apierrors.NewConflict(batchv1.Resource("jobs"), "web-build", nil), false},
		"not the API server's": {errors.New("not found"), false},
	} {
		if got := gone(test.err); got != test.want {
			t.Errorf("%s: gone: %t, want %t", name, got, test.want)
		}
	}
}

func TestShorten(t *testing.T) {
	if got := shorten(strings.Repeat("ü", 1000)); len(got) > 1000 || !strings.HasSuffix(got, "…") {
		t.Errorf("shortened to %d bytes: %q", len(got), got)
	}
}
