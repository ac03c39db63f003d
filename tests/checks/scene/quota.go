package scene

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/tests/kit/sample"
)

// SetQuota sets how many Jobs the namespace may have, of which one counts as used. The API server notices it a moment
// later: see AwaitQuota.
func (s *Scene) SetQuota(jobs string) {
	s.User("sets the quota of Jobs in the namespace to %s", jobs)
	const counted = "count/jobs.batch"
	hard := corev1.ResourceList{counted: resource.MustParse(jobs)}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "jobs"}}
	_, err := controllerutil.CreateOrUpdate(s.Context(), s.Client, quota, func() error {
		quota.Spec.Hard = hard
		return nil
	})
	s.Must(err)
	quota.Status.Hard, quota.Status.Used = hard, corev1.ResourceList{counted: resource.MustParse("1")} // no controller does it here
	s.Must(s.Client.Status().Update(s.Context(), quota))
}

// AwaitQuota waits until the API server refuses Jobs.
func (s *Scene) AwaitQuota() {
	s.Needs("the API server to enforce the quota", func() bool {
		probe := &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "probe"}, Spec: sample.Step("probe").JobTemplate.Spec,
		}
		err := s.Client.Create(s.Context(), probe, client.DryRunAll)
		if err != nil && !apierrors.IsForbidden(err) {
			s.Must(err)
		}
		return err != nil
	})
}
