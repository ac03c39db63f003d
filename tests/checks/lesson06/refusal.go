package lesson06

import (
	"fmt"
	"net/http"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// invalidTemplates has templates that the API server never accepts: as the only one, in the middle, and of a step that may fail.
func invalidTemplates(s *scene.Scene) {
	const (
		only, middle = "only", "middle"
		may, long    = "may", "long"
		both, then   = "both", "then"
		mounts       = "mounts"
	)
	s.Start()
	s.Create(only, invalid(sample.Steps(sample.Fetch), sample.Fetch, nonsense))
	refusedForGood(s, only, sample.Fetch)
	speaksLike(s, only, sample.Fetch, "manual-ly")
	corrected(s, only)

	s.Create(middle, invalid(sample.ThreeSteps(), sample.Build, "admission webhook "+nonsense)) // which is only a value
	s.Complete(middle, sample.Fetch)
	refusedForGood(s, middle, sample.Build)
	states(s, middle, "S F -")
	names(s, middle, sample.Build)

	s.Create(may, optional(invalid(sample.ThreeSteps(), sample.Fetch, nonsense), sample.Fetch))
	s.Complete(may, sample.Build, sample.Ship)
	completed(s, may, "F S S", sample.Fetch)
	s.ConditionIs(may, v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonInvalidJobTemplate)

	s.Create(both, optional(invalid(sample.ThreeSteps(), sample.Build, nonsense), sample.Fetch)) // after a failure of another kind
	s.Fail(both, sample.Fetch)
	refusedForGood(s, both, sample.Build)
	states(s, both, "F F -")

	// The template of a step that may fail is invalid, and has not ended the run.
	s.Create(then, optional(invalid(sample.ThreeSteps(), sample.Fetch, nonsense), sample.Fetch))
	s.Fail(then, sample.Build)
	s.ConditionIs(then, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	states(s, then, "F F -")
	names(s, then, sample.Build)

	// The API server repeats an invalid value, however long it is. A message of a condition holds 32,768 characters.
	s.Create(long, invalid(sample.Steps(sample.Fetch), sample.Fetch, strings.Repeat(nonsense, 5000)))
	refusedForGood(s, long, sample.Fetch)

	// Here the API server says that it has not found something: a volume that the template itself would have to declare.
	s.Create(mounts, mounting(sample.Steps(sample.Fetch), "cache"))
	refusedForGood(s, mounts, sample.Fetch)

	s.Restart()
	s.Settle()
	for _, name := range []string{only, middle, may, both, then, long, mounts} {
		triedOnce(s, name)
	}
}

// corrected has a user delete an object whose template is invalid, and create another one of this name with a valid template.
func corrected(s *scene.Scene, name string) {
	s.Delete(name, metav1.DeletePropagationBackground)
	s.Await(name, func(w stage.World) string {
		if w.Object != nil {
			return name + " was deleted, and is still there"
		}
		return ""
	})
	s.Create(name, sample.Steps(sample.Fetch))
	s.Await(name, func(w stage.World) string {
		if w.Object != nil && scene.HasEnded(&w.Object.Status) {
			s.Find("A user deleted %s, whose template was invalid, and created another SequentialJob of this name, whose template is valid. "+
				"The API server has not refused its Job, but its status says: %s.", name, scene.Says(&w.Object.Status))
		}
		if w.Running(sample.Fetch) == nil {
			return s.NotRunning(w, name, sample.Fetch)
		}
		return ""
	})
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
	s.ConditionIs(name, v1alpha1.ConditionAccepted, metav1.ConditionTrue)
}

// nonsense is no value of completionMode.
const nonsense = "manual-ly"

// invalid makes the template of a step one that the Job API finds invalid. The rules of the SequentialJob API do not notice.
func invalid(steps []v1alpha1.Step, which, value string) []v1alpha1.Step {
	for i := range steps {
		if steps[i].Name == which {
			steps[i].JobTemplate.Spec.Template.Spec.Containers[0].ImagePullPolicy = corev1.PullPolicy(value)
		}
	}
	return steps
}

// mounting makes the first step's container mount a volume that its template does not declare.
func mounting(steps []v1alpha1.Step, volume string) []v1alpha1.Step {
	container := &steps[0].JobTemplate.Spec.Template.Spec.Containers[0]
	container.VolumeMounts = append(container.VolumeMounts, corev1.VolumeMount{Name: volume, MountPath: "/" + volume})
	return steps
}

// refusedForGood waits until the status says that the API server never accepts the Job of a step.
func refusedForGood(s *scene.Scene, name, step string) {
	s.AwaitStatusMeanwhile(name, func(status *v1alpha1.SequentialJobStatus) string {
		const never = "the template of step %s of %s is invalid, and steps never change, but "
		entry := scene.StepIn(status, step)
		summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
		accepted := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionAccepted)
		switch {
		case entry == nil || entry.State != v1alpha1.StepFailed:
			return fmt.Sprintf(never+"the status does not say that the step has failed", step, name)
		case entry.Reason != v1alpha1.ReasonInvalidJobTemplate:
			return fmt.Sprintf(never+"the step's reason is %q, not %s", step, name, entry.Reason, v1alpha1.ReasonInvalidJobTemplate)
		case summary == nil || summary.Status != metav1.ConditionFalse || summary.Reason != v1alpha1.ReasonInvalidJobTemplate:
			return fmt.Sprintf(never+"the status does not say Succeeded=False with the reason %s", step, name, v1alpha1.ReasonInvalidJobTemplate)
		case accepted == nil || accepted.Status != metav1.ConditionFalse || accepted.Reason != v1alpha1.ReasonInvalidJobTemplate:
			return fmt.Sprintf(never+"the status does not say Accepted=False with the reason %s", step, name, v1alpha1.ReasonInvalidJobTemplate)
		}
		return ""
	})
}

// speaksLike checks that the summary has the API server's words, without which nobody finds the mistake in the template.
func speaksLike(s *scene.Scene, name, step, word string) {
	status := s.Now(name).Object.Status
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	for _, want := range []string{step, word, "imagePullPolicy"} {
		if !strings.Contains(summary.Message, want) {
			s.Find("The API server refused the Job of step %s of %s, and said which field is wrong and why. The message of the condition Succeeded "+
				"has no %q: %q.", step, name, want, summary.Message)
		}
	}
}

// triedOnce checks that the controller did not try again what the API server never accepts. A retry may have been on its way
// before the status said so.
func triedOnce(s *scene.Scene, name string) {
	const enough = 3
	tries := s.Requests(func(r history.Request) bool {
		owner, _, _ := strings.Cut(string(r.Call.Object), "/")
		return r.Write() && r.Call.Resource == kinds.Job.Resource && owner == name && r.Code == http.StatusUnprocessableEntity
	})
	if len(tries) > enough {
		s.FindRequests(tries, "The API server never accepts the Job of a step of %s, because its template is invalid. Your controller tried %d times, "+
			"after a restart too.", name, len(tries))
	}
}

// refusedForAWhile has a policy refuse Jobs for a while, then webhooks, more often than five times, and then the API server is busy.
func refusedForAWhile(s *scene.Scene) {
	const policy, may, often, once, fades = "policy", "may", "often", "once", "fades"
	s.Start()
	// A policy responds with 422, as the Job API does to an invalid Job, but names no field.
	s.ForbidJobs("no Jobs before the audit")
	s.Create(policy, sample.Steps(sample.Fetch))
	s.Create(may, optional(sample.Steps(sample.Fetch), sample.Fetch))
	visible(s, policy, "no Jobs before the audit")
	visible(s, may, "no Jobs before the audit")
	s.PermitJobs()
	s.Complete(policy, sample.Fetch)
	s.Succeeded(policy)
	s.Complete(may, sample.Fetch)
	s.ConditionIs(may, v1alpha1.ConditionSucceeded, metav1.ConditionTrue, v1alpha1.ReasonAllStepsSucceeded)

	// A webhook refuses seven times, then another one does, and then the API server is busy.
	s.OnWrites("jobs", often+"/build", proxy.AnswerDenied, 7)
	s.Create(often, sample.Steps(sample.Fetch, sample.Build))
	s.Complete(often, sample.Fetch, sample.Build)
	s.Succeeded(often)
	for _, action := range []proxy.Action{proxy.AnswerInvalid, proxy.Answer500, proxy.Answer504, proxy.Answer429} {
		name := once + "-" + strings.ReplaceAll(string(action), " ", "-")
		s.OnWrites("jobs", name+"/fetch", action, 2)
		s.Create(name, sample.Steps(sample.Fetch))
		s.Complete(name, sample.Fetch)
		s.Succeeded(name)
	}
	fadesAway(s, fades)
}

// refusedInManyWays has webhooks refuse Jobs in ways that look like other refusals, and in other words each time. A permission is missing, until
// somebody grants it.
func refusedInManyWays(s *scene.Scene) {
	const once, varying = "once", "varying"
	s.Start()
	// A webhook leaves out the code, names a field, as the Job API does, says that it has not found something, or that the server is broken, or says
	// more than a condition's message can hold.
	for _, refused := range []struct {
		action proxy.Action
		words  string
	}{
		{proxy.AnswerDeniedAsBad, proxy.Denied}, {proxy.AnswerDeniedAsInvalid, proxy.Denied}, {proxy.AnswerDeniedAsMissing, proxy.Denied},
		{proxy.AnswerDeniedAsBroken, proxy.Denied}, {proxy.AnswerDeniedAtLength, proxy.Denied}, {proxy.AnswerForbidden, proxy.ByRole},
	} {
		const always = 1000
		name := once + "-" + strings.ReplaceAll(string(refused.action), " ", "-")
		s.OnWrites("jobs", name+"/fetch", refused.action, always)
		s.Create(name, sample.Steps(sample.Fetch))
		visible(s, name, refused.words)
		s.Disarm()
		s.Complete(name, sample.Fetch)
		s.Succeeded(name)
	}
	inOtherWords(s, varying)
}

// refusedByQuota has a quota refuse Jobs: of a run without a deadline, of one whose deadline passes soon, and of one that has time.
func refusedByQuota(s *scene.Scene) {
	const quota, limited, ending = "quota", "limited", "ending"
	longest := strings.Repeat("l", validation.DNS1123LabelMaxLength-len("-"+sample.Fetch))
	s.Start()
	s.Refused(quota)
	notFailed(s, quota)
	s.Create(limited, sample.Steps(sample.Fetch), within(1)) // only its user gives up, in advance
	exceeded(s, limited, "-")
	s.Create(longest, sample.Steps(sample.Fetch), within(hour)) // the API server shortens such a name before it completes it
	visible(s, longest, "quota")
	brokenMeanwhile(s, quota, func() {})
	brokenMeanwhile(s, quota, s.Restart)
	staysCurrent(s, quota)
	s.AllowJobs()
	s.Tell("A quota refused the Job of its first step, and no longer does, of which no event tells your controller. If the run has a deadline, that is an hour away.")
	for _, name := range []string{quota, longest} {
		s.Complete(name, sample.Fetch)
		s.Succeeded(name)
	}
	s.Tell("")
	if s.In().IsPlain() { // other worlds go on in this namespace
		namespaceEnds(s, ending)
	}
}

// brokenMeanwhile has the API server respond with 500 to the attempts to create a Job that a quota refuses, which says nothing about the quota. Then
// does something before the next attempt.
func brokenMeanwhile(s *scene.Scene, name string, then func()) {
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Fetch, proxy.Answer500, scene.Many)
	then()
	s.Struck("your controller does not retry what a quota refuses")
	s.Settle()
	s.Tell("A quota has refused that Job. To the next attempts, the API server responded 500, which says nothing about the quota.")
	notFailed(s, name)
	s.Tell("")
	s.Disarm()
}

