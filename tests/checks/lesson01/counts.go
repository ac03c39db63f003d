package lesson01

import (
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/sample"
)

// The ConfigMap that the controller keeps, and where the number is in it.
const (
	jobCount = "job-count"
	countKey = "jobs"
)

// addJobs creates Jobs, at once and in no particular order.
func (c *play) addJobs(namespace string, names ...string) {
	const atOnce = 8
	if len(names) > 3 {
		c.User("creates %d Jobs in %s", len(names), namespace)
	} else {
		for _, name := range names {
			c.User("creates Job %s in %s", name, namespace)
		}
	}
	var creating errgroup.Group
	creating.SetLimit(atOnce)
	for _, name := range names {
		creating.Go(func() error { return c.Client.Create(c.Context(), newJob(namespace, name)) })
	}
	c.Must(creating.Wait())
}

func newJob(namespace, name string) *batchv1.Job {
	step := sample.Step(name) // in its container is the name by which the proxy knows the Job
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: step.JobTemplate.Spec}
}

// removeJobs deletes Jobs.
func (c *play) removeJobs(namespace string, names ...string) {
	for _, name := range names {
		c.User("deletes Job %s in %s", name, namespace)
		c.Must(c.Client.Delete(c.Context(), newJob(namespace, name), client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
}

// configMap is the ConfigMap of a namespace; nil where there is none.
func (c *play) configMap(namespace string) *corev1.ConfigMap {
	there := &corev1.ConfigMap{}
	err := c.Client.Get(c.Context(), client.ObjectKey{Namespace: namespace, Name: jobCount}, there)
	if apierrors.IsNotFound(err) {
		return nil
	}
	c.Must(err)
	return there
}

// changeConfigMap has somebody change the ConfigMap of a namespace.
func (c *play) changeConfigMap(namespace, what string, change func(*corev1.ConfigMap)) {
	current := c.configMap(namespace)
	changed := current.DeepCopy()
	change(changed)
	c.User("%s ConfigMap %s in %s", what, jobCount, namespace)
	c.Must(c.Client.Patch(c.Context(), changed, client.MergeFrom(current)))
}

// deleteConfigMap has somebody delete the ConfigMap of a namespace.
func (c *play) deleteConfigMap(namespace string) {
	c.User("deletes ConfigMap %s in %s", jobCount, namespace)
	c.Must(c.Client.Delete(c.Context(), c.configMap(namespace)))
}

// says waits until the ConfigMap of a namespace says how many Jobs there are. When tells what happened
// before, for a finding; it may be empty.
func (c *play) says(namespace string, jobs int, when string) {
	c.Until(func() string { return c.wrong(namespace, jobs, when) })
}

// wrong says what is wrong with the ConfigMap of a namespace; it is empty when nothing is.
func (c *play) wrong(namespace string, jobs int, when string) string {
	if when != "" {
		when = ", " + when
	}
	there := c.configMap(namespace)
	if there == nil {
		return fmt.Sprintf("namespace %s has %s and no ConfigMap %s%s", namespace, jobsIn(jobs), jobCount, when)
	}
	if number, found := there.Data[countKey]; !found || number != strconv.Itoa(jobs) {
		return fmt.Sprintf("namespace %s has %s, and its ConfigMap %s has %s%s", namespace, jobsIn(jobs), jobCount, dataOf(there), when)
	}
	return ""
}

func jobsIn(n int) string {
	switch n {
	case 0:
		return "no Job any more"
	case 1:
		return "1 Job"
	default:
		return fmt.Sprintf("%d Jobs", n)
	}
}

func dataOf(configMap *corev1.ConfigMap) string {
	number, found := configMap.Data[countKey]
	if !found {
		return fmt.Sprintf("nothing under the key %q", countKey)
	}
	return fmt.Sprintf("%s: %q", countKey, number)
}

// about are the requests about the ConfigMap of a namespace, since a moment of the history.
func (c *play) about(namespace string, since int) []history.Request {
	return slices.DeleteFunc(c.Log.Run().Requests[since:], func(r history.Request) bool {
		return r.Call.Resource != "configmaps" || r.Object.Namespace != namespace || r.Object.Name != jobCount
	})
}

// writes are those that change something if they succeed.
func (c *play) writes(namespace string, since int) []history.Request {
	return slices.DeleteFunc(c.about(namespace, since), func(r history.Request) bool { return !r.Write() })
}

// asked is how many requests there have been; about and writes tell of what comes after that.
func (c *play) asked() int { return len(c.Log.Run().Requests) }
