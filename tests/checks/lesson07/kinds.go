package lesson07

import (
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// ours are the kinds that a controller of SequentialJobs may watch. The finished operator knows Workspaces too.
var ours = []string{kinds.SequentialJob.Resource, kinds.Job.Resource, kinds.Workspace.Resource}

// twoKinds has runs succeed, fail, be suspended and be refused. Nothing of that needs another kind, not even the reason of a
// failure.
func twoKinds(s *scene.Scene) {
	const failing, paused, refused, may, coded = "failing", "paused", "refused", "may", "coded"
	s.Begin()
	s.Complete(sample.Web, sample.Fetch)
	s.Create(failing, sample.Steps(sample.Fetch, sample.Build))
	s.Fail(failing, sample.Fetch)
	s.ConditionIs(failing, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	onlyOurs(s)
	explained(s, failing, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded)

	// What explains a failure stays in the status when the next step changes it.
	optional := sample.Steps(sample.Fetch, sample.Build)
	optional[0].OnFailure = v1alpha1.FailurePolicyContinue
	s.Create(may, optional)
	s.Fail(may, sample.Fetch)
	s.Running(may, sample.Build)
	s.StepIs(may, sample.Build, v1alpha1.StepRunning)
	s.Settle()
	explained(s, may, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded)

	// The message about an exit code is long, and the code is at its end.
	s.Create(coded, failingAtACode(sample.Steps(sample.Fetch)))
	job := s.Running(coded, sample.Fetch)
	message := fmt.Sprintf("Container %s for pod %s/%s-x7k2p failed with exit code 42 matching FailJob rule at index 0", longestName, job.Namespace, job.Name)
	s.Must(s.Driver.Fail(s.Context(), job, batchv1.JobReasonPodFailurePolicy, message))
	s.ConditionIs(coded, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	explained(s, coded, batchv1.JobReasonPodFailurePolicy, message)

	s.Create(paused, sample.Steps(sample.Fetch))
	s.Running(paused, sample.Fetch)
	s.Suspend(paused)
	s.ConditionIs(paused, v1alpha1.ConditionSuspended, metav1.ConditionTrue)
	s.OnWrites(kinds.Job.Resource, refused+"/"+sample.Fetch, proxy.AnswerDenied, 2)
	s.Create(refused, sample.Steps(sample.Fetch))
	s.Struck("your controller has not tried to create the Job of step fetch of " + refused)
	s.Settle()
	onlyOurs(s)
	s.Complete(refused, sample.Fetch)
	s.Complete(sample.Web, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	s.Settle()
	onlyOurs(s)
}

// mayWatch says whether a controller may watch or list a kind. From lesson 9 on, another controller of the same process has the Secrets
// of Workspaces, and asks the object store.
func mayWatch(s *scene.Scene, resource string) bool {
	ofStore := resource == kinds.Secret.Resource || resource == buckets.Resource
	return slices.Contains(ours, resource) || ofStore && s.Store != nil
}

// onlyOurs checks which kinds the controller has watched or listed.
func onlyOurs(s *scene.Scene) {
	run := s.Log.Run()
	for _, stream := range run.Streams {
		if !mayWatch(s, stream.Resource) {
			s.FindAt(finding.Finding{At: stream.Opened, What: fmt.Sprintf("Your controller watches %s. It opened this watch %s: %s %s. "+
				"A cache keeps all objects that its watch selects.",
				stream.Resource, sinceStart(run, stream.Instance, stream.Opened), stream.Resource, stream.Scope)})
		}
	}
	lists := s.Requests(func(r history.Request) bool { return r.Call.Verb == "list" && !mayWatch(s, r.Call.Resource) })
	if len(lists) > 0 {
		s.FindRequests(lists, "Your controller lists %s: the first time %s.",
			lists[0].Call.Resource, sinceStart(run, lists[0].Instance, lists[0].Received))
	}
}

// sinceStart says how long after the start of a process something happened.
func sinceStart(run history.Run, instance int, at time.Duration) string {
	return fmt.Sprintf("%.1f s after its start", (at - run.Processes[instance-1].Started).Seconds())
}

// longestName is as long as the name of a container can be.
var longestName = strings.Repeat("a", validation.DNS1123LabelMaxLength)

// failingAtACode gives the templates of steps another container, with a podFailurePolicy that fails the Job at its exit code 42.
func failingAtACode(steps []v1alpha1.Step) []v1alpha1.Step {
	for i := range steps {
		job := &steps[i].JobTemplate.Spec
		job.Template.Spec.Containers = append(job.Template.Spec.Containers, corev1.Container{Name: longestName, Image: "step"})
		job.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action: batchv1.PodFailurePolicyActionFailJob,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				ContainerName: &longestName, Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42},
			},
		}}}
	}
	return steps
}