// refusedTwice has quotas refuse the Jobs of two SequentialJobs of the same name, in two namespaces.
func refusedTwice(s *scene.Scene) {
	const nightly = "nightly"
	s.Start()
	there := s.Beside[0]
	s.SetQuota(there, scene.Jobs, 1)
	s.AwaitQuota(&batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: there, Name: nightly}, Spec: sample.Step(sample.Fetch).JobTemplate.Spec})
	s.Refused(nightly)
	other := sample.SequentialJob(nightly, sample.Steps(sample.Fetch)...)
	other.Namespace = there
	s.User("creates a SequentialJob %s in another namespace, in which a quota refuses Jobs too", nightly)
	s.Must(s.Client.Create(s.Context(), other))
	s.BacksOff(scene.Refusal{
		What: "A quota refuses the Job of step fetch of " + nightly + ", and one in another namespace that of another SequentialJob of the same name",
		Tries: func() []history.Request {
			return s.Requests(func(r history.Request) bool {
				return r.Write() && r.Call.Resource == kinds.Job.Resource && r.Object.Namespace == s.Namespace
			})
		},
	})
	s.AllowJobs()
	s.Complete(nightly, sample.Fetch)
	s.Succeeded(nightly)
}

// staysCurrent has a user change the spec of a run whose Job is refused. The status has to describe the new spec, also if the next attempt is not due yet. While
// the pauses between two attempts are short, or if each event leads to an attempt, nothing can be said.
func staysCurrent(s *scene.Scene, name string) {
	const times = 8
	for n := range times {
		s.Settle()
		from := s.Log.Now()
		s.Keep(name, new(int32(1000*(n+1))))
		s.Settle()
		attempts := s.Requests(func(r history.Request) bool {
			return r.Write() && r.Call.Object == history.Logical(name+"/"+sample.Fetch) && r.Received >= from
		})
		now := s.Now(name).Object
		switch {
		case len(attempts) > 0:
		case now.Status.ObservedGeneration == now.Generation:
			return
		default:
			s.Find("A user has changed ttlSecondsAfterFinished of %s while a quota refused its Job. Its generation is %d, and its status has observedGeneration %d: your controller "+
				"waits for its next attempt to create the Job, which can take a minute. A client that waits until the status describes the new spec waits as long.",
				name, now.Generation, now.Status.ObservedGeneration)
		}
	}
}

