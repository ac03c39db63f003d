package main

import (
	"context"
	"errors"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// refusing is an API server that refuses each write, and has one Secret or none.
type refusing struct {
	client.Client
	err    error
	secret *corev1.Secret
}

func (r refusing) Create(context.Context, client.Object, ...client.CreateOption) error { return r.err }

func (r refusing) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return r.err
}

func (r refusing) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	if r.secret == nil {
		return apierrors.NewNotFound(corev1.Resource("secrets"), key.Name)
	}
	r.secret.DeepCopyInto(object.(*corev1.Secret))
	return nil
}

func TestWhatFollowsARefusedSecret(t *testing.T) {
	changed, unlabelled := ownSecret(), ownSecret()
	changed.Data, unlabelled.Labels = nil, nil
	conflict := apierrors.NewConflict(corev1.Resource("secrets"), "web-workspace", errors.New("changed"))
	quota := apierrors.NewConflict(corev1.Resource("resourcequotas"), "limits", errors.New("changed"))
	exists := apierrors.NewAlreadyExists(corev1.Resource("secrets"), "web-workspace")
	webhook := &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusConflict, Reason: metav1.StatusReasonConflict,
		Message: `admission webhook "policy.example.com" denied the request: no`,
	}}
	for name, test := range map[string]struct {
		cached, live *corev1.Secret
		err          error
		wantError    bool // which is tried again with backoff
		wantStale    bool // an event is certain to arrive
		wantRefused  bool
		wantSecret   bool
	}{
		"a quota, and another write to it":      {err: quota, wantError: true},
		"a webhook, with the code of conflicts": {err: webhook, wantRefused: true},
		"it is there":                           {err: exists, live: ownSecret(), wantSecret: true},
		"it is there, and the quota is full":    {err: quota, live: ownSecret(), wantSecret: true},
		"it was there":                          {err: exists, wantError: true},
		"changed since":                         {cached: changed, err: conflict, wantStale: true, wantSecret: true},
		"changed since, and not watched":        {cached: unlabelled, err: conflict, wantError: true, wantSecret: true},
		"a webhook refuses to put it back":      {cached: changed, err: webhook, wantRefused: true, wantSecret: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := refusing{err: test.err, secret: test.live}
			r := &workspaceReconciler{Client: server, live: server, store: &store{url: storeURL}}
			seen, err := r.writeSecret(t.Context(), workspaceFacts{now: noon, object: makeWorkspace(ready), url: storeURL, secret: test.cached})
			if (err != nil && !isStale(err)) != test.wantError || isStale(err) != test.wantStale {
				t.Errorf("got %v, want an error: %t, a staleError: %t", err, test.wantError, test.wantStale)
			}
			if (seen.secretRefusal != "") != test.wantRefused || (seen.secret != nil) != test.wantSecret {
				t.Errorf("got the refusal %q and the Secret %v, want a refusal: %t, a Secret: %t", seen.secretRefusal, seen.secret, test.wantRefused, test.wantSecret)
			}
		})
	}
}
