package lesson01

import (
	"fmt"
	"time"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// burst has many Jobs created while the watch is held, so that all events arrive at once.
func (c *play) burst() {
	const (
		jobs = 200
		few  = 40 // more than one that collapses them needs, whatever it is built with, and far less than one for each
	)
	here := c.Namespace
	c.addJobs(here, "first")
	c.Start()
	c.says(here, 1, "")

	before := c.asked()
	c.Fault("hold: ADDED jobs ?/burst-0 #1")
	c.addJobs(here, "burst-0")
	c.Struck("no watch of your controller's was to be told of Job burst-0")
	var names []string
	for i := 1; i < jobs; i++ {
		names = append(names, fmt.Sprint("burst-", i))
	}
	c.addJobs(here, names...)
	c.Until(func() string {
		if n := c.eventsOf(here, "jobs"); n <= jobs {
			return fmt.Sprintf("your controller's watch had been sent %d of %d Jobs", n, jobs+1)
		}
		return ""
	})
	c.Proxy.Heal()
	c.Until(func() string {
		if requests := c.about(here, before); len(requests) > few {
			c.FindAt(finding.Finding{
				What: fmt.Sprintf("%d Jobs were created in namespace %s, and their events arrived all at once. Your controller has made more than "+
					"%d requests about the ConfigMap %s for that; two are enough.", jobs, here, few, jobCount),
				At: requests[0].Received, Requests: scene.IDsOf(requests),
			})
		}
		return c.wrong(here, jobs+1, "")
	})
}

// eventsOf is how many objects the controller's watches have been sent, by events.
func (c *play) eventsOf(namespace, resource string) int {
	objects := map[string]bool{}
	run := c.Log.Run()
	for _, frame := range run.Frames {
		if run.Streams[frame.Stream-1].Resource == resource && frame.Object.Namespace == namespace {
			objects[frame.UID] = true
		}
	}
	return len(objects)
}

// oneWorkerEach keeps the answer to a write in one namespace, and meanwhile gives the controller more to do
// there and elsewhere.
func (c *play) oneWorkerEach() {
	here, there := c.Namespace, c.Beside[0]
	c.Fault("answer late: write #1 of instance 1")
	c.addJobs(here, "a")
	c.Start()
	c.Until(func() string {
		if requests := c.writes(here, 0); len(requests) == 0 || requests[0].Committed == 0 {
			return c.wrong(here, 1, "")
		}
		return ""
	})

	c.addJobs(here, "b")
	for n, name := range []string{"a", "b", "c"} {
		c.addJobs(there, name)
		c.goesOn(there, n+1, "one of its writes in namespace "+here+" had not been answered yet")
	}
	c.Settle()
	if requests := c.about(here, c.writes(here, 0)[0].ID); len(requests) > 0 {
		c.FindAt(finding.Finding{
			What: fmt.Sprintf("Your controller had not been answered yet when it wrote the ConfigMap %s in namespace %s, and made another request about it (%s): "+
				"two of its workers were at the same namespace.", jobCount, here, requests[0].Call.Verb),
			At: requests[0].Received, Requests: scene.IDsOf(requests),
		})
	}
	c.Proxy.Heal()
	c.says(here, 2, "after one was added while a worker was busy with the namespace")
}

// comeBack has the API server refuse what the controller writes in one namespace, until its pauses have grown.
func (c *play) comeBack() {
	here, there := c.Namespace, c.Beside[0]
	c.addJobs(here, "a")
	c.Start()
	c.says(here, 1, "")

	c.refuse(2 * scene.Many)
	before := c.asked()
	c.addJobs(here, "b")
	refusal := scene.Refusal{
		What:  "The API server answered 500 to what your controller wrote in namespace " + here,
		Tries: func() []history.Request { return c.writes(here, before) },
	}
	c.Until(func() string {
		if len(refusal.Tries()) == 0 {
			return c.wrong(here, 2, "after one was added")
		}
		return ""
	})
	for n, name := range []string{"a", "b", "c"} {
		c.addJobs(there, name)
		c.Until(c.Unhurried(refusal, "while it had a few Jobs to count in another namespace",
			c.unhindered(there, n+1, "the API server refused what it wrote in namespace "+here)))
	}
	longest, grown := c.BacksOff(refusal)
	c.Proxy.Disarm()
	c.says(here, 2, fmt.Sprintf("after the API server had answered 500 %s and was well again", times(len(refusal.Tries()))))
	if grown {
		c.beginAnew(here, 2, longest)
	}
}

// refuse has the API server answer 500 to the next writes of the ConfigMap in the run's namespace.
func (c *play) refuse(times int) {
	c.Inject(proxy.Fault{Action: proxy.Answer500, Next: history.Next{Resource: "configmaps", Object: jobCount, Times: times}})
}

// beginAnew has the API server refuse a single write in a namespace, which has some Jobs, after one that
// succeeded. Longest is the longest pause from before that. Where it can't be told how much of a pause is the
// machine's, a single one proves nothing; so only a controller that pauses for long each time is blamed.
func (c *play) beginAnew(namespace string, jobs int, longest time.Duration) {
	const most = 3
	for n := 1; n <= most; n++ {
		before := c.asked()
		c.refuse(1)
		c.addJobs(namespace, fmt.Sprint("again-", n))
		soon := false
		c.Until(func() string {
			had := time.Duration(0) // before the tries are looked at, of which there may be more by then
			if tries := c.writes(namespace, before); len(tries) > 0 {
				had = c.Had(tries[0].Answered)
			}
			tries := c.writes(namespace, before)
			switch {
			case len(tries) > 1:
				soon = tries[1].Received-tries[0].Answered <= longest
			case len(tries) == 1 && n == most && had > longest:
				c.FindAt(finding.Finding{
					What: fmt.Sprintf("The API server had answered 500 in namespace %s again and again, and then taken what your controller wrote. When it answered 500 once "+
						"more, your controller paused for longer than ever before, which was %s. What has succeeded is to begin anew with short pauses.",
						namespace, scene.InMilliseconds(longest)),
					At: tries[0].Received, Requests: scene.IDsOf(tries),
				})
			}
			return c.wrong(namespace, jobs+n, "after one was added and the API server had answered 500 once")
		})
		if soon {
			return
		}
	}
}

// goesOn waits until the ConfigMap of a namespace is right, whatever the controller is waiting for elsewhere.
func (c *play) goesOn(namespace string, jobs int, elsewhere string) {
	c.Until(c.unhindered(namespace, jobs, elsewhere))
}

// unhindered says what is wrong with the ConfigMap of a namespace, and ends the check when that lasts.
func (c *play) unhindered(namespace string, jobs int, elsewhere string) func() string {
	from := c.Log.Now()
	return func() string {
		wrong := c.wrong(namespace, jobs, "")
		if wrong != "" && c.Had(from) > c.Patience {
			c.Find("For %.0f s, %s. Your controller left it so while %s: one namespace has held up another.", c.Patience.Seconds(), wrong, elsewhere)
		}
		return wrong
	}
}

// times is how often something happened.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
