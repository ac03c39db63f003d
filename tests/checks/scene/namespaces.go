package scene

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/sample"
)

// furnishing is held while a namespace is furnished. The API server closes watches that can't follow, and many checks are
// played at the same time.
var furnishing sync.Mutex

// furnish creates what is in a namespace of the world.
func (s *Scene) furnish(namespace string, in worlds.Namespace) {
	const atOnce = 8
	furnishing.Lock()
	defer furnishing.Unlock()
	s.User("creates %s and %s in %s", Counted(len(in.Jobs), "Job", "Jobs"), Counted(len(in.ConfigMaps), "ConfigMap", "ConfigMaps"), namespace)
	var creating errgroup.Group
	creating.SetLimit(atOnce)
	for _, job := range in.Jobs {
		creating.Go(func() error { return s.furnishJob(namespace, job) })
	}
	s.Must(creating.Wait())
	for i := range in.ConfigMaps {
		there := in.ConfigMaps[i].DeepCopy()
		there.Namespace = namespace
		s.Must(s.Client.Create(s.Context(), there))
		s.around.configMaps = append(s.around.configMaps, there)
	}
	if in.Ends {
		s.EndNamespace(namespace)
	}
}

// EndNamespace has a user delete a namespace. From then on, the API server refuses to create anything in it. What is in it stays,
// because no namespace controller runs here.
func (s *Scene) EndNamespace(namespace string) {
	s.User("deletes the namespace %s", namespace)
	s.Must(s.Client.Delete(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}))
}

// furnishJob creates a Job of the world, and brings it into its state.
func (s *Scene) furnishJob(namespace string, of worlds.Job) error {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: of.Name},
		Spec:       sample.Step("other").JobTemplate.Spec,
	}
	if strings.HasSuffix(of.Name, "-") {
		job.Name, job.GenerateName = "", of.Name
	}
	if of.Deleted {
		job.Finalizers = []string{worlds.Archived}
	}
	if of.Change != nil {
		of.Change(job)
	}
	if err := s.Client.Create(s.Context(), job); err != nil {
		return err
	}
	if of.Ends != "" {
		if err := s.Driver.Start(s.Context(), job); err != nil {
			return err
		}
	}
	switch {
	case of.Ends == batchv1.JobComplete:
		return s.Driver.Complete(s.Context(), job)
	case of.Ends == batchv1.JobFailed:
		return s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, BackoffLimitExceeded)
	case of.Deleted:
		return s.Client.Delete(s.Context(), job, client.PropagationPolicy(metav1.DeletePropagationBackground))
	}
	return nil
}

// countedRight waits until the program has counted the Jobs in a namespace of the world, before and after a user adds
// one. Where nothing can be created there is nothing to wait for, until the namespace is gone and there is another one of its
// name.
func (s *Scene) countedRight(namespace string, in worlds.Namespace) {
	if in.Ends {
		s.recreate(namespace)
		return
	}
	jobs, when := len(in.Jobs), ""
	if in.Even != "" {
		when = "counting even " + in.Even
	}
	s.Until(func() string { return s.Miscounted(namespace, jobs, when) })
	s.User("creates a Job in %s", namespace)
	s.Must(s.furnishJob(namespace, worlds.Job{Name: "one-more"}))
	s.Until(func() string { return s.Miscounted(namespace, jobs+1, "after one was added") })
}

// recreate plays that a namespace that is being deleted is gone, and that a user creates another one of its name. That one has
// never had a Job. A controller whose cache still has the old one's Jobs may create a ConfigMap in it, which then has to be
// corrected.
func (s *Scene) recreate(namespace string) {
	s.User("deletes all that is left in namespace %s, which is gone then, and creates another one of its name", namespace)
	for _, kind := range []client.Object{&batchv1.Job{}, &corev1.ConfigMap{}} {
		s.Must(s.Client.DeleteAllOf(s.Context(), kind, client.InNamespace(namespace), client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
	there := &corev1.Namespace{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Name: namespace}, there))
	there.Spec.Finalizers = nil
	s.Must(s.Client.SubResource("finalize").Update(s.Context(), there))
	s.Must(s.Client.Create(s.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: there.Labels}}))
	s.Needs("the API server to accept objects in the new namespace", func() bool {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "probe"}}
		return s.Client.Create(s.Context(), probe, client.DryRunAll) == nil
	})
	const when = "after the namespace had been deleted and created again"
	s.Settle()
	s.Until(func() string {
		if s.ConfigMap(namespace) == nil {
			return ""
		}
		return s.Miscounted(namespace, 0, when)
	})
	s.User("creates a Job in %s", namespace)
	s.Must(s.furnishJob(namespace, worlds.Job{Name: "one-more"}))
	s.Until(func() string { return s.Miscounted(namespace, 1, when) })
}

// kept ends the check if the program has written another owner's ConfigMap of the world, or if its own one has lost
// something that others had written.
func (s *Scene) kept(before *corev1.ConfigMap) {
	now := &corev1.ConfigMap{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKeyFromObject(before), now))
	if before.Name != worlds.JobCount {
		if now.ResourceVersion != before.ResourceVersion {
			s.Find("Your controller has changed ConfigMap %s in namespace %s, which is another owner's.", now.Name, now.Namespace)
		}
		return
	}
	lost := slices.Concat(
		missing("label ", before.Labels, now.Labels),
		missing("annotation ", before.Annotations, now.Annotations),
		missing("key ", before.Data, now.Data),
		missing("binary key ", before.BinaryData, now.BinaryData),
	)
	if len(now.Finalizers) < len(before.Finalizers) {
		lost = append(lost, "finalizer")
	}
	if len(now.OwnerReferences) < len(before.OwnerReferences) {
		lost = append(lost, "owner reference")
	}
	if len(lost) > 0 {
		s.Find("ConfigMap %s in namespace %s existed before your controller started. When your controller wrote the number, it removed what "+
			"others had written: the %s. An update must keep that.", now.Name, now.Namespace, strings.Join(lost, ", the "))
	}
}

// missing are the keys that are no longer there, in order.
func missing[V any](what string, before, now map[string]V) (lost []string) {
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, is := now[key]; !is {
			lost = append(lost, what+key)
		}
	}
	return lost
}
