package jobdriver_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
)

func TestJobsGoWithTheirOwner(t *testing.T) {
	w := newWorld(t)
	owner, other := w.createOwner("web"), w.createOwner("shop")
	job, others, nobodys := w.createJob("web-build", owner), w.createJob("shop-build", other), w.createJob("free", nil)
	w.no(w.CollectGarbage(w.ctx))

	w.do(w.client.Delete(w.ctx, owner))
	w.createOwner("web") // another one of the name
	w.yes(w.CollectGarbage(w.ctx))
	w.gone(job)
	w.there(others, nobodys)
	w.no(w.CollectGarbage(w.ctx))
}

func TestAJobBeingDeletedGoesOnceItsPodsAreGone(t *testing.T) {
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan} {
		t.Run(string(policy), func(t *testing.T) {
			w := newWorld(t)
			job := w.createJob("web-build", w.createOwner("web"))
			w.do(w.client.Delete(w.ctx, job, client.PropagationPolicy(policy)))
			w.there(job)
			w.yes(w.CollectGarbage(w.ctx))
			w.gone(job)
		})
	}
}

func TestFinalizersOfOthersStay(t *testing.T) {
	const others = "example.com/hold"
	w := newWorld(t)
	job := newJob("web-build")
	job.Finalizers = []string{others}
	w.createJobOf(job, w.createOwner("web"))
	w.do(w.client.Delete(w.ctx, job, client.PropagationPolicy(metav1.DeletePropagationForeground)))
	w.yes(w.CollectGarbage(w.ctx))
	if now := w.get(job); now == nil || !controllerutil.ContainsFinalizer(now, others) || len(now.Finalizers) != 1 {
		t.Fatalf("the Job that a finalizer holds is now %v", now)
	}
	w.no(w.CollectGarbage(w.ctx))

	w.do(w.Clear(w.ctx))
	w.gone(job)
}

func TestAnOwnerIsDeletedInTheForeground(t *testing.T) {
	w := newWorld(t)
	owner := w.createOwner("web")
	job := w.createJob("web-build", owner)
	w.do(w.client.Delete(w.ctx, owner, client.PropagationPolicy(metav1.DeletePropagationForeground)))

	// The Job is deleted, then lets go; then so does its owner.
	for range 2 {
		w.there(owner)
		w.yes(w.React(w.ctx))
	}
	w.gone(job)
	w.there(owner)
	w.yes(w.React(w.ctx))
	w.gone(owner)
}

func TestAnOwnerIsDeletedAndItsJobsAreNot(t *testing.T) {
	w := newWorld(t)
	owner := w.createOwner("web")
	job := w.createJob("web-build", owner)
	w.do(w.client.Delete(w.ctx, owner, client.PropagationPolicy(metav1.DeletePropagationOrphan)))
	w.yes(w.CollectGarbage(w.ctx)) // of the Job's reference
	w.yes(w.CollectGarbage(w.ctx)) // of the owner
	w.gone(owner)
	w.there(job)
	assert.Equal(t, "number of owners of the orphan", len(w.get(job).OwnerReferences), 0)
}

func TestGarbageOfOtherKinds(t *testing.T) {
	w := newWorld(t)
	configMaps, _ := kinds.OfResource("", "configmaps")
	w.Driver = jobdriver.New(admin, w.namespace, w.log, kinds.SequentialJob, configMaps)
	owner := w.createOwner("web")
	config, others := &corev1.ConfigMap{}, &corev1.ConfigMap{}
	config.Namespace, config.Name = w.namespace, "web"
	w.do(controllerutil.SetControllerReference(owner, config, admin.Scheme()))
	w.do(admin.Create(w.ctx, config))
	others.Namespace, others.Name = w.namespace, "others"
	w.do(admin.Create(w.ctx, others))
	w.no(w.CollectGarbage(w.ctx))
	w.do(w.client.Delete(w.ctx, owner))
	w.yes(w.CollectGarbage(w.ctx))
	w.gone(config)
	w.there(others)
	w.do(w.Clear(w.ctx))
	w.gone(others)
}
