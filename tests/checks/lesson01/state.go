package lesson01

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/proxy"
)

// converge has Jobs come and go in two namespaces, and none ever in a third.
func converge(s *scene.Scene) {
	here, there, empty := s.Namespace, s.Beside[0], s.Beside[1]
	addJobs(s, there, "a", "b", "c")
	begin(s, here, "a")
	says(s, there, 3, "")

	s.Must(s.Client.Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: empty, Name: "settings"}}))
	addJobs(s, here, "b")
	removeJobs(s, there, "a")
	says(s, here, 2, "after one was added")
	says(s, there, 2, "after one was deleted")

	removeJobs(s, here, "a", "b")
	says(s, here, 0, "after the last ones were deleted")
	s.User("creates ConfigMap %s in %s, by mistake", jobCount, empty)
	createConfigMap(s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: empty, Name: jobCount}})
	s.Settle()
	deleteConfigMap(s, empty)
	s.Settle()
	if s.ConfigMap(empty) != nil {
		s.Find("Namespace %s has never had a Job, but your controller created the ConfigMap %s there, after a user had deleted it.", empty, jobCount)
	}
	says(s, there, 2, "although nothing had changed there")
}

// putRight has a user interfere with the ConfigMap.
func putRight(s *scene.Scene) {
	here := s.Namespace
	anotherNumber := func(it *corev1.ConfigMap) { it.Data[countKey] = "7" }
	s.Start()
	cameFirst(s, here)
	addJobs(s, here, "b")
	says(s, here, 2, "after one was added")
	s.OnWrites("configmaps", jobCount, proxy.AnswerConflict, 1)
	deleteConfigMap(s, here)
	says(s, here, 2, "after a user had deleted it, and the API server had responded with 409 once, because others changed a quota at the same time")
	s.Disarm()
	changeConfigMap(s, here, "writes another number into", anotherNumber)
	says(s, here, 2, "after a user had changed it")
	changeConfigMap(s, here, "removes all data from", func(it *corev1.ConfigMap) { it.Data = nil })
	says(s, here, 2, "after a user had removed its data")
	changeConfigMap(s, here, "writes 0 into", func(it *corev1.ConfigMap) { it.Data[countKey] = "0" })
	says(s, here, 2, "after a user had changed it to 0")
	changeConfigMap(s, here, "removes all labels from", func(it *corev1.ConfigMap) { it.Labels = nil })
	addJobs(s, here, "c")
	says(s, here, 3, "after a user had removed all labels of the ConfigMap, and one was added")

	removeJobs(s, here, "a", "b", "c")
	says(s, here, 0, "after the last ones were deleted")
	changeConfigMap(s, here, "writes another number into", anotherNumber)
	says(s, here, 0, "after a user had changed it")
	changeConfigMap(s, here, "removes all data from", func(it *corev1.ConfigMap) { it.Data = nil })
	says(s, here, 0, "after a user had removed its data")
}

// cameFirst has somebody else create the ConfigMap, with other things in it. The controller's watch has not delivered it when
// the first Job comes.
func cameFirst(s *scene.Scene, namespace string) {
	s.HoldNext("ADDED", "configmaps", jobCount)
	s.User("creates ConfigMap %s in %s, with labels, annotations and a key", jobCount, namespace)
	there := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: jobCount}}
	others(there)
	createConfigMap(s, there)
	before := asked(s)
	addJobs(s, namespace, "a")
	s.Until(func() string {
		if len(writes(s, namespace, before)) == 0 && s.Miscounted(namespace, 1, "") != "" && !s.IsQuiet(time.Second) {
			return "your controller has not tried to write the number of Jobs in namespace " + namespace
		}
		return ""
	})
	s.Proxy.Disarm() // the controller may have watches on which that event does not come
	s.Proxy.Heal()
	says(s, namespace, 1, "after somebody else had created the ConfigMap")
	keptOthers(s, namespace)
}

// afterRestart changes the cluster while the controller is not running.
func afterRestart(s *scene.Scene) {
	grown, left, deleted := s.Namespace, s.Beside[0], s.Beside[1]
	addJobs(s, left, "a", "b")
	addJobs(s, deleted, "a")
	begin(s, grown, "a")
	says(s, left, 2, "")
	says(s, deleted, 1, "")

	s.Stop()
	addJobs(s, grown, "b", "c")
	removeJobs(s, left, "a", "b")
	deleteConfigMap(s, deleted)
	s.Start()
	says(s, grown, 3, "after two were added while your controller was not running")
	says(s, deleted, 1, "after the ConfigMap was deleted while your controller was not running")
	says(s, left, 0, "after all were deleted while your controller was not running")
}

// missedDeletion has one of the controller's watches break, and not resume, when a Job is deleted, and when its ConfigMap is.
func missedDeletion(s *scene.Scene) {
	here := s.Namespace
	begin(s, here, "a")
	s.Fault("hold, cut, 410: DELETED jobs ?/a #1")
	removeJobs(s, here, "a")
	s.Struck("your controller does not watch Jobs: no watch receives the event that Job a was deleted")
	s.Proxy.Heal()
	says(s, here, 0, "after its last one was deleted while a watch was broken; your controller has listed the Jobs again since")

	addJobs(s, here, "b")
	says(s, here, 1, "after one was added")
	s.Fault("hold, cut, 410: DELETED jobs ?/b #1")
	removeJobs(s, here, "b")
	addJobs(s, here, "b")
	s.Struck("your controller does not watch Jobs: no watch receives the event that Job b was deleted")
	s.Proxy.Heal()
	addJobs(s, here, "c")
	says(s, here, 2, "after Job b was replaced by another one of its name while a watch was broken, and c was added")
	removeJobs(s, here, "c")
	says(s, here, 1, "after c was deleted")
	s.Fault("hold, cut, 410: DELETED configmaps job-count #1")
	deleteConfigMap(s, here)
	s.Struck("your controller does not watch its ConfigMap: no watch receives the event that it was deleted")
	s.Proxy.Heal()
	says(s, here, 1, "after it was deleted while a watch was broken; your controller has listed the ConfigMaps again since")
}
