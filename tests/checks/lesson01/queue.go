package lesson01

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// burst has many Jobs created while the watch is held back, so that all events arrive at the same time.
func burst(s *scene.Scene) {
	const (
		jobs   = 200
		prefix = "burst-"
		few    = 40 // more than a controller of any design needs if it collapses them, and far less than one for each
	)
	here := s.Namespace
	begin(s, here, "first")

	before := asked(s)
	s.Fault("hold: ADDED jobs ?/burst-0 #1")
	addJobs(s, here, prefix+"0")
	s.Struck("your controller does not watch Jobs: no watch receives the event of Job burst-0")
	var names []string
	for i := 1; i < jobs; i++ {
		names = append(names, fmt.Sprint(prefix, i))
	}
	addJobs(s, here, names...)
	s.Needs(fmt.Sprintf("the events of all %d Jobs on your controller's watch", jobs), func() bool { return jobsSent(s, here, prefix) == jobs })
	s.Proxy.Heal()
	s.Until(func() string {
		if requests := about(s, here, before); len(requests) > few {
			s.FindRequests(requests, "%d Jobs were created in namespace %s, and their events arrived at the same time. Your controller sent more "+
				"than %d requests for the ConfigMap %s. Two are enough.", jobs, here, few, jobCount)
		}
		return s.Miscounted(here, jobs+1, "")
	})
	steady(s, here)
}

// steady has Jobs created one after another without a pause, until the controller has written a number. A controller that
// waits for a pause never does.
func steady(s *scene.Scene, here string) {
	before, from := asked(s), s.Log.Now()
	s.User("creates Jobs in %s, one after another without a pause", here)
	ctx, stop := context.WithCancel(s.Context())
	var creating errgroup.Group
	var created atomic.Int32
	creating.Go(func() error {
		for ctx.Err() == nil {
			if err := s.Client.Create(s.Context(), newJob(here, fmt.Sprint("steady-", created.Add(1)))); err != nil {
				return err
			}
		}
		return nil
	})
	defer func() {
		stop()
		if err := creating.Wait(); s.Context().Err() == nil {
			s.Must(err)
		}
	}()
	s.Until(func() string {
		switch {
		case len(writes(s, here, before)) > 0:
			stop() // or the controller would never be calm
			return ""
		case s.Had(from) > s.Patience:
			s.Find("For %.0f s, Jobs were created in namespace %s one after another, %d of them, and your controller has not written a number "+
				"meanwhile. A busy namespace may never pause.", s.Patience.Seconds(), here, created.Load())
		}
		return "Jobs are created one after another in namespace " + here
	})
}

// jobsSent is how many Jobs of a namespace, with names that begin like this, the controller's watches have been sent.
func jobsSent(s *scene.Scene, namespace, prefix string) int {
	jobs := map[string]bool{}
	run := s.Log.Run()
	for _, frame := range run.Frames {
		of := frame.Object
		if run.Streams[frame.Stream-1].Resource == "jobs" && of.Namespace == namespace && strings.HasPrefix(of.Name, prefix) {
			jobs[frame.UID] = true
		}
	}
	return len(jobs)
}

// oneWorkerEach delays the response to a write in one namespace, and meanwhile gives the controller more to do there
// and elsewhere.
func oneWorkerEach(s *scene.Scene) {
	here, there := s.Namespace, s.Beside[0]
	s.OnWrites("configmaps", jobCount, proxy.AnswerLate, 1)
	addJobs(s, here, "a")
	s.Start()
	s.Until(func() string {
		if requests := writes(s, here, 0); len(requests) == 0 || requests[0].Committed == 0 {
			return s.Miscounted(here, 1, "")
		}
		return ""
	})
	s.Struck("your controller has not written the ConfigMap " + jobCount)

	addJobs(s, here, "b")
	if s.ConfigMap(here) != nil { // or the response to its first write, which it doesn't have yet, is that there is none
		label(s, here, "web") // an event of the ConfigMap is for the same worker
	}
	for n, name := range []string{"a", "b", "c"} {
		addJobs(s, there, name)
		s.Until(unhindered(s, there, n+1, "one of its writes in namespace "+here+" was waiting for the response"))
	}
	s.Settle()
	if requests := about(s, here, writes(s, here, 0)[0].ID); len(requests) > 0 {
		s.FindRequests(requests, "Your controller was waiting for the response to its write of the ConfigMap %s in namespace %s, and sent another "+
			"request for it (%s): two workers were handling the same namespace.", jobCount, here, requests[0].Call.Verb)
	}
	s.Proxy.Heal()
	says(s, here, 2, "after one was added while a worker was busy with the namespace")

	// The same when there seems to be nothing left to do.
	removeJobs(s, here, "a")
	says(s, here, 1, "after one was deleted")
	s.OnWrites("configmaps", jobCount, proxy.AnswerLate, 1)
	removeJobs(s, here, "b")
	s.Struck("your controller has not written the ConfigMap " + jobCount)
	addJobs(s, here, "c")
	s.Settle()
	s.Proxy.Heal()
	says(s, here, 1, "after one was added while a worker was still writing the number before")
	retryToo(s, here)
	unseenWrites(s, here)
}

