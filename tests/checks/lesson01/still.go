package lesson01

import (
	"fmt"
	"maps"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// leaveAlone has things happen that don't change the number of Jobs, and restarts the controller twice, each time with
// another of its watches delayed.
func leaveAlone(s *scene.Scene) {
	here := s.Namespace
	begin(s, here, "a", "b")
	s.Settle()

	before := asked(s)
	completeJob(s, here, "b")
	adorn(s, here)
	s.Settle()
	unwritten(s, here, before, "after a Job had completed and somebody had added other things to the ConfigMap")

	s.Stop()
	s.Fault("hold: ADDED jobs ?/a #1")
	startWithout(s, "jobs")
	unwritten(s, here, before, "right after its start, when its watch had not delivered all Jobs yet")
	catchUp(s)
	unwritten(s, here, before, "after its start, when nothing had changed")

	s.Stop()
	label(s, here, "web") // a state that no watch has delivered yet: the next one delivers it as added
	s.HoldNext("ADDED", "configmaps", jobCount)
	startWithout(s, "configmaps")
	unwritten(s, here, before, "right after its start, when its watch had not delivered the ConfigMap yet")
	catchUp(s)

	addJobs(s, here, "c") // its writes for this come after those that it should not make
	says(s, here, 3, "after one was added")
	writtenOnce(s, here, before)
	keptOthers(s, here)
}

// others writes into a ConfigMap what does not concern the number, as users and their tools do.
func others(it *corev1.ConfigMap) {
	metav1.SetMetaDataLabel(&it.ObjectMeta, "team", "data")
	metav1.SetMetaDataLabel(&it.ObjectMeta, "app.kubernetes.io/managed-by", "Helm")
	metav1.SetMetaDataAnnotation(&it.ObjectMeta, "example.com/note", "kept")
	metav1.SetMetaDataAnnotation(&it.ObjectMeta, corev1.LastAppliedConfigAnnotation, "{}")
	if it.Data == nil {
		it.Data = map[string]string{}
	}
	it.Data["limit"] = "5"
}

// adorn has others write into the ConfigMap of a namespace.
func adorn(s *scene.Scene, namespace string) {
	changeConfigMap(s, namespace, "adds labels, annotations and a key to", others)
}

// keptOthers ends the check if something that others have written is no longer there.
func keptOthers(s *scene.Scene, namespace string) {
	now, added := s.ConfigMap(namespace), &corev1.ConfigMap{}
	others(added)
	for _, one := range []struct {
		what       string
		added, now map[string]string
	}{
		{"label", added.Labels, now.Labels}, {"annotation", added.Annotations, now.Annotations}, {"key", added.Data, now.Data},
	} {
		for _, name := range slices.Sorted(maps.Keys(one.added)) {
			if one.now[name] != one.added[name] {
				s.Find("A user had added the %s %s to the ConfigMap %s in namespace %s. When your controller wrote the number, it removed or "+
					"changed that. An update must keep what others have written.", one.what, name, jobCount, namespace)
			}
		}
	}
}

// startWithout starts the controller while one of its watches is delayed: a fault holds back an event of the initial
// state, or the list from which the watch continues arrives late. Which of them strikes is up to the controller. Then
// startWithout waits until the controller sends no more requests.
func startWithout(s *scene.Scene, resource string) {
	list := history.Call{Verb: "list", Resource: resource, Object: history.None, Nth: 1}
	for _, request := range s.Log.Run().Requests {
		if c := request.Call; c.Verb == list.Verb && c.Resource == list.Resource {
			list.Nth = max(list.Nth, c.Nth+1)
		}
	}
	s.Fault(fmt.Sprintf("%s: %s", proxy.AnswerLate, list))
	struck := len(s.Log.Run().Faults)
	s.Must(s.StartProcess())
	for from := s.Log.Now(); len(s.Log.Run().Faults) == struck; s.Must(s.Wait(s.Context())) {
		s.WatchOver()
		if s.Had(from) > s.Patience {
			s.NotJudged("it needs your controller to watch or list %s after its start, which did not happen", resource)
		}
	}
	awaitSilence(s)
}

// catchUp lets the controller receive what was held back.
func catchUp(s *scene.Scene) {
	s.Proxy.Disarm()
	s.Proxy.Heal()
	s.Settle()
}

// label has a user label the ConfigMap of a namespace, which does not concern the number.
func label(s *scene.Scene, namespace, team string) {
	changeConfigMap(s, namespace, "labels", func(it *corev1.ConfigMap) { metav1.SetMetaDataLabel(&it.ObjectMeta, "owner", team) })
}

// completeJob completes a Job, which does not change the number.
func completeJob(s *scene.Scene, namespace, name string) {
	job := &batchv1.Job{}
	s.Must(s.Client.Get(s.Context(), client.ObjectKey{Namespace: namespace, Name: name}, job))
	s.Must(s.Driver.Start(s.Context(), job))
	s.Must(s.Driver.Complete(s.Context(), job))
}

// unwritten ends the check if the controller has written the ConfigMap of a namespace in the meantime.
func unwritten(s *scene.Scene, namespace string, since int, when string) {
	if requests := writes(s, namespace, since); len(requests) > 0 {
		s.FindRequests(requests, "The ConfigMap %s in namespace %s held the right number, but your controller wrote it (%s) %s.",
			jobCount, namespace, requests[0].Call.Verb, when)
	}
}

// writtenOnce ends the check if the controller has written the ConfigMap more than once in the meantime.
func writtenOnce(s *scene.Scene, namespace string, since int) {
	done := slices.DeleteFunc(writes(s, namespace, since), func(r history.Request) bool { return !r.Succeeded() })
	if len(done) > 1 {
		s.FindRequests(done, "The number of Jobs in namespace %s changed once, but your controller wrote the ConfigMap %s %d times.",
			namespace, jobCount, len(done))
	}
}

// awaitSilence waits until the controller sends no more requests. Its watches may not be up to date.
func awaitSilence(s *scene.Scene) {
	for {
		s.WatchOver()
		if busy, since := s.Proxy.Busy(); !busy && time.Since(since) > 2*stage.Still {
			return
		}
		s.Must(s.Wait(s.Context()))
	}
}
