package workspace

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// noon is when the tests' reconciles take place, and when the bucket was created unless a test says otherwise.
var noon = time.Date(2025, time.March, 1, 12, 0, 0, 0, time.UTC)

// situation builds facts. At first a Workspace has just been created.
type situation struct{ facts }

func fresh() *situation {
	return &situation{facts{now: noon, store: true, object: &v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "files", UID: "1", ResourceVersion: "100", Generation: 1},
		Spec:       v1alpha1.WorkspaceSpec{Capacity: resource.MustParse("1Mi"), DeletionPolicy: v1alpha1.DeletionPolicyDelete},
	}}}
}

// guarded has the finalizer.
func guarded() *situation {
	s := fresh()
	s.object.Finalizers = []string{v1alpha1.FinalizerBucket}
	return s
}

// ready has its bucket and its Secret, and the status says so.
func ready() *situation {
	s := guarded().withSecret()
	s.object.Status = v1alpha1.WorkspaceStatus{
		ObservedGeneration: 1,
		Bucket:             &v1alpha1.BucketStatus{Name: "ws-1", Created: metav1.NewMicroTime(noon), Generation: 1},
		Binding:            &v1alpha1.BindingStatus{Name: "files-workspace"},
	}
	for _, condition := range []string{v1alpha1.ConditionBucketReady, v1alpha1.ConditionBindingReady, v1alpha1.ConditionReady} {
		s.condition(condition, metav1.ConditionTrue, v1alpha1.ReasonReady)
	}
	return s
}

func (s *situation) condition(conditionType string, status metav1.ConditionStatus, reason string) *situation {
	meta.SetStatusCondition(&s.object.Status.Conditions, metav1.Condition{
		Type: conditionType, Status: status, Reason: reason, Message: "recorded", ObservedGeneration: s.object.Generation, LastTransitionTime: metav1.NewTime(noon),
	})
	return s
}

func (s *situation) without(field string) *situation {
	switch field {
	case "store":
		s.store = false
	case "secret":
		s.secret = nil
	case "finalizer":
		s.object.Finalizers = nil
	}
	return s
}

func (s *situation) generation(generation int64) *situation {
	s.object.Generation = generation
	return s
}

func (s *situation) deleting() *situation {
	s.object.DeletionTimestamp = new(metav1.NewTime(noon))
	s.secret = nil // it is not read any more
	return s
}

func (s *situation) retain() *situation {
	s.object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
	return s
}

func (s *situation) suspected() *situation {
	s.suspect = true
	return s
}

func (s *situation) withSecret() *situation {
	s.secret = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "files-workspace"}}
	return s
}

func (s *situation) labelled() *situation {
	s.secret.Labels = map[string]string{v1alpha1.LabelWorkspace: "files"}
	return s
}

func (s *situation) changedSecret() *situation {
	s.secretDiffers = true
	return s
}

func (s *situation) otherSecret() *situation {
	s.secret, s.foreignSecret = nil, &corev1.Secret{}
	return s
}

// nothingThere has looked, and there is no bucket.
func (s *situation) nothingThere() *situation {
	s.looked = true
	return s
}

// there has looked, and found the bucket as it should be, apart from the changes.
func (s *situation) there(changes ...func(*foundBucket)) *situation {
	s.looked, s.bucket = true, &foundBucket{created: noon, mine: true, owner: "Workspace default/files"}
	for _, change := range changes {
		change(s.bucket)
	}
	return s
}

func differs(settings ...string) func(*foundBucket) {
	return func(bucket *foundBucket) { bucket.differs = slices.Clone(settings) }
}

func locked(bucket *foundBucket)   { bucket.locked = []string{"sealed"} }
func kept(bucket *foundBucket)     { bucket.retained = true }
func foreign(bucket *foundBucket)  { bucket.mine = false }
func blank(bucket *foundBucket)    { bucket.blank = true }
func emptied(bucket *foundBucket)  { bucket.emptied = true }
func overfull(bucket *foundBucket) { bucket.overfull = true }
func another(bucket *foundBucket)  { bucket.created = noon.Add(time.Microsecond) }

// failed could not go on with what the condition is about.
func (s *situation) failed(condition, reason string) *situation {
	if condition == v1alpha1.ConditionBucketReady {
		s.bucketProblem = &problem{reason, "no"}
	} else {
		s.secretProblem = &problem{reason, "no"}
	}
	return s
}

// secretRetryAfter waits until the Secret, which was refused, is tried again.
func (s *situation) secretRetryAfter(wait time.Duration) *situation {
	s.secretRetry = s.now.Add(wait)
	return s
}

func (s *situation) truceUntil(moment time.Time) *situation {
	s.truce = moment
	return s
}