// retryToo has a write fail, delays the response to the next one, which is a retry, and meanwhile gives the controller more to
// do in the same namespace.
func retryToo(s *scene.Scene, here string) {
	before := asked(s)
	s.OnWrites("configmaps", jobCount, proxy.Answer500, 1)
	s.OnWrites("configmaps", jobCount, proxy.AnswerLate, 1)
	addJobs(s, here, "d")
	s.Struck("your controller has not repeated its write of the ConfigMap " + jobCount + " after the API server had responded with 500")
	addJobs(s, here, "e")
	s.Settle()
	if requests := writes(s, here, before); len(requests) > 2 {
		s.FindRequests(requests[2:], "The API server responded with 500 to a write in namespace %s. Your controller was waiting for the response to its "+
			"retry, and sent another request (%s): two workers were handling the same namespace.", here, requests[2].Call.Verb)
	}
	s.Proxy.Heal()
	says(s, here, 3, "after two were added while the API server was slow")
}

// unseenWrites holds back the events of ConfigMaps. A worker that waits until it sees its own write does nothing else meanwhile.
func unseenWrites(s *scene.Scene, here string) {
	namespaces := s.Beside[1:]
	s.HoldNext("MODIFIED", "configmaps", jobCount)
	label(s, here, "ops")
	s.Struck("your controller does not watch ConfigMaps")
	for _, namespace := range namespaces {
		addJobs(s, namespace, "a")
	}
	for _, namespace := range namespaces {
		s.Until(unhindered(s, namespace, 1, "no events of ConfigMaps reached it"))
	}
	s.Proxy.Heal()
}

// lost says why a controller stops retrying.
const lost = "There are three usual causes. The error is only logged, and the key is not added to the queue again. Or the worker does not call Done " +
	"after an error. Or the object in the cache was changed, so the retry finds nothing to do."

// ownBackoff has the API server refuse each write in a namespace, and holds back each response until the controller has
// written in another namespace. So a success lies between any two failures, however busy the machine is, and pauses grow
// only if each namespace has its own. Elsewhere is how many Jobs the other namespace has.
func ownBackoff(s *scene.Scene, here, there string, elsewhere int) {
	changeConfigMap(s, here, "makes immutable", func(it *corev1.ConfigMap) { it.Immutable = new(true) })
	before := asked(s)
	s.OnWrites("configmaps", jobCount, proxy.AnswerLate, 2*scene.Many)
	addJobs(s, here, "refused")
	s.Struck("your controller has not tried to write the ConfigMap " + jobCount)
	released := elsewhere
	s.BacksOff(scene.Refusal{
		What: fmt.Sprintf("The ConfigMap in namespace %s is immutable, so the API server refuses each write of it. Between any two "+
			"of these writes, your controller wrote in namespace %s, with success", here, there),
		Tries: func() []history.Request {
			if released < elsewhere && s.Miscounted(there, elsewhere, "") == "" {
				s.Proxy.Heal()
				released = elsewhere
			}
			return writes(s, here, before)
		},
		After: func() {
			elsewhere++
			addJobs(s, there, fmt.Sprint("a-", elsewhere))
		},
		Lost: lost + " Or a single worker does all the work, and still waits for the response.",
	})
	s.Disarm()
	s.Proxy.Heal()
}

