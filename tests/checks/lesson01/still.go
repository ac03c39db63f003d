package lesson01

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/stage"
)

// leaveAlone lets things happen that don't change how many Jobs there are, and restarts the controller
// with one watch that is slow, and with the other.
func (c *play) leaveAlone() {
	here := c.Namespace
	c.addJobs(here, "a", "b")
	c.Start()
	c.says(here, 2, "")
	c.Settle()

	before := c.asked()
	c.completeJob(here, "b")
	c.label(here, "data")
	c.Settle()
	c.unwritten(here, before, "when a Job had completed and the ConfigMap had got a label")

	c.Stop()
	c.startWithout("hold: ADDED jobs ?/a #1")
	c.unwritten(here, before, "when it had been started anew and did not know the Jobs yet, as its watch had not brought them")
	c.catchUp()
	c.unwritten(here, before, "when it had been started anew and nothing had changed")

	c.Stop()
	c.label(here, "web") // a state of which no watch has told yet: the next one tells of it as added
	c.startWithout("hold: ADDED configmaps job-count #2")
	c.unwritten(here, before, "when it had been started anew and did not know the ConfigMap yet, as its watch had not brought it")
	c.catchUp()

	c.addJobs(here, "c") // what it does for this comes after what it should not have done
	c.says(here, 3, "after one was added")
	c.writtenOnce(here, before)
}

// startWithout starts the controller with a watch that keeps back what it begins with, and waits until it
// asks for nothing more.
func (c *play) startWithout(fault string) {
	c.Fault(fault)
	c.Must(c.StartProcess())
	c.awaitSilence()
}

// catchUp lets the controller know what was kept back.
func (c *play) catchUp() {
	c.Proxy.Disarm()
	c.Proxy.Heal()
	c.Settle()
}

// label has somebody label the ConfigMap of a namespace, of which the number says nothing.
func (c *play) label(namespace, team string) {
	c.changeConfigMap(namespace, "labels", func(it *corev1.ConfigMap) { it.Labels = map[string]string{"team": team} })
}

// completeJob completes a Job, of which the number says nothing.
func (c *play) completeJob(namespace, name string) {
	job := &batchv1.Job{}
	c.Must(c.Client.Get(c.Context(), client.ObjectKey{Namespace: namespace, Name: name}, job))
	c.Must(c.Driver.Start(c.Context(), job))
	c.Must(c.Driver.Complete(c.Context(), job))
}

// unwritten ends the check if the controller has written about a namespace in the meantime.
func (c *play) unwritten(namespace string, since int, when string) {
	requests := c.writes(namespace, since)
	if len(requests) == 0 {
		return
	}
	c.FindAt(finding.Finding{
		What: fmt.Sprintf("The ConfigMap %s in namespace %s said how many Jobs there are, and still your controller wrote it (%s) %s.",
			jobCount, namespace, requests[0].Call.Verb, when),
		At: requests[0].Received, Requests: scene.IDsOf(requests),
	})
}

// writtenOnce ends the check if the controller has written about a namespace more than once in the meantime.
func (c *play) writtenOnce(namespace string, since int) {
	done := slices.DeleteFunc(c.writes(namespace, since), func(r history.Request) bool { return !r.Succeeded() })
	if len(done) <= 1 {
		return
	}
	c.FindAt(finding.Finding{
		What: fmt.Sprintf("The number of Jobs in namespace %s changed once, and your controller wrote the ConfigMap %s %s.", namespace, jobCount, times(len(done))),
		At:   done[0].Received, Requests: scene.IDsOf(done),
	})
}

// awaitSilence waits until the controller has its first events, or knows that there are none, and asks for
// nothing more. Its watches need not be up.
func (c *play) awaitSilence() {
	for {
		c.WatchOver()
		instance, _, _ := c.Current()
		busy, since := c.Proxy.Busy()
		begun := len(c.Proxy.Pending()) == 0 || c.Proxy.UpToDate(instance)
		if begun && !busy && time.Since(since) > 2*stage.Still {
			return
		}
		c.Must(c.Wait(c.Context()))
	}
}