// explained checks that the entry of the failed step fetch has the reason and the message of its Job's condition.
func explained(s *scene.Scene, name, reason, message string) {
	entry := scene.StepIn(&s.Now(name).Object.Status, sample.Fetch)
	if entry.Reason != reason || !strings.Contains(entry.Message, message) {
		s.Find("Step %s of %s has failed. Its Job's condition says why: %s, %q. The step's entry in the status has the reason %q and the message %q.",
			sample.Fetch, name, reason, message, entry.Reason, entry.Message)
	}
}

// getsALateJob has the API server create a Job when its run has ended at the deadline: the process that asked for it has ended before. Your controller
// may look at its own objects for that, but by no other watch.
func getsALateJob(s *scene.Scene, name string) {
	s.Create(name, sample.Steps(sample.Fetch, sample.Build), func(object *v1alpha1.SequentialJob) { object.Spec.ActiveDeadlineSeconds = new(int64(3600)) })
	s.Running(name, sample.Fetch)
	s.StepIs(name, sample.Fetch, v1alpha1.StepRunning)
	s.OnWrites(kinds.Job.Resource, name+"/"+sample.Build, proxy.CommitLate, 1)
	s.Complete(name, sample.Fetch)
	s.CrashedBy("step fetch of " + name + " has succeeded, but your controller has not tried to start step build")
	s.Elapse(2*time.Hour, name)
	s.Start()
	s.ConditionIs(name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	s.Settle()
	s.Heal()
	s.Needs("the API server to do what a process had asked for that has ended", func() bool { return s.Now(name).Job(sample.Build) != nil })
	s.Settle()
}

// once has a run end and expire, another one end, a third one reach its deadline, and a fourth one get a Job after its end, and checks that no event has reached the controller by two watches.
func once(s *scene.Scene) {
	const limited, expired, late = "limited", "expired", "late"
	s.Begin()
	s.Create(expired, sample.Steps(sample.Fetch), func(object *v1alpha1.SequentialJob) { object.Spec.TTLSecondsAfterFinished = new(int32(0)) })
	s.Complete(expired, sample.Fetch)
	s.Await(expired, func(w stage.World) string {
		if w.Object != nil {
			return fmt.Sprintf("the time to live of SequentialJob %s is 0, but it still exists. Its status says: %s", expired, scene.Says(&w.Object.Status))
		}
		return ""
	})
	s.Underway(limited, sample.Fetch)
	s.Limit(limited, 1)
	s.ConditionIs(limited, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonDeadlineExceeded)
	getsALateJob(s, late)
	s.Complete(sample.Web, sample.Fetch, sample.Build, sample.Ship)
	s.Succeeded(sample.Web)
	s.Settle()
	run := s.Log.Run()
	for _, one := range run.Streams {
		for _, other := range run.Streams[one.ID:] {
			if one.Instance == other.Instance && one.Resource == other.Resource && together(run, one, other) {
				s.FindAt(finding.Finding{At: other.Opened, What: fmt.Sprintf("Your controller has two watches of %s at the same time, which deliver the same events:\n"+
					"%s %s;\n%s %s.\nEach of them fills a cache of its own.",
					one.Resource, one.Resource, one.Scope, other.Resource, other.Scope)})
			}
		}
	}
}

// together says whether two watches have delivered the same event, and both were open for a while. A watch that follows
// another one may repeat its last event.
func together(run history.Run, one, other history.Stream) bool {
	first, last := map[int]time.Duration{}, map[int]time.Duration{}
	streams := map[history.Moment][]int{}
	same := false
	for _, frame := range run.Frames {
		if frame.Delivered == 0 || frame.Stream != one.ID && frame.Stream != other.ID {
			continue
		}
		if first[frame.Stream] == 0 {
			first[frame.Stream] = frame.Delivered
		}
		last[frame.Stream] = max(last[frame.Stream], frame.Delivered)
		if frame.Moment != (history.Moment{}) {
			streams[frame.Moment] = append(streams[frame.Moment], frame.Stream)
			same = same || slices.Contains(streams[frame.Moment], one.ID) && slices.Contains(streams[frame.Moment], other.ID)
		}
	}
	return same && last[one.ID] > first[other.ID] && last[other.ID] > first[one.ID]
}

// refused has the API server refuse a Job for a while. All others must go on meanwhile, and this one afterwards.
func refused(s *scene.Scene) {
	const refused, other, later = "refused", "other", "later"
	const often = 1000 // until Disarm
	s.Start()
	s.Create(other, sample.Steps(sample.Fetch, sample.Build))
	s.Running(other, sample.Fetch)
	s.OnWrites(kinds.Job.Resource, refused+"/"+sample.Fetch, proxy.AnswerDenied, often)
	s.Create(refused, sample.Steps(sample.Fetch))
	s.Struck("your controller has not tried to create the Job of step fetch of " + refused)
	s.Complete(other, sample.Fetch, sample.Build)
	s.Succeeded(other)
	s.Create(later, sample.Steps(sample.Fetch))
	s.Complete(later, sample.Fetch)
	s.Succeeded(later)
	s.Disarm()
	s.Complete(refused, sample.Fetch)
	s.Succeeded(refused)
}
