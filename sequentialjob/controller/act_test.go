package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestRefusedForGood(t *testing.T) {
	kind := schema.GroupKind{Group: "batch", Kind: "Job"}
	image := field.Required(field.NewPath("spec", "template", "spec", "containers").Index(0).Child("image"), "")
	invalid := apierrors.NewInvalid(kind, "web-build", field.ErrorList{image})
	unprocessable := func(message string, causes ...metav1.StatusCause) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid, Message: message,
			Details: &metav1.StatusDetails{Group: "batch", Kind: "jobs", Name: "web-build", Causes: causes},
		}}
	}
	policy := "jobs.batch \"web-build\" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: from our registry only"

	for name, test := range map[string]struct {
		err    error
		want   bool
		reason string
	}{
		"no error":                             {nil, false, "it was created"},
		"invalid field":                        {invalid, true, "steps are immutable, so it stays invalid"},
		"invalid field, wrapped":               {fmt.Errorf("creating: %w", invalid), true, "errors say what was being done, and are still what they were"},
		"validating admission policy":          {unprocessable(policy, metav1.StatusCause{Message: "from our registry only"}), false, "a policy may change, and a run must not fail for good of one"},
		"a policy along with an invalid field": {unprocessable(policy, metav1.StatusCause{Field: "spec", Message: "x"}, metav1.StatusCause{Message: "y"}), false, "as long as a part of it may change, so may the response"},
		"422 without causes":                   {unprocessable("no"), false, "what isn't known to be final is tried again"},
		"422 without details":                  {&apierrors.StatusError{ErrStatus: metav1.Status{Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid}}, false, "what isn't known to be final is tried again"},
		"admission webhook's invalid field":    {unprocessable(`admission webhook "jobs.example.com" denied the request: no queue`, metav1.StatusCause{Field: "metadata.labels", Message: "no queue"}), false, "it was not the Job API that found it invalid, and a webhook may change its mind"},
		"admission webhook, wrapped":           {fmt.Errorf("creating: %w", unprocessable(`admission webhook "jobs.example.com" denied the request: no queue`, metav1.StatusCause{Field: "metadata.labels", Message: "no queue"})), false, "errors say what was being done, and are still what they were"},
		"invalid field that names a webhook":   {unprocessable(`Job.batch "web-build" is invalid: metadata.annotations: Invalid value: "admission webhook ": no`, metav1.StatusCause{Field: "metadata.annotations", Message: "no"}), true, "what a user wrote must not decide about it"},
		"forbidden":                            {apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build", errors.New("exceeded quota")), false, "permissions and quotas change"},
		"bad request":                          {apierrors.NewBadRequest("no"), false, "a version skew may be mended"},
		"timeout":                              {apierrors.NewTimeoutError("slow", 1), false, "it may even have been created"},
		"server error":                         {apierrors.NewInternalError(errors.New("etcd")), false, "it will be back"},
		"no API error at all":                  {errors.New("connection refused"), false, "it will be back"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := refusedForGood(test.err); got != test.want {
				t.Errorf("refusedForGood(%v) = %t, want %t: %s", test.err, got, test.want, test.reason)
			}
		})
	}
}

// refusingClient refuses each new object.
type refusingClient struct {
	client.Client
	err error
}

func (c refusingClient) Create(context.Context, client.Object, ...client.CreateOption) error {
	return c.err
}

