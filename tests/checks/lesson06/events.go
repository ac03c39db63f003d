package lesson06

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
)

// reported has runs fail, succeed, be refused and be stopped, while writes of the status fail.
func reported(s *scene.Scene) {
	const (
		succeeds, may    = "succeeds", "may"
		stopped, refused = "stopped", "refused"
		conflict, gone   = "conflict", "gone"
		late, long       = "late", "long"
		last             = "last"
	)
	s.Start()
	// What the status does not say yet is not reported.
	s.Create(sample.Web, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(sample.Web, sample.Fetch)
	job := s.Running(sample.Web, sample.Build)
	s.StepIs(sample.Web, sample.Build, v1alpha1.StepRunning)
	s.Settle()
	s.OnWrites(scene.SequentialJobStatus, sample.Web, proxy.Answer500, scene.Many)
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded))
	s.Struck("the Job of step build has failed, but your controller has not tried to record that")
	s.Settle()
	notAhead(s, sample.Web, sample.Build)
	s.Disarm()
	s.ConditionIs(sample.Web, v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	tells(s, sample.Web, corev1.EventTypeWarning, sample.Build, batchv1.JobReasonBackoffLimitExceeded)

	s.Create(succeeds, sample.Steps(sample.Fetch))
	s.Complete(succeeds, sample.Fetch)
	tells(s, succeeds, corev1.EventTypeNormal, "")

	s.Create(may, optional(sample.ThreeSteps(), sample.Fetch, sample.Build))
	for _, step := range []string{sample.Fetch, sample.Build} { // the second Event resembles the first, and has another text
		s.Fail(may, step)
		tells(s, may, corev1.EventTypeWarning, step, batchv1.JobReasonBackoffLimitExceeded)
	}

	s.Create(conflict, sample.Steps(sample.Fetch))
	job = s.Running(conflict, sample.Fetch)
	s.StepIs(conflict, sample.Fetch, v1alpha1.StepRunning)
	s.OnWrites(scene.SequentialJobStatus, conflict, proxy.Conflict, 1)
	const words = "100% of its pods have failed" // a message is not a format
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, words))
	tells(s, conflict, corev1.EventTypeWarning, sample.Fetch, words)

	job = s.Underway(stopped, sample.Fetch)
	s.Retain(job) // so its pods take their time
	soon(s, stopped, 1)
	s.ConditionIs(stopped, v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonDeadlineExceeded)
	tells(s, stopped, corev1.EventTypeWarning, "deadline")
	s.Settle()
	before := len(eventsOf(s, stopped))
	s.Release(job)
	exceeded(s, stopped, "F")
	tellsMore(s, stopped, before)

	// A status that can't be written says nothing. The object is gone, which the controller does not know yet when it sees that the Job is gone.
	job = s.Underway(gone, sample.Fetch)
	s.Settle()
	s.HoldNext("DELETED", kinds.SequentialJob.Resource, history.Logical(gone))
	s.Delete(gone, metav1.DeletePropagationBackground)
	s.Struck("your controller does not watch SequentialJobs")
	s.Must(s.Driver.Vanish(s.Context(), job))
	s.Settle()
	notOfGone(s, gone)
	s.Proxy.Heal()
	s.Settle()
	notOfGone(s, gone)

	// The same refusal is reported once, however often the controller tries, also after a restart.
	s.Refused(refused)
	tells(s, refused, corev1.EventTypeWarning, "quota")
	s.OnWrites("jobs", refused+"/fetch", proxy.Answer500, 1)
	s.Struck("your controller does not retry what a quota refuses")
	s.Restart() // the next process has only the status to know it from
	s.Settle()
	s.Refused(refused + "-too")
	s.AllowJobs()
	s.Complete(refused, sample.Fetch)
	s.Complete(refused+"-too", sample.Fetch)
	tells(s, refused, corev1.EventTypeNormal, "")

	// One write of the status may say two things: that a step has failed which may, and that the deadline has passed before the next one.
	s.Create(late, optional(sample.Steps(sample.Fetch, sample.Build), sample.Fetch), within(hour))
	job = s.Running(late, sample.Fetch)
	s.StepIs(late, sample.Fetch, v1alpha1.StepRunning)
	s.Stop()
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded))
	s.Elapse(2*time.Hour, late)
	s.Start()
	exceeded(s, late, "F -")
	tells(s, late, corev1.EventTypeWarning, sample.Fetch, batchv1.JobReasonBackoffLimitExceeded)

	// The last step may fail. A webhook refuses its Job. Then the API server finds its template invalid, and one write of the status says that
	// the step has failed, and that the run has succeeded.
	s.OnWrites(kinds.Job.Resource, last+"/"+sample.Build, proxy.AnswerDenied, scene.Many)
	s.Create(last, optional(invalid(sample.Steps(sample.Fetch, sample.Build), sample.Build, nonsense), sample.Build))
	s.Complete(last, sample.Fetch)
	tells(s, last, corev1.EventTypeWarning, proxy.Denied)
	s.Disarm()
	tells(s, last, corev1.EventTypeWarning, sample.Build, nonsense)
	tells(s, last, corev1.EventTypeNormal, "")

	// A note holds 1024 bytes, which are fewer characters in most languages.
	s.Create(long, invalid(sample.Steps(sample.Fetch), sample.Fetch, strings.Repeat("ü", 1000)))
	tells(s, long, corev1.EventTypeWarning, sample.Fetch)

	earlier := len(eventsOf(s, may))
	s.Complete(may, sample.Ship)
	s.ConditionIs(may, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	tellsMore(s, may, earlier)
	s.Settle()
	noWarning(s, may, earlier, "Run "+may+" has succeeded, although two of its steps have failed, which may. There was a warning about each of them before")
	for _, name := range []string{sample.Web, succeeds, may, conflict, stopped, refused, late, long, last} {
		onlyOnce(s, name)
	}
}

