package workspace

import (
	"context"
	"errors"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// stored is what the API server responds: one Workspace, whatever it is asked for.
type stored struct {
	client.Reader
	object *v1alpha1.Workspace
}

func (s stored) Get(_ context.Context, _ client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	s.object.DeepCopyInto(into.(*v1alpha1.Workspace))
	return nil
}

// A user's last word may not have reached the cache yet, even if the cache has shown all that this process has written.
func TestConfirmReadsBeforeWhatCannotBeTakenBack(t *testing.T) {
	for _, test := range []struct {
		next      action
		known     bool // this process has written to the Workspace
		changed   bool // since the cache showed it
		wantStale bool
	}{
		{next: updateBucket, known: false, changed: true, wantStale: true},
		{next: updateBucket, known: true, changed: true, wantStale: false},
		{next: createBucket, known: true, changed: true, wantStale: true},
		{next: deleteBucket, known: true, changed: true, wantStale: true},
		{next: deleteBucket, known: true, changed: false, wantStale: false},
	} {
		cached := guarded().object
		live := cached.DeepCopy()
		if test.changed {
			live.ResourceVersion, live.Generation, live.Spec.DeletionPolicy = "101", 2, v1alpha1.DeletionPolicyRetain
		}
		r := &Reconciler{Live: stored{object: live}}
		if test.known {
			r.versions.expect(cached)
		}
		if err := r.confirm(t.Context(), test.next, cached); isStale(err) != test.wantStale || err != nil && !isStale(err) {
			t.Errorf("%s, known %t, changed %t: confirm returns %v, want stale: %t", test.next, test.known, test.changed, err, test.wantStale)
		}
	}
}

// refusing is an API server that refuses each write, and has no Secret.
type refusing struct {
	client.Client
	err error
}

func (r refusing) Create(context.Context, client.Object, ...client.CreateOption) error { return r.err }

func (r refusing) Patch(context.Context, client.Object, client.Patch, ...client.PatchOption) error {
	return r.err
}

func (r refusing) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(corev1.Resource("secrets"), key.Name)
}

func TestASecretThatCannotBeWritten(t *testing.T) {
	secrets := corev1.Resource("secrets")
	quota := apierrors.NewForbidden(secrets, "files-workspace", errors.New("exceeded quota"))
	webhook := apierrors.NewInternalError(errors.New(`failed calling webhook "policy.example.com": connection refused`))
	denied := &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusConflict, Reason: metav1.StatusReasonConflict,
		Message: `admission webhook "policy.example.com" denied the request: no`,
	}}
	conflict, internal := apierrors.NewConflict(secrets, "files-workspace", errors.New("changed")), apierrors.NewInternalError(errors.New("etcd"))
	for name, test := range map[string]struct {
		seen        *situation
		err         error
		wantRefused bool
		wantStale   bool
		wantErr     bool
		reason      string
	}{
		"new, refused":                    {ready().without("secret"), quota, true, false, false, "a refusal has its own pace, and the status says why"},
		"new, its webhook doesn't answer": {ready().without("secret"), webhook, true, false, false, "that may last, and a user has to know"},
		"new, any other error":            {ready().without("secret"), internal, false, false, true, "the queue tries it again"},
		"changed, refused":                {ready().changedSecret().labelled(), quota, true, false, false, "a refusal has its own pace, and the status says why"},
		"changed, a webhook's conflict":   {ready().changedSecret().labelled(), denied, true, false, false, "no event is on its way"},
		"changed meanwhile":               {ready().changedSecret().labelled(), conflict, false, true, false, "its event is on its way"},
		"changed meanwhile, not watched":  {ready().changedSecret(), conflict, false, false, true, "without the label, no event tells of it"},
	} {
		t.Run(name, func(t *testing.T) {
			api := refusing{err: test.err}
			r := &Reconciler{Client: api, Live: api, Store: nowhere{}}
			act := r.createSecret
			if test.seen.secret != nil {
				act = r.updateSecret
			}
			seen, err := act(t.Context(), test.seen.facts)
			if refused := seen.secretProblem != nil && seen.secretRetry.After(seen.now); refused != test.wantRefused {
				t.Errorf("problem %v, next attempt %s, want a refusal: %t, because %s", seen.secretProblem, seen.secretRetry, test.wantRefused, test.reason)
			}
			if isStale(err) != test.wantStale || (err != nil && !isStale(err)) != test.wantErr {
				t.Errorf("error %v, want stale: %t, another: %t, because %s", err, test.wantStale, test.wantErr, test.reason)
			}
		})
	}
}

// nowhere is a store of which only the address matters.
type nowhere struct{ Store }

func (nowhere) URL() string { return "nats://nowhere" }

// undoing is an API server with a webhook that undoes each change of a Secret.
type undoing struct {
	client.Client
	writes int
}

func (u *undoing) Patch(_ context.Context, object client.Object, _ client.Patch, _ ...client.PatchOption) error {
	u.writes++
	object.(*corev1.Secret).Data = nil
	return nil
}

func TestAChangeThatIsUndoneIsNotRepeatedAtOnce(t *testing.T) {
	api, seen := &undoing{}, ready().changedSecret().labelled().facts
	seen.secret.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(seen.object, v1alpha1.GroupVersion.WithKind(v1alpha1.KindWorkspace))}
	r := &Reconciler{Client: api, Store: nowhere{}}
	if _, err := r.proceed(t.Context(), seen); err == nil {
		t.Error("proceed() returns no error, so nothing tries it again later")
	}
	if api.writes != 1 {
		t.Errorf("%d writes, want 1: the webhook would undo each of them", api.writes)
	}
}

// issuing makes credentials that say of which key they are.
type issuing string

func (i issuing) Issue(bucket string) ([]byte, error) { return []byte(string(i) + " " + bucket), nil }

func (i issuing) Issued(credentials []byte, bucket string) bool {
	return string(credentials) == string(i)+" "+bucket
}

func TestCredentials(t *testing.T) {
	for name, test := range map[string]struct {
		recorded string
		want     string
		reason   string
	}{
		"none":             {"", "new ws-1", "a program needs some"},
		"as issued":        {"new ws-1", "new ws-1", "programs have them"},
		"of an older key":  {"old ws-1", "new ws-1", "the store refuses them once that key is gone"},
		"overwritten":      {"mine", "new ws-1", "the store refuses them"},
		"of other buckets": {"new ws-2", "new ws-1", "they are for another bucket"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Reconciler{Store: nowhere{}, Issuer: issuing("new")}
			object := ready().object
			secret, err := r.newSecret(object)
			if err != nil {
				t.Fatal(err)
			}
			secret.Data[v1alpha1.BindingCredentials] = []byte(test.recorded)
			if got, want := r.secretDiffers(secret, object), test.recorded != test.want; got != want {
				t.Errorf("secretDiffers() = %t, want %t: %s", got, want, test.reason)
			}
			if err := r.fillSecret(secret, object); err != nil {
				t.Fatal(err)
			}
			if got := string(secret.Data[v1alpha1.BindingCredentials]); got != test.want {
				t.Errorf("the credentials are %q, want %q: %s", got, test.want, test.reason)
			}
		})
	}
}