func TestWhyAJobWasNotCreated(t *testing.T) {
	denied := func(code int32) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: code, Message: `admission webhook "jobs.example.com" denied the request: no queue`,
		}}
	}
	forbidden := apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build", errors.New("exceeded quota"))
	for name, test := range map[string]struct {
		err    error
		want   string // the refusal's reason; empty for none
		reason string
	}{
		"quota":                       {forbidden, v1alpha1.ReasonJobRefused, "a user can raise it"},
		"a webhook without a code":    {denied(http.StatusBadRequest), v1alpha1.ReasonJobRefused, "the API server makes that 400"},
		"a webhook with its own":      {denied(http.StatusTeapot), v1alpha1.ReasonJobRefused, "it may choose any code"},
		"a request that is not one":   {apierrors.NewBadRequest("no"), "", "nobody has refused the Job"},
		"a webhook that is not there": {apierrors.NewInternalError(errors.New(`failed calling webhook "jobs.example.com": connection refused`)), v1alpha1.ReasonJobRefused, "that may last, and only the status can tell the user"},
		"an internal error":           {apierrors.NewInternalError(errors.New("etcd")), "", "the same request may succeed a moment later"},
	} {
		object := makeObject("web").steps("build").claimed("build").obj()
		seen, err := (&Reconciler{Client: refusingClient{err: test.err}, Live: &oneJob{}}).createJob(t.Context(), facts{now: noon, object: object})
		var got string
		if seen.refusal != nil {
			got = seen.refusal.reason
		}
		if got != test.want {
			t.Errorf("%s: reason %q, want %q: %s", name, got, test.want, test.reason)
		}
		if refused := test.want != ""; refused != seen.retryAt.After(noon) || refused == errors.Is(err, test.err) {
			t.Errorf("%s: retry at %s, error %v; want a retry of the controller's own for a refusal, and of the queue for other errors", name, seen.retryAt, err)
		}
	}
}

func TestANamespaceThatIsBeingDeleted(t *testing.T) {
	terminating := apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build", errors.New("unable to create new content"))
	terminating.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	r := &Reconciler{Client: refusingClient{err: terminating}}
	for doing, act := range map[string]func(context.Context, facts) (facts, error){"createJob": r.createJob, "createWorkspace": r.createWorkspace} {
		object := own().claimed("build").obj()
		seen, err := act(t.Context(), facts{now: noon, object: object})
		if seen.refusal != nil || seen.workspaceRefusal != "" || err != nil {
			t.Errorf("%s: refusal %v, %q, error %v; want nothing in the status: the object goes with its namespace", doing, seen.refusal, seen.workspaceRefusal, err)
		}
		if !seen.retryAt.After(noon) {
			t.Errorf("%s: no retry, but the API server may know a namespace of that name that is gone by now", doing)
		}
	}
}

func TestARefusedJobMayExist(t *testing.T) {
	object := makeObject("web").steps("build").claimed("build").obj()
	own, foreign := makeJob("build").obj(), makeJob("build").obj()
	foreign.OwnerReferences[0].UID = "another"
	quota := apierrors.NewForbidden(batchv1.Resource("jobs"), "web-build", errors.New("exceeded quota"))
	for name, test := range map[string]struct {
		live        *batchv1.Job
		wantAdopted bool
		wantRefused bool
		reason      string
	}{
		"none":            {nil, false, true, "the quota is what keeps the step from starting"},
		"its own":         {own, true, false, "an earlier request created it, and its response was lost"},
		"another owner's": {foreign, false, true, "nothing of this run exists"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Client: refusingClient{err: quota}, Live: &oneJob{job: test.live}}
			seen, err := r.createJob(t.Context(), facts{now: noon, object: object})
			if (seen.job != nil) != test.wantAdopted || (seen.refusal != nil) != test.wantRefused || seen.retryAt.After(noon) != test.wantRefused || err != nil {
				t.Errorf("job %v, refusal %v, error %v: %s", seen.job, seen.refusal, err, test.reason)
			}
		})
	}
}