// namespaceEnds has a user delete the namespace between two steps, of which the second one may fail. From then on, its Job is
// refused with a response that names a field, although the template is valid.
func namespaceEnds(s *scene.Scene, name string) {
	s.Create(name, optional(sample.Steps(sample.Fetch, sample.Build), sample.Build))
	job := s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.EndNamespace(s.Namespace)
	s.Must(s.Driver.Complete(s.Context(), job))
	s.Until(func() string {
		tried := s.Requests(func(r history.Request) bool {
			return r.Write() && r.Call.Object == history.Logical(name+"/"+sample.Build) && r.Code == http.StatusForbidden
		})
		if len(tried) > 0 {
			return ""
		}
		return fmt.Sprintf("step fetch of %s has succeeded, but your controller has not tried to start step build", name)
	})
	s.Settle()
	status := s.Now(name).Object.Status
	if entry := scene.StepIn(&status, sample.Build); scene.HasEnded(&status) || entry == nil || entry.State != v1alpha1.StepPending {
		s.Find("A user deleted the namespace of %s while step fetch ran. Since then, the API server refuses to create the Job of step build: 403, with the cause "+
			"NamespaceTerminating. Its template is valid, and the step has not failed. The status says: %s.", name, scene.Says(&status))
	}
}

// inOtherWords has a webhook refuse a Job in other words each time, because it names the request. A status that repeats them changes with each
// attempt.
func inOtherWords(s *scene.Scene, name string) {
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Fetch, proxy.AnswerDeniedWithID, 2*scene.Many)
	s.Create(name, sample.Steps(sample.Fetch))
	visible(s, name, proxy.Denied)
	s.BacksOff(scene.Refusal{
		What: "A webhook refuses the Job of step fetch of " + name + ", and names the request in its message, so each message is another one",
		Tries: func() []history.Request {
			return s.Requests(func(r history.Request) bool {
				return r.Write() && r.Call.Object == history.Logical(name+"/"+sample.Fetch) && r.Returned == http.StatusForbidden
			})
		},
	})
	s.Disarm()
	s.Complete(name, sample.Fetch)
	s.Succeeded(name)
}

