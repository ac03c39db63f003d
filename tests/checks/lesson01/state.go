package lesson01

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// converge has Jobs come and go in two namespaces, and none ever in a third.
func (c *play) converge() {
	here, there, empty := c.Namespace, c.Beside[0], c.Beside[1]
	c.addJobs(here, "a")
	c.addJobs(there, "a", "b", "c")
	c.Start()
	c.says(here, 1, "")
	c.says(there, 3, "")

	c.Must(c.Client.Create(c.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: empty, Name: "settings"}}))
	c.addJobs(here, "b")
	c.removeJobs(there, "a")
	c.says(here, 2, "after one was added")
	c.says(there, 2, "after one was deleted")

	c.removeJobs(here, "a", "b")
	c.says(here, 0, "after the last ones were deleted")
	c.Settle()
	if c.configMap(empty) != nil {
		c.Find("Namespace %s has never had a Job, and your controller has made the ConfigMap %s there.", empty, jobCount)
	}
	c.says(there, 2, "after nothing had happened there")
}

// putRight has somebody meddle with the ConfigMap.
func (c *play) putRight() {
	here := c.Namespace
	c.addJobs(here, "a", "b")
	c.Start()
	c.says(here, 2, "")
	c.deleteConfigMap(here)
	c.says(here, 2, "after somebody had deleted it")
	c.changeConfigMap(here, "writes another number into", func(it *corev1.ConfigMap) { it.Data[countKey] = "7" })
	c.says(here, 2, "after somebody had changed it")
	c.changeConfigMap(here, "removes all data from", func(it *corev1.ConfigMap) { it.Data = nil })
	c.says(here, 2, "after somebody had removed its data")

	c.removeJobs(here, "a", "b")
	c.says(here, 0, "after the last ones were deleted")
	c.changeConfigMap(here, "writes another number into", func(it *corev1.ConfigMap) { it.Data[countKey] = "7" })
	c.says(here, 0, "after somebody had changed it")
}

// afterRestart changes the world while the controller is not there.
func (c *play) afterRestart() {
	grown, left, deleted := c.Namespace, c.Beside[0], c.Beside[1]
	c.addJobs(grown, "a")
	c.addJobs(left, "a", "b")
	c.addJobs(deleted, "a")
	c.Start()
	c.says(grown, 1, "")
	c.says(left, 2, "")
	c.says(deleted, 1, "")

	c.Stop()
	c.addJobs(grown, "b", "c")
	c.removeJobs(left, "a", "b")
	c.deleteConfigMap(deleted)
	c.Start()
	c.says(grown, 3, "after two were added while your controller was not running")
	c.says(deleted, 1, "after the ConfigMap was deleted while your controller was not running")
	c.says(left, 0, "after all were deleted while your controller was not running")
}

// missedDeletion has the controller's watch break off for good when a Job is deleted.
func (c *play) missedDeletion() {
	here := c.Namespace
	c.addJobs(here, "a")
	c.Start()
	c.says(here, 1, "")
	c.Fault("hold, cut, 410: DELETED jobs ?/a #1")
	c.removeJobs(here, "a")
	c.Struck("Job a had been deleted, and no watch of your controller's was to be told")
	c.Proxy.Heal()
	c.says(here, 0, "after its last one was deleted while a watch was broken off; your controller has listed the Jobs anew since")
}