func TestShorten(t *testing.T) {
	for name, test := range map[string]struct {
		message string
		want    string
		reason  string
	}{
		"empty":      {"", "", "nothing to shorten"},
		"short":      {"exceeded quota", "exceeded quota", "nothing is lost needlessly"},
		"just fits":  {strings.Repeat("x", 900), strings.Repeat("x", 900), "nothing is lost needlessly"},
		"too long":   {strings.Repeat("x", 901), strings.Repeat("x", 900) + "…", "what was cut off is marked"},
		"whole":      {strings.Repeat("x", 898) + "é" + "z", strings.Repeat("x", 898) + "é…", "a character that fits is kept"},
		"three":      {strings.Repeat("x", 899) + strings.Repeat("€", 10), strings.Repeat("x", 899) + "…", "of three bytes, one fits"},
		"four":       {strings.Repeat("x", 897) + strings.Repeat("😀", 10), strings.Repeat("x", 897) + "…", "of four bytes, three fit"},
		"many bytes": {strings.Repeat("x", 899) + strings.Repeat("é", 10), strings.Repeat("x", 899) + "…", "half a character comes back from the API server as another one, and the status would be written again and again"},
	} {
		t.Run(name, func(t *testing.T) {
			got := shorten(test.message)
			if !utf8.ValidString(got) {
				t.Errorf("shorten() has cut a character in two: it ends in %q; %s", got[len(got)-8:], test.reason)
			} else if got != test.want {
				t.Errorf("shorten() = %q, want %q: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestControllerOf(t *testing.T) {
	mine := makeJob("build").obj()
	if got, want := controllerOf(mine), "SequentialJob web (UID uid-of-web)"; got != want {
		t.Errorf("controllerOf() = %q, want %q: the UID identifies an earlier object of the same name", got, want)
	}
	notControlled := makeJob("build").obj()
	notControlled.OwnerReferences[0].Controller = nil
	if got, want := controllerOf(notControlled), "nobody"; got != want {
		t.Errorf("controllerOf() = %q, want %q: an owner that is no controller does not run it", got, want)
	}
}

func TestWayOut(t *testing.T) {
	const (
		byItself = "it belongs to an earlier SequentialJob of this name, and the garbage collector removes it"
		byHand   = "delete that Job, or delete this SequentialJob and create it under another name"
	)
	owned := func(edit func(*metav1.OwnerReference)) *batchv1.Job {
		job := makeJob("build").obj()
		job.OwnerReferences[0].UID = "another"
		edit(&job.OwnerReferences[0])
		return job
	}
	for name, test := range map[string]struct {
		job    *batchv1.Job
		want   string
		reason string
	}{
		"earlier object of the name": {owned(func(*metav1.OwnerReference) {}), byItself, "deleting it by hand is not needed"},
		"object of another name":     {owned(func(o *metav1.OwnerReference) { o.Name = "we" }), byHand, "two SequentialJobs can come to the same Job name, and the other one may live"},
		"another kind":               {owned(func(o *metav1.OwnerReference) { o.Kind = "CronJob" }), byHand, "that CronJob may be there indefinitely"},
		"owner, but no controller":   {owned(func(o *metav1.OwnerReference) { o.Controller = nil }), byHand, "that owner did not make it"},
		"nobody's":                   {&batchv1.Job{}, byHand, "nobody removes it"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wayOut("Job", test.job, makeObject("web").obj()); got != test.want {
				t.Errorf("wayOut() = %q, want %q: %s", got, test.want, test.reason)
			}
		})
	}
}

func TestSpecOf(t *testing.T) {
	object := makeObject("web").steps("build", "test").obj()
	if got := specOf(object, &v1alpha1.StepStatus{Name: "test"}); got != &object.Spec.Steps[1] {
		t.Errorf("specOf(test) = %v, want the second step", got)
	}
	if got := specOf(object, &v1alpha1.StepStatus{Name: "deploy"}); got != nil {
		t.Errorf("specOf(deploy) = %v, want nothing: there is no such step", got)
	}
}

func TestExactly(t *testing.T) {
	job := makeJob("build").version("201").obj()
	precondition := exactly(job)
	if *precondition.UID != job.UID || *precondition.ResourceVersion != "201" {
		t.Errorf("exactly() = UID %s, resourceVersion %s: a Job that has completed since, or another of its name, must not be deleted", *precondition.UID, *precondition.ResourceVersion)
	}
}