// eventsOf are the Events that the controller has sent about a SequentialJob.
func eventsOf(s *scene.Scene, name string) []eventsv1.Event {
	s.Sync()
	last := map[string]eventsv1.Event{}
	var order []string
	for change, event := range scene.Seen[eventsv1.Event](s, kinds.Event.Resource) {
		if event.Regarding.Kind != v1alpha1.Kind || event.Regarding.Name != name || change.Type == "DELETED" {
			continue
		}
		if _, known := last[event.Name]; !known {
			order = append(order, event.Name)
		}
		last[event.Name] = *event
	}
	var all []eventsv1.Event
	for _, one := range order {
		all = append(all, last[one])
	}
	return all
}

// tells waits until an Event of a type about a SequentialJob has these words in its reason or note.
func tells(s *scene.Scene, name, eventType string, words ...string) {
	s.UntilMeanwhile(func() string {
		var got []string
		for _, event := range eventsOf(s, name) {
			text := strings.ToLower(event.Reason + " " + event.Note)
			missing := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
			if event.Type == eventType && !missing {
				return ""
			}
			text = inWords(event)
			if n := times(event); n > 1 {
				text += fmt.Sprintf(" (counted %d times: client-go takes an Event for a repetition if its type, reason, action and reference to the object "+
					"are the same, the reference's resourceVersion included, and sends the first one's text)", n)
			}
			got = append(got, text)
		}
		wanted := "no Event of type " + eventType + " about " + name
		if about := strings.Join(slices.DeleteFunc(slices.Clone(words), func(word string) bool { return word == "" }), " and "); about != "" {
			wanted += " that names " + about
		}
		if len(got) == 0 {
			return "there is " + wanted + ", and no other one about it either"
		}
		return "there is " + wanted + ". The Events about it: " + strings.Join(got, "; ")
	})
}

// noWarning checks that no Event about a run, after so many earlier ones, is a warning. Because says why, as a sentence without a full stop.
func noWarning(s *scene.Scene, name string, earlier int, because string) {
	for _, event := range eventsOf(s, name)[earlier:] {
		if event.Type == corev1.EventTypeWarning {
			s.FindRequests(sent(s, name), "%s. Your controller sent another one: %s.", because, inWords(event))
		}
	}
}

// tellsMore waits until there are more Events than before about a run that has ended now.
func tellsMore(s *scene.Scene, name string, than int) {
	s.UntilMeanwhile(func() string {
		var got []string
		for _, event := range eventsOf(s, name) {
			got = append(got, inWords(event))
		}
		if len(got) > than {
			return ""
		}
		return "there is no Event that says that " + name + " has ended, only those from before: " + strings.Join(got, "; ")
	})
}

// times says how often an Event was counted.
func times(event eventsv1.Event) int32 {
	if event.Series != nil {
		return event.Series.Count
	}
	return max(1, event.DeprecatedCount)
}

func inWords(event eventsv1.Event) string {
	return fmt.Sprintf("%s %s %q", event.Type, event.Reason, event.Note)
}

// notAhead checks that no Event says that a step has failed, which the status does not say yet.
func notAhead(s *scene.Scene, name, step string) {
	for _, event := range eventsOf(s, name) {
		if event.Type == corev1.EventTypeWarning && strings.Contains(event.Note, step) {
			s.FindRequests(sent(s, name), "The Job of step %s has failed. The API server refuses each write of the status of %s, so the status does not say so yet. "+
				"Your controller sent an Event all the same: %s.", step, name, inWords(event))
		}
	}
}

// notOfGone checks that no Event says that an object has failed that was deleted while it ran.
func notOfGone(s *scene.Scene, name string) {
	for _, event := range eventsOf(s, name) {
		if event.Type == corev1.EventTypeWarning {
			s.FindRequests(sent(s, name), "A user deleted %s while it ran, so no status of it says that anything has failed. Your controller sent an Event "+
				"all the same: %s.", name, inWords(event))
		}
	}
}

// onlyOnce checks that nothing was said twice about a SequentialJob.
func onlyOnce(s *scene.Scene, name string) {
	said := map[string]bool{}
	for _, event := range eventsOf(s, name) {
		text := inWords(event)
		if said[text] || times(event) > 1 {
			s.FindRequests(sent(s, name), "Your controller sent this Event about %s more than once: %s. It had happened once.", name, text)
		}
		said[text] = true
	}
}

// sent are the controller's requests that create or change Events about an object.
func sent(s *scene.Scene, name string) []history.Request {
	requests := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == kinds.Event.Resource && r.Call.Object == history.Logical(name)
	})
	if len(requests) == 0 { // the judge does not know them by the object that they regard
		requests = s.Requests(func(r history.Request) bool { return r.Write() && r.Call.Resource == kinds.Event.Resource })
	}
	return requests
}
