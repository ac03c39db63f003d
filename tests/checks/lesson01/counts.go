package lesson01

import (
	"slices"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/sample"
)

// The ConfigMap that the controller keeps, and the key of the number in it.
const (
	jobCount = worlds.JobCount
	countKey = worlds.CountKey
)

// begin starts the controller with some Jobs in a namespace, and waits until it has counted them.
func begin(s *scene.Scene, namespace string, names ...string) {
	addJobs(s, namespace, names...)
	s.Start()
	says(s, namespace, len(names), "")
}

// addJobs creates Jobs, at the same time and in no particular order.
func addJobs(s *scene.Scene, namespace string, names ...string) {
	const atOnce = 8
	if len(names) > 3 {
		s.User("creates %d Jobs in %s", len(names), namespace)
	} else {
		for _, name := range names {
			s.User("creates Job %s in %s", name, namespace)
		}
	}
	var creating errgroup.Group
	creating.SetLimit(atOnce)
	for _, name := range names {
		creating.Go(func() error { return s.Client.Create(s.Context(), newJob(namespace, name)) })
	}
	s.Must(creating.Wait())
}

func newJob(namespace, name string) *batchv1.Job {
	step := sample.Step(name) // the proxy knows the Job by the name in its container
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: step.JobTemplate.Spec}
}

func removeJobs(s *scene.Scene, namespace string, names ...string) {
	for _, name := range names {
		s.User("deletes Job %s in %s", name, namespace)
		s.Must(s.Client.Delete(s.Context(), newJob(namespace, name), client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
}

// createConfigMap has a user create the ConfigMap of a namespace that has never had a Job.
func createConfigMap(s *scene.Scene, it *corev1.ConfigMap) {
	err := s.Client.Create(s.Context(), it)
	if apierrors.IsAlreadyExists(err) {
		s.Find("Namespace %s has never had a Job, but your controller created the ConfigMap %s there.", it.Namespace, it.Name)
	}
	s.Must(err)
}

// changeConfigMap has a user change the ConfigMap of a namespace, which is there.
func changeConfigMap(s *scene.Scene, namespace, what string, change func(*corev1.ConfigMap)) {
	current := s.ConfigMap(namespace)
	changed := current.DeepCopy()
	change(changed)
	s.User("%s ConfigMap %s in %s", what, jobCount, namespace)
	s.Must(s.Client.Patch(s.Context(), changed, client.MergeFrom(current)))
}

// deleteConfigMap has a user delete the ConfigMap of a namespace.
func deleteConfigMap(s *scene.Scene, namespace string) {
	s.User("deletes ConfigMap %s in %s", jobCount, namespace)
	s.Must(s.Client.Delete(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: jobCount}}))
}

// spoil has a user make the ConfigMap of a namespace immutable, with another number: the API server refuses each update.
func spoil(s *scene.Scene, namespace string) {
	s.User("makes ConfigMap %s in %s immutable", jobCount, namespace)
	createConfigMap(s, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: jobCount},
		Data:       map[string]string{countKey: "7"}, Immutable: new(true),
	})
}

// says waits until the ConfigMap of a namespace holds the number of its Jobs. When says what happened before, for a
// finding; it may be empty.
func says(s *scene.Scene, namespace string, jobs int, when string) {
	s.Until(func() string { return s.Miscounted(namespace, jobs, when) })
}

// about are the requests for the ConfigMap of a namespace, after the first ones: see asked.
func about(s *scene.Scene, namespace string, since int) []history.Request {
	return slices.DeleteFunc(s.Log.Run().Requests[since:], func(r history.Request) bool {
		return r.Call.Resource != "configmaps" || r.Object.Namespace != namespace || r.Object.Name != jobCount
	})
}

// writes are those of them that write.
func writes(s *scene.Scene, namespace string, since int) []history.Request {
	return slices.DeleteFunc(about(s, namespace, since), func(r history.Request) bool { return !r.Write() })
}

// asked is the number of requests so far.
func asked(s *scene.Scene) int { return len(s.Log.Run().Requests) }