// fadesAway has a webhook refuse the Job of a step that may fail. When the webhook accepts it, its template is invalid. The API server
// can't create the next step's Job then, and nobody refuses that.
func fadesAway(s *scene.Scene, name string) {
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Fetch, proxy.AnswerDenied, scene.Many)
	s.Create(name, optional(invalid(sample.Steps(sample.Fetch, sample.Build), sample.Fetch, nonsense), sample.Fetch))
	visible(s, name, proxy.Denied)
	s.Stop()
	s.Disarm()
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Build, proxy.Answer500, scene.Many)
	s.Start()
	s.StepIs(name, sample.Fetch, v1alpha1.StepFailed)
	s.Struck("step fetch of " + name + " has failed, which it may, but your controller has not tried to start step build")
	s.Settle()
	status := s.Now(name).Object.Status
	if summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded); summary.Reason == v1alpha1.ReasonJobRefused {
		s.Find("A webhook refused the Job of step fetch of %s for a while, and that step has failed since, which it may. Nobody refuses the Job of step build, "+
			"but the status still says: %s.", name, scene.Says(&status))
	}
	s.Disarm()
	s.Complete(name, sample.Build)
	completed(s, name, "F S", sample.Fetch)
}

// visible waits until the status says why a run's first step can't start, in the API server's words, and that this is not the end.
func visible(s *scene.Scene, name, words string) {
	s.AwaitStatusMeanwhile(name, func(status *v1alpha1.SequentialJobStatus) string {
		if !scene.SpeaksOf(status, strings.ToLower(words)) {
			return fmt.Sprintf("the status of %s does not say why step fetch can't start, in the API server's words: %q", name, words)
		}
		return ""
	})
	notFailed(s, name)
}

// notFailed checks that a refusal that may pass is not recorded as the end of a step or of the run.
func notFailed(s *scene.Scene, name string) {
	status := s.Now(name).Object.Status
	summary := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded)
	accepted := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionAccepted)
	switch {
	case summary == nil || summary.Status != metav1.ConditionUnknown || summary.Reason != v1alpha1.ReasonJobRefused:
		s.Find("The API server refuses the Job of step fetch of %s, for a reason that may pass. The status should say Succeeded=Unknown with the "+
			"reason %s. It says: %s.", name, v1alpha1.ReasonJobRefused, scene.Says(&status))
	case accepted != nil && accepted.Status == metav1.ConditionFalse:
		s.Find("The API server refuses the Job of step fetch of %s, for a reason that may pass. Accepted=False says that it never accepts "+
			"the Job. The status says: %s.", name, scene.Says(&status))
	}
}

// jobOf is a Job's name, or what is known about it if there is none.
func jobOf(job *batchv1.Job) string {
	if job == nil {
		return "none"
	}
	return job.Name
}