// comeBack has the API server refuse what the controller writes in one namespace, until its pauses have grown, and
// everything that it writes in several others.
func comeBack(s *scene.Scene) {
	here, there, spoilt := s.Namespace, s.Beside[0], s.Beside[1:len(s.Beside)-1]
	begin(s, here, "a")

	for _, namespace := range spoilt {
		spoil(s, namespace)
		addJobs(s, namespace, "a")
	}
	refused := fmt.Sprintf("the API server refused its writes in %d other namespaces", len(spoilt))
	for _, namespace := range spoilt {
		s.Until(func() string {
			if len(writes(s, namespace, 0)) == 0 {
				return fmt.Sprintf("your controller has not tried to write the number of Jobs in namespace %s, while %s", namespace, refused)
			}
			return ""
		})
	}

	s.OnWrites("configmaps", jobCount, proxy.Answer500, 2*scene.Many)
	before := asked(s)
	addJobs(s, here, "b")
	refusal := scene.Refusal{
		What: "The API server responds with 500 to each write in namespace " + here,
		Tries: func() []history.Request {
			return slices.DeleteFunc(writes(s, here, before), func(r history.Request) bool { return r.Fault == 0 })
		},
		Lost: lost,
	}
	tried := unhindered(s, here, 2, refused)
	s.Until(func() string {
		if len(writes(s, here, before)) == 0 {
			return tried()
		}
		return ""
	})
	s.Struck("your controller has not written the ConfigMap " + jobCount)
	elsewhere := 0 // Jobs
	for range 3 {
		elsewhere++
		addJobs(s, there, fmt.Sprint("a-", elsewhere))
		s.Until(s.Unhurried(refusal, "while it had a few Jobs to count in another namespace",
			unhindered(s, there, elsewhere, "the API server refused its writes in namespace "+here+" and others")))
	}
	refusal.After = func() { // a success elsewhere does not make the pauses here shorter
		elsewhere++
		addJobs(s, there, fmt.Sprint("a-", elsewhere))
	}
	longest, grown := s.BacksOff(refusal)
	s.Disarm()
	says(s, here, 2, fmt.Sprintf("after the API server had responded with 500 %s and then recovered", scene.Counted(len(refusal.Tries()), "time", "times")))
	if grown {
		startsOver(s, here, 2, longest)
	}
	ownBackoff(s, here, there, elsewhere)
	overQuota(s, s.Beside[len(s.Beside)-1])
}

// overQuota has the API server refuse a ConfigMap with 403 until a user raises the quota. No event tells the controller of that.
func overQuota(s *scene.Scene, namespace string) {
	s.SetQuota(namespace, "count/configmaps", 0)
	s.AwaitQuota(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "probe"}})
	before := asked(s)
	addJobs(s, namespace, "a")
	s.Until(func() string {
		if len(writes(s, namespace, before)) == 0 {
			return fmt.Sprintf("your controller has not tried to create the ConfigMap %s in namespace %s", jobCount, namespace)
		}
		return ""
	})
	s.SetQuota(namespace, "count/configmaps", 1000)
	from := s.Log.Now()
	s.Until(func() string {
		wrong := s.Miscounted(namespace, 1, "")
		if wrong != "" && s.Had(from) > s.Patience {
			s.Find("A quota had refused the ConfigMap with 403 Forbidden, and was raised. For %.0f s since then, %s.", s.Patience.Seconds(), wrong)
		}
		return wrong
	})
}

// startsOver has the API server refuse a single write in a namespace with some Jobs, after one that succeeded. Longest
// is the longest pause before that. The machine's load may explain a single long pause; so only a controller that
// pauses too long each time is blamed.
func startsOver(s *scene.Scene, namespace string, jobs int, longest time.Duration) {
	const most = 3
	for n := 1; n <= most; n++ {
		before := asked(s)
		s.OnWrites("configmaps", jobCount, proxy.Answer500, 1)
		addJobs(s, namespace, fmt.Sprint("again-", n))
		soon := false
		s.Until(func() string {
			had := time.Duration(0) // before the second look at the tries, which may find more
			if tries := writes(s, namespace, before); len(tries) > 0 {
				had = s.Had(tries[0].Answered)
			}
			tries := writes(s, namespace, before)
			switch {
			case len(tries) > 1:
				soon = tries[1].Received-tries[0].Answered <= longest
			case len(tries) == 1 && tries[0].Fault != 0 && n == most && had > longest:
				s.FindRequests(tries, "In namespace %s the API server refused your controller's writes again and again, and then accepted one. After the "+
					"next refusal, your controller paused longer than ever before: it has paused for %s by now, and its longest pause before was "+
					"%s. After a success, the backoff should start again with short pauses.",
					namespace, scene.InMilliseconds(had), scene.InMilliseconds(longest))
			}
			return s.Miscounted(namespace, jobs+n, "after one was added and the API server had responded with 500 once")
		})
		if soon {
			return
		}
	}
}

// unhindered says what is wrong with the ConfigMap of a namespace, and ends the check when that lasts, whatever the
// controller is waiting for elsewhere.
func unhindered(s *scene.Scene, namespace string, jobs int, elsewhere string) func() string {
	from := s.Log.Now()
	return func() string {
		wrong := s.Miscounted(namespace, jobs, "")
		if wrong != "" {
			s.Overdue(from, "For %.0f s, %s, while %s: one namespace blocks another.", s.Patience.Seconds(), wrong, elsewhere)
		}
		return wrong
	}
}
