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
	job := makeJob("build")
	job.GenerateName = "web-build-"
	quota := apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build-x7k2p", errors.New("exceeded quota"))
	invalid := apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "web-build-x7k2p", field.ErrorList{field.Required(field.NewPath("spec", "template"), "")})
	policy := apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "web-build-x7k2p", nil)
	policy.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "images come from our registry"}}
	webhook := apierrors.NewInvalid(batchv1.SchemeGroupVersion.WithKind("Job").GroupKind(), "", field.ErrorList{field.Required(field.NewPath("spec", "template"), "")})
	webhook.ErrStatus.Message = `admission webhook "jobs.example.com" denied the request`
	badRequest := apierrors.NewBadRequest(`admission webhook "jobs.example.com" denied the request: no team`)

	for name, test := range map[string]struct {
		err       error
		wantWords string
		wantFinal bool
		reason    string
	}{
		"a quota":        {quota, `jobs.batch "web-build-" is forbidden: exceeded quota`, false, "quotas are raised"},
		"invalid":        {invalid, `Job.batch "web-build-" is invalid: spec.template: Required value`, true, "steps never change"},
		"a policy":       {policy, `Job.batch "web-build-" is invalid`, false, "it names no field, and policies change"},
		"a webhook":      {webhook, `admission webhook "jobs.example.com" denied the request`, false, "webhooks change"},
		"a webhook, 400": {badRequest, `admission webhook "jobs.example.com" denied the request: no team`, false, "webhooks choose the code"},
		"a bad request":  {apierrors.NewBadRequest("no body"), "", false, "that says nothing about the Job"},
		"a server error": {apierrors.NewInternalError(errors.New("no leader")), "", false, "nothing was refused"},
	} {
		got := refusalOf(test.err, job)
		if got == nil {
			got = &refusal{}
		}
		if !strings.HasPrefix(got.message, test.wantWords) || got.final != test.wantFinal {
			t.Errorf("%s: got %+v, want %q, final: %t: %s", name, *got, test.wantWords, test.wantFinal, test.reason)
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
