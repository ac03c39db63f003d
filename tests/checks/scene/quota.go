package scene

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/sample"
)

// Jobs is what a quota of Jobs counts.
const Jobs corev1.ResourceName = "count/jobs.batch"

// SetQuota sets how many objects of a kind a namespace may have: Jobs, or "count/configmaps". One counts as used. The API server
// enforces it a moment later: see AwaitQuota.
func (s *Scene) SetQuota(namespace string, counted corev1.ResourceName, most int64) {
	s.User("sets the quota %s in the namespace to %d", counted, most)
	list := func(n int64) corev1.ResourceList {
		return corev1.ResourceList{counted: *resource.NewQuantity(n, resource.DecimalSI)}
	}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "quota"}}
	s.Must(retry.RetryOnConflict(retry.DefaultBackoff, func() error { // the API server writes to it when it admits an object
		_, err := controllerutil.CreateOrUpdate(s.Context(), s.Client, quota, func() error {
			quota.Spec.Hard = list(most)
			return nil
		})
		if err != nil {
			return err
		}
		quota.Status.Hard, quota.Status.Used = list(most), list(1) // no controller does it here
		return s.Client.Status().Update(s.Context(), quota)
	}))
}

// AwaitQuota waits until the API server refuses an object because of a quota.
func (s *Scene) AwaitQuota(object client.Object) {
	s.Needs("the API server to enforce the quota", func() bool { return s.refuses(object, apierrors.IsForbidden) })
}

// refuses says whether the API server refuses to create an object, with a response like that.
func (s *Scene) refuses(object client.Object, like func(error) bool) bool {
	err := s.Client.Create(s.Context(), object.DeepCopyObject().(client.Object), client.DryRunAll)
	if err != nil && !like(err) {
		s.Must(err)
	}
	return err != nil
}

// probe is a Job that the API server accepts, unless a quota or a policy refuses Jobs.
func (s *Scene) probe() *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "probe"}, Spec: sample.Step("probe").JobTemplate.Spec}
}

// LimitJobs has a quota allow no more Jobs, and waits until it does.
func (s *Scene) LimitJobs() {
	s.SetQuota(s.Namespace, Jobs, 1)
	s.AwaitQuota(s.probe())
}

// Refused creates a SequentialJob of one step, whose Job a quota refuses, and waits until the status says so.
func (s *Scene) Refused(name string) {
	s.LimitJobs()
	s.Create(name, sample.Steps(sample.Fetch))
	s.AwaitStatusMeanwhile(name, func(status *v1alpha1.SequentialJobStatus) string {
		if !SpeaksOf(status, "quota") {
			return fmt.Sprintf("the status of %s does not say that a quota keeps step %s from starting", name, sample.Fetch)
		}
		return ""
	})
}

// AllowJobs has the quota allow Jobs again.
func (s *Scene) AllowJobs() { s.SetQuota(s.Namespace, Jobs, 1000) }
