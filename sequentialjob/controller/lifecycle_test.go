package controller

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// lifecycle is a world without an API server: one SequentialJob, the Jobs of its namespace, and
// reconciles that decide, act on that, and assess. Its cache is never stale; that is another matter
// than what is right to do. Whatever happens in it, checkAction and checkStatus hold each reconcile to
// their rules.
type lifecycle struct {
	t     *testing.T
	now   time.Time
	story []string // what happened, for the reader of a failure

	object  *v1alpha1.SequentialJob
	deleted bool
	jobs    map[string]*batchv1.Job

	refuse    *refusal // the API server's response to creating a Job; nil for yes
	crash     bool     // the next reconcile acts, and then the process dies
	lose      bool     // the next reconcile acts, and then the API server doesn't take the status
	vanish    bool     // the next Job that is created vanishes before the status can tell of it
	crashThen bool     // and the process dies at that
	created   []types.UID

	// What the process knows, and the names of the Jobs that it has created: none may be created
	// twice. Both are lost in a crash.
	expectations expectations
	mine         []string

	vanished, vanishedInCrash int // how many Jobs vanished before the status recorded it, and why it didn't
	ended                     map[types.UID]batchv1.JobConditionType
}

func startLifecycle(t *testing.T, object *objectBuilder) *lifecycle {
	world := &lifecycle{
		t: t, now: noon, object: object.obj(),
		jobs: map[string]*batchv1.Job{}, ended: map[types.UID]batchv1.JobConditionType{},
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the story so far:\n  %s\n%s", strings.Join(world.story, "\n  "), world)
		}
	})
	return world
}

// reconcile does one reconcile and says whether it changed anything.
func (w *lifecycle) reconcile() bool {
	w.t.Helper()
	seen := w.observe()
	next := decide(seen)
	if next != doNothing {
		w.story = append(w.story, "    controller: "+string(next))
	}
	w.checkAction(next)
	seen, acted := w.act(next, seen)
	if w.deleted {
		return true
	}
	if w.vanish && acted && next == createJob {
		w.crash = w.crash || w.crashThen
		w.vanish, w.crashThen = false, false
		defer func() {
			w.story = append(w.story, "    Job "+seen.job.Name+" vanishes")
			delete(w.jobs, seen.job.Name)
		}()
		if w.crash {
			w.vanishedInCrash++
		} else {
			w.lose = true
			w.vanished++
		}
	}
	if w.crash {
		w.crash = false
		w.expectations, w.mine = expectations{}, nil
		w.story = append(w.story, "    controller: crashes before it writes the status")
		return true
	}

	before := seen.object.DeepCopy()
	after := assess(seen)
	if !equality.Semantic.DeepEqual(before, seen.object) {
		w.t.Fatalf("assess has changed what the cache holds:\n%s", cmp.Diff(before, seen.object))
	}
	w.checkStatus(&before.Status, &after)
	if changed := !equality.Semantic.DeepEqual(before.Status, after); changed && w.lose {
		w.lose = false
		w.story = append(w.story, "    controller: can't write the status")
		return true
	}
	w.object.Status = after
	return acted || !equality.Semantic.DeepEqual(before.Status, after)
}

func (w *lifecycle) observe() facts {
	seen := facts{now: w.now, object: w.object.DeepCopy()}
	if finished(&w.object.Status) {
		w.expectations.forget(client.ObjectKeyFromObject(w.object))
		return seen
	}
	if step := currentStep(w.object.Status.Steps); step != nil && step.JobName != "" {
		seen.created = w.expectations.createdJob(w.object, step.JobName)
		if job := w.jobs[step.JobName]; job != nil && metav1.IsControlledBy(job, w.object) {
			w.expectations.recordCreation(w.object, job)
			seen.job = job.DeepCopy()
		}
	}
	return seen
}

func (w *lifecycle) act(next action, seen facts) (facts, bool) {
	switch next {
	case createJob:
		step := currentStep(seen.object.Status.Steps)
		job := newJob(seen.object, specOf(seen.object, step), seen.workspace)
		switch {
		case w.jobs[job.Name] != nil:
			seen.refusal = &refusal{reason: v1alpha1.ReasonJobConflict, message: "taken", requeueAfter: nameTakenRetry}
			return seen, false
		case w.refuse != nil:
			seen.refusal = w.refuse
			return seen, false
		}
		if slices.Contains(w.mine, job.Name) {
			w.t.Fatalf("Job %s is created for the second time by one process", job.Name)
		}
		w.mine = append(w.mine, job.Name)
		w.add(job)
		w.expectations.expectJob(w.object, job, w.now)
		w.expectations.recordCreation(w.object, job)
		seen.job = job.DeepCopy()
	case suspendJob, resumeJob:
		job := w.jobs[seen.job.Name]
		job.Spec.Suspend = new(next == suspendJob)
		w.expectations.expectJob(w.object, job, w.now)
		seen.job = job.DeepCopy()
	case stopJob:
		w.jobs[seen.job.Name].DeletionTimestamp = new(metav1.NewTime(w.now))
		w.expectations.expectDeletion(w.object, seen.job, w.now)
	case deleteObject:
		w.deleted = true
	default:
		return seen, false
	}
	return seen, true
}

func (w *lifecycle) add(job *batchv1.Job) {
	job.UID = types.UID(fmt.Sprintf("job-%d", len(w.created)+1))
	job.CreationTimestamp = metav1.NewTime(w.now.Truncate(time.Second))
	job.Status.Active = 1
	w.created = append(w.created, job.UID)
	w.jobs[job.Name] = job
}

// rest lets the controller reconcile until nothing changes any more, and then checks when it wants to
// be requeued: nothing may fall due before that, nor be forgotten.
func (w *lifecycle) rest() {
	w.t.Helper()
	for n := 0; w.reconcile(); n++ {
		if w.deleted {
			return
		}
		if n == 10 {
			w.t.Fatal("ten reconciles, nothing happens, and still the controller writes")
		}
	}
	seen := w.observe()
	if decide(seen) == createJob {
		return // refused; it is tried again and again
	}
	again := requeueAfter(seen, w.object.Status)
	untroubled := again - 1
	if again == 0 {
		untroubled = 1000 * time.Hour
	} else if !w.due(again) {
		w.t.Fatalf("the controller is requeued after %v, and then there is nothing to do", again)
	}
	if w.due(untroubled) {
		w.t.Fatalf("within %v something falls due, but the controller is requeued after %v (0: never)", untroubled, again)
	}
}

func (w *lifecycle) due(after time.Duration) bool {
	seen := w.observe()
	seen.now = seen.now.Add(after)
	return decide(seen) != doNothing || !equality.Semantic.DeepEqual(assess(seen), w.object.Status)
}

// checkAction holds what is about to be done against what the status promises.
func (w *lifecycle) checkAction(next action) {
	w.t.Helper()
	status := &w.object.Status
	step := currentStep(status.Steps)
	switch next {
	case createJob:
		if step == nil || step.JobName == "" || step.JobUID != "" || step.State != v1alpha1.StepPending {
			w.t.Fatalf("a Job is created for %+v, which isn't claimed", step)
		}
		if suspendWanted(w.object) || finished(status) {
			w.t.Fatal("a Job is created though the run is suspended or has ended")
		}
		for _, before := range status.Steps {
			if before.Name == step.Name {
				break
			}
			if before.State == v1alpha1.StepFailed && specOf(w.object, &before).OnFailure != v1alpha1.FailurePolicyContinue {
				w.t.Fatalf("a Job is created after step %q, which failed for good", before.Name)
			}
		}
		if active := w.active(); active != nil {
			w.t.Fatalf("a Job is created while Job %s is active", active.Name)
		}
	case suspendJob, resumeJob, stopJob:
		job := w.jobs[step.JobName]
		if jobFinished(job) || beingDeleted(job) {
			w.t.Fatalf("%s, though Job %s is finished or going", next, job.Name)
		}
		recorded := summary(status)
		claimed := recorded.Reason == v1alpha1.ReasonDeadlineExceeded || recorded.Reason == v1alpha1.ReasonJobDeleted
		if next == stopJob && !claimed {
			w.t.Fatalf("Job %s is stopped though the status says %s", job.Name, recorded.Reason)
		}
	case deleteObject:
		if !finished(status) {
			w.t.Fatal("the SequentialJob is deleted though its run has not ended")
		}
	}
}

// checkStatus holds a status against the one before it, and against what has really happened.
func (w *lifecycle) checkStatus(before, after *v1alpha1.SequentialJobStatus) {
	w.t.Helper()
	fail := func(format string, args ...any) {
		w.t.Helper()
		w.t.Fatalf("%s (-before +after):\n%s", fmt.Sprintf(format, args...), cmp.Diff(before, after))
	}

	if after.ObservedGeneration != w.object.Generation || after.ObservedGeneration < before.ObservedGeneration {
		fail("observedGeneration %d of a status for generation %d", after.ObservedGeneration, w.object.Generation)
	}
	if before.StartTime != nil && !before.StartTime.Equal(after.StartTime) {
		fail("startTime changed")
	}
	if after.SuspendedSeconds < before.SuspendedSeconds {
		fail("suspendedSeconds decreased")
	}

	for _, conditionType := range []string{v1alpha1.ConditionAccepted, v1alpha1.ConditionSuspended, v1alpha1.ConditionSucceeded} {
		is, was := meta.FindStatusCondition(after.Conditions, conditionType), meta.FindStatusCondition(before.Conditions, conditionType)
		switch {
		case is == nil:
			fail("no condition %s", conditionType)
		case is.ObservedGeneration != after.ObservedGeneration:
			fail("condition %s is of generation %d", conditionType, is.ObservedGeneration)
		case was != nil && (was.Status == is.Status) != was.LastTransitionTime.Equal(&is.LastTransitionTime) && !is.LastTransitionTime.Time.Equal(w.now.Truncate(time.Second)):
			fail("lastTransitionTime of %s is not when its status changed", conditionType)
		}
	}
	if len(after.Conditions) != 3 {
		fail("%d conditions", len(after.Conditions))
	}
	if meta.IsStatusConditionFalse(before.Conditions, v1alpha1.ConditionAccepted) && !meta.IsStatusConditionFalse(after.Conditions, v1alpha1.ConditionAccepted) {
		fail("Accepted=False is not final")
	}

	w.checkSteps(before, after, fail)

	if finished(before) {
		unchanged := before.DeepCopy()
		unchanged.ObservedGeneration = after.ObservedGeneration
		stampConditions(unchanged)
		if !equality.Semantic.DeepEqual(unchanged, after) {
			fail("a finished run changed")
		}
	}
	if active := w.active(); active != nil && finished(after) {
		fail("the run is called finished while Job %s is active", active.Name)
	}
	if finished(after) != (after.CompletionTime != nil) || finished(after) != (after.CurrentStep == "") {
		fail("completionTime and currentStep don't tell whether the run has ended")
	}
	if active := w.active(); active != nil && active.Status.Active > 0 && meta.IsStatusConditionTrue(after.Conditions, v1alpha1.ConditionSuspended) {
		fail("the run is called suspended while pods of Job %s run", active.Name)
	}
}

func (w *lifecycle) checkSteps(before, after *v1alpha1.SequentialJobStatus, fail func(string, ...any)) {
	w.t.Helper()
	if len(after.Steps) != len(w.object.Spec.Steps) {
		fail("%d entries for %d steps", len(after.Steps), len(w.object.Spec.Steps))
	}
	done, running, open := 0, 0, false
	for i, step := range after.Steps {
		if step.Name != w.object.Spec.Steps[i].Name {
			fail("entry %d is that of step %q", i, step.Name)
		}
		was := v1alpha1.StepStatus{Name: step.Name, State: v1alpha1.StepPending}
		if len(before.Steps) > 0 {
			was = before.Steps[i]
		}
		switch {
		case was.State != step.State && !slices.Contains(onward[was.State], step.State):
			fail("step %q went from %s to %s", step.Name, was.State, step.State)
		case stepFinished(&was) && !equality.Semantic.DeepEqual(was, step):
			fail("step %q had finished, and its entry changed", step.Name)
		case was.JobUID != "" && was.JobUID != step.JobUID:
			fail("step %q has another Job now", step.Name)
		case step.State == v1alpha1.StepSucceeded && w.ended[step.JobUID] != batchv1.JobComplete:
			fail("step %q is called succeeded, its Job didn't complete", step.Name)
		case step.State == v1alpha1.StepFailed && w.ended[step.JobUID] == batchv1.JobComplete && was.State != step.State && w.exists(step.JobUID):
			fail("step %q is called failed, its Job completed", step.Name)
		case step.State == v1alpha1.StepFailed && (step.Reason == "" || step.Message == "" || step.CompletionTime == nil):
			fail("step %q failed, and it doesn't say when and why", step.Name)
		case open && step.State != v1alpha1.StepPending:
			fail("step %q is %s before those before it have finished", step.Name, step.State)
		case open && step.JobName != "":
			fail("step %q is claimed before those before it have finished", step.Name)
		}
		if stepFinished(&after.Steps[i]) {
			if step.Reason != v1alpha1.ReasonRunFailed {
				done++
			}
		} else if !open {
			open = true
			if after.CurrentStep != step.Name {
				fail("currentStep is %q, want %q", after.CurrentStep, step.Name)
			}
		}
		if step.State == v1alpha1.StepRunning {
			running++
		}
	}
	if running > 1 {
		fail("%d steps run", running)
	}
	if want := fmt.Sprintf("%d/%d", done, len(after.Steps)); after.Progress != want {
		fail("progress is %s, want %s", after.Progress, want)
	}
}

// onward is where a step can go. A Job may be created and end without a reconcile in between, so that a
// step is never seen running.
var onward = map[v1alpha1.StepState][]v1alpha1.StepState{
	v1alpha1.StepPending: {v1alpha1.StepRunning, v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped},
	v1alpha1.StepRunning: {v1alpha1.StepSucceeded, v1alpha1.StepFailed},
}

// active returns our Job that has not ended and isn't gone; nil when there is none.
func (w *lifecycle) active() *batchv1.Job {
	var active *batchv1.Job
	for _, job := range w.jobs {
		if metav1.IsControlledBy(job, w.object) && !jobFinished(job) {
			if active != nil {
				w.t.Fatalf("Jobs %s and %s are both active", active.Name, job.Name)
			}
			active = job
		}
	}
	return active
}

// String is the status on one line: "build=Succeeded test=Running 1/2 Unknown/Running".
func (w *lifecycle) String() string {
	var words []string
	for _, step := range w.object.Status.Steps {
		words = append(words, step.Name+"="+string(step.State))
	}
	words = append(words, w.object.Status.Progress)
	if recorded := summary(&w.object.Status); recorded != nil {
		words = append(words, string(recorded.Status)+"/"+recorded.Reason)
	}
	if w.deleted {
		words = append(words, "deleted")
	}
	return strings.Join(words, " ")
}

// What can happen in this world. Each says whether it could.
type happening struct {
	name string
	do   func(*lifecycle) bool
}

var (
	nothing      = happening{"nothing", func(*lifecycle) bool { return true }}
	jobCompletes = happening{"the Job completes", func(w *lifecycle) bool { return w.end(batchv1.JobComplete, "") }}
	jobFails     = happening{"the Job fails", func(w *lifecycle) bool { return w.end(batchv1.JobFailed, "BackoffLimitExceeded") }}
	jobTimesOut  = happening{"the Job fails at its own deadline", func(w *lifecycle) bool { return w.end(batchv1.JobFailed, "DeadlineExceeded") }}
	jobVanishes  = happening{"a user removes the Job", func(w *lifecycle) bool {
		job := w.newest()
		if job != nil {
			delete(w.jobs, job.Name)
		}
		return job != nil
	}}
	jobReplaced = happening{"a user puts another Job in the Job's place", func(w *lifecycle) bool {
		job := w.active()
		step := currentStep(w.object.Status.Steps)
		if job == nil || step == nil || (step.JobUID != job.UID && w.expectations.createdJob(w.object, step.JobName) != job.UID) {
			return false // a Job that was never recorded or remembered can't be distinguished from another one
		}
		other := newJob(w.object, specOf(w.object, step), nil)
		w.add(other)
		w.created = w.created[:len(w.created)-1]
		other.UID = "replacement-of-" + job.UID
		return true
	}}
	jobVanishesUnrecorded = happening{"the Job vanishes before the status records it", func(w *lifecycle) bool {
		step := currentStep(w.object.Status.Steps)
		if step == nil || step.JobUID != "" || w.jobs[step.JobName] == nil || !metav1.IsControlledBy(w.jobs[step.JobName], w.object) {
			return false
		}
		delete(w.jobs, step.JobName)
		return true
	}}
	nextVanishesUnrecorded = happening{"the next Job is about to vanish before the status records it", func(w *lifecycle) bool { w.vanish = true; return true }}
	nextVanishesInCrash    = happening{"the next Job is about to vanish, and the controller to crash, before the status records it", func(w *lifecycle) bool {
		w.vanish, w.crashThen = true, true
		return true
	}}
	jobDeleting = happening{"a user deletes the Job, whose pods take their time", func(w *lifecycle) bool {
		job := w.active()
		if job != nil {
			job.DeletionTimestamp = new(metav1.NewTime(w.now))
		}
		return job != nil
	}}
	jobCollected = happening{"the garbage collector removes what is being deleted", func(w *lifecycle) bool {
		before := len(w.jobs)
		for name, job := range w.jobs {
			if beingDeleted(job) {
				delete(w.jobs, name)
			}
		}
		return len(w.jobs) < before
	}}
	jobObeys = happening{"the Job controller obeys spec.suspend", func(w *lifecycle) bool {
		job := w.active()
		if job == nil {
			return false
		}
		job.Status.Active, job.Status.Conditions = 1, nil
		if jobSuspendWanted(job) {
			job.Status.Active = 0
			job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}
		}
		return true
	}}
	jobMeddledWith = happening{"a user suspends or resumes the Job", func(w *lifecycle) bool {
		job := w.active()
		if job != nil {
			job.Spec.Suspend = new(!jobSuspendWanted(job))
		}
		return job != nil
	}}
	suspended = happening{"the user suspends", func(w *lifecycle) bool { return w.setSuspend(true) }}
	resumed   = happening{"the user resumes", func(w *lifecycle) bool { return w.setSuspend(false) }}
	edited    = happening{"the user takes the deadline away", func(w *lifecycle) bool {
		if w.object.Spec.ActiveDeadlineSeconds == nil {
			return false
		}
		w.object.Spec.ActiveDeadlineSeconds = nil
		w.object.Generation++
		return true
	}}
	nameTaken = happening{"another owner's Job takes the next name", func(w *lifecycle) bool {
		step := currentStep(w.object.Status.Steps)
		if step == nil || w.jobs[v1alpha1.JobName("web", step.Name)] != nil {
			return false
		}
		job := newJob(w.object, specOf(w.object, step), nil)
		job.OwnerReferences = nil
		w.jobs[job.Name] = job
		return true
	}}
	nameFreed = happening{"other owners' Jobs go", func(w *lifecycle) bool {
		before := len(w.jobs)
		for name, job := range w.jobs {
			if !metav1.IsControlledBy(job, w.object) {
				delete(w.jobs, name)
			}
		}
		return len(w.jobs) < before
	}}
	jobsForbidden = happening{"Jobs become forbidden", func(w *lifecycle) bool {
		w.refuse = &refusal{reason: v1alpha1.ReasonJobRefused, message: "quota"}
		return true
	}}
	jobsInvalid = happening{"Jobs become invalid", func(w *lifecycle) bool {
		w.refuse = &refusal{reason: v1alpha1.ReasonInvalidJobTemplate, message: "no image"}
		return true
	}}
	jobsAllowed = happening{"Jobs are allowed", func(w *lifecycle) bool { was := w.refuse; w.refuse = nil; return was != nil }}
	crashes     = happening{"the controller is about to crash", func(w *lifecycle) bool { w.crash = true; return true }}
	statusLost  = happening{"the next status can't be written", func(w *lifecycle) bool { w.lose = true; return true }}
	reconciles  = happening{"one reconcile", func(w *lifecycle) bool { return !w.deleted && w.reconcile() }}
	instant     = after(300 * time.Millisecond)
	tenSeconds  = after(10 * time.Second)
	anHour      = after(time.Hour)
)

func after(duration time.Duration) happening {
	return happening{fmt.Sprintf("%v pass by", duration), func(w *lifecycle) bool { w.now = w.now.Add(duration); return true }}
}

func (w *lifecycle) happens(what happening) bool {
	w.t.Helper()
	at := len(w.story)
	w.story = append(w.story, what.name)
	could := what.do(w)
	if !could && len(w.story) == at+1 {
		w.story = w.story[:at]
	}
	return could
}

func (w *lifecycle) end(how batchv1.JobConditionType, reason string) bool {
	job := w.active()
	if job == nil || jobSuspendWanted(job) {
		return false
	}
	job.Status.Active = 0
	job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
		Type: how, Status: corev1.ConditionTrue, Reason: reason, Message: "says the Job", LastTransitionTime: metav1.NewTime(w.now.Truncate(time.Second)),
	})
	w.ended[job.UID] = how
	return true
}

func (w *lifecycle) exists(uid types.UID) bool {
	for _, job := range w.jobs {
		if job.UID == uid {
			return true
		}
	}
	return false
}

// newest returns the last of our Jobs, finished or not.
func (w *lifecycle) newest() *batchv1.Job {
	for _, uid := range slices.Backward(w.created) {
		for _, job := range w.jobs {
			if job.UID == uid {
				return job
			}
		}
	}
	return nil
}

func (w *lifecycle) setSuspend(suspend bool) bool {
	if suspendWanted(w.object) == suspend {
		return false
	}
	w.object.Spec.Suspend = &suspend
	w.object.Generation++
	return true
}

func TestLifecycles(t *testing.T) {
	type step struct {
		happens []happening
		want    string
	}
	for name, test := range map[string]struct {
		object *objectBuilder
		steps  []step
	}{
		"all goes well": {makeObject("web").steps("build", "test"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Succeeded test=Running 1/2 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Succeeded test=Succeeded 2/2 True/AllStepsSucceeded"},
			{[]happening{jobVanishes, jobVanishes, suspended, anHour}, "build=Succeeded test=Succeeded 2/2 True/AllStepsSucceeded"},
		}},
		"a step fails": {makeObject("web").steps("build", "test"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobFails}, "build=Failed test=Skipped 1/2 False/StepFailed"},
		}},
		"a step fails, and the run continues": {makeObject("web").steps("build", "test").continueAfter("build"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobFails}, "build=Failed test=Running 1/2 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Failed test=Succeeded 2/2 True/CompletedWithFailedSteps"},
		}},
		"a Job vanishes": {makeObject("web").steps("build", "test"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobDeleting}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobCollected}, "build=Failed test=Skipped 1/2 False/JobDeleted"},
		}},
		"a finished step's Job is tidied away": {makeObject("web").steps("build", "test"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobCompletes, reconciles, jobVanishes}, "build=Succeeded test=Running 1/2 Unknown/Running"},
		}},
		"a Job is replaced": {makeObject("web").steps("build", "test").continueAfter("build"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobReplaced}, "build=Running test=Pending 0/2 Unknown/JobDeleted"},
			{[]happening{jobCollected}, "build=Failed test=Running 1/2 Unknown/Running"},
		}},
		"it starts in the middle": {makeObject("web").steps("build", "test").startAt("test"), []step{
			{[]happening{nothing}, "build=Skipped test=Running 1/2 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Skipped test=Succeeded 2/2 True/AllStepsSucceeded"},
		}},
		"it is suspended from the start": {makeObject("web").steps("build").suspend().deadline(60), []step{
			{[]happening{nothing}, "build=Pending 0/1 Unknown/Suspended"},
			{[]happening{anHour}, "build=Pending 0/1 Unknown/Suspended"},
			{[]happening{resumed}, "build=Running 0/1 Unknown/Running"},
		}},
		"it is suspended while a step runs": {makeObject("web").steps("build", "test").deadline(60), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{suspended}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobObeys}, "build=Running test=Pending 0/2 Unknown/Suspended"},
			{[]happening{anHour}, "build=Running test=Pending 0/2 Unknown/Suspended"},
			{[]happening{resumed}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobObeys, jobCompletes}, "build=Succeeded test=Running 1/2 Unknown/Running"},
			{[]happening{anHour}, "build=Succeeded test=Running 1/2 Unknown/DeadlineExceeded"},
		}},
		"its Job ends before it can be suspended": {makeObject("web").steps("build", "test"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobCompletes, suspended}, "build=Succeeded test=Pending 1/2 Unknown/Suspended"},
			{[]happening{resumed}, "build=Succeeded test=Running 1/2 Unknown/Running"},
		}},
		"it takes too long": {makeObject("web").steps("build", "test").deadline(60).continueAfter("build"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{anHour}, "build=Running test=Pending 0/2 Unknown/DeadlineExceeded"},
			{[]happening{edited}, "build=Running test=Pending 0/2 Unknown/DeadlineExceeded"},
			{[]happening{jobCollected}, "build=Failed test=Skipped 1/2 False/DeadlineExceeded"},
		}},
		"a step takes too long for itself, and a later one for the run": {makeObject("web").steps("build", "test").deadline(60).continueAfter("build"), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{jobTimesOut}, "build=Failed test=Running 1/2 Unknown/Running"},
			{[]happening{anHour}, "build=Failed test=Running 1/2 Unknown/DeadlineExceeded"},
			{[]happening{jobCollected}, "build=Failed test=Failed 2/2 False/DeadlineExceeded"},
		}},
		"its time is over before a step may start": {makeObject("web").steps("build").deadline(60), []step{
			{[]happening{jobsForbidden}, "build=Pending 0/1 Unknown/JobRefused"},
			{[]happening{anHour}, "build=Skipped 0/1 False/DeadlineExceeded"},
		}},
		"a Job is refused for a while": {makeObject("web").steps("build"), []step{
			{[]happening{jobsForbidden}, "build=Pending 0/1 Unknown/JobRefused"},
			{[]happening{suspended}, "build=Pending 0/1 Unknown/Suspended"},
			{[]happening{resumed}, "build=Pending 0/1 Unknown/JobRefused"},
			{[]happening{jobsAllowed}, "build=Running 0/1 Unknown/Running"},
		}},
		"a Job is invalid": {makeObject("web").steps("build", "test").continueAfter("build"), []step{
			{[]happening{jobsInvalid, reconciles, reconciles}, "build=Failed test=Failed 2/2 False/InvalidJobTemplate"},
		}},
		"a Job's name is taken": {makeObject("web").steps("build"), []step{
			{[]happening{reconciles, nameTaken}, "build=Pending 0/1 Unknown/JobConflict"},
			{[]happening{nameFreed}, "build=Running 0/1 Unknown/Running"},
		}},
		"it crashes after each deed": {makeObject("web").steps("build").deadline(60), []step{
			{[]happening{crashes, reconciles, reconciles, crashes, reconciles}, "build=Running 0/1 Unknown/Running"},
			{[]happening{suspended, crashes, reconciles, jobObeys}, "build=Running 0/1 Unknown/Suspended"},
			{[]happening{resumed, crashes, reconciles, jobObeys}, "build=Running 0/1 Unknown/Running"},
			{[]happening{anHour, reconciles, crashes, reconciles}, "build=Running 0/1 Unknown/DeadlineExceeded"},
			{[]happening{jobCollected, crashes, reconciles}, "build=Failed 1/1 False/DeadlineExceeded"},
		}},
		"it crashes after creating a Job, which then ends": {makeObject("web").steps("build", "test"), []step{
			{[]happening{reconciles, crashes, reconciles, jobCompletes}, "build=Succeeded test=Running 1/2 Unknown/Running"},
		}},
		"a Job vanishes before the status records it": {makeObject("web").steps("build", "test"), []step{
			{[]happening{reconciles, statusLost, reconciles, jobVanishesUnrecorded}, "build=Failed test=Skipped 1/2 False/JobDeleted"},
		}},
		"a Job vanishes before the status records it, and the run continues": {makeObject("web").steps("build", "test").continueAfter("build"), []step{
			{[]happening{reconciles, statusLost, reconciles, jobVanishesUnrecorded, statusLost, reconciles}, "build=Failed test=Running 1/2 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Failed test=Succeeded 2/2 True/CompletedWithFailedSteps"},
		}},
		"a suspended Job vanishes before the status records it": {makeObject("web").steps("build"), []step{
			{[]happening{reconciles, statusLost, reconciles, suspended, statusLost, reconciles, jobObeys, jobVanishesUnrecorded}, "build=Failed 1/1 False/JobDeleted"},
		}},
		"a Job vanishes before the status records it, past the deadline": {makeObject("web").steps("build").deadline(60), []step{
			{[]happening{reconciles, statusLost, reconciles, jobVanishesUnrecorded, anHour}, "build=Failed 1/1 False/JobDeleted"},
		}},
		"a crash, and a Job that only the dead process knew of vanishes": {makeObject("web").steps("build"), []step{
			{[]happening{reconciles, crashes, reconciles, jobVanishesUnrecorded}, "build=Running 0/1 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Succeeded 1/1 True/AllStepsSucceeded"},
		}},
		"a Job is replaced before the status records it": {makeObject("web").steps("build", "test").continueAfter("build"), []step{
			{[]happening{reconciles, statusLost, reconciles, jobReplaced}, "build=Pending test=Pending 0/2 Unknown/JobDeleted"},
			{[]happening{jobCollected}, "build=Failed test=Running 1/2 Unknown/Running"},
		}},
		"a Job is replaced before the status records it, and the controller restarts": {makeObject("web").steps("build", "test").continueAfter("build"), []step{
			{[]happening{reconciles, statusLost, reconciles, jobReplaced, reconciles, crashes, reconciles}, "build=Pending test=Pending 0/2 Unknown/JobDeleted"},
			{[]happening{jobCollected}, "build=Failed test=Running 1/2 Unknown/Running"},
		}},
		"a Job is replaced past the deadline": {makeObject("web").steps("build", "test").deadline(60), []step{
			{[]happening{nothing}, "build=Running test=Pending 0/2 Unknown/Running"},
			{[]happening{anHour, jobReplaced}, "build=Running test=Pending 0/2 Unknown/JobDeleted"},
			{[]happening{jobCollected}, "build=Failed test=Skipped 1/2 False/JobDeleted"},
		}},
		"it is tidied away": {makeObject("web").steps("build").ttl(60), []step{
			{[]happening{nothing, jobCompletes}, "build=Running 0/1 Unknown/Running"},
			{[]happening{jobCompletes}, "build=Succeeded 1/1 True/AllStepsSucceeded"},
			{[]happening{tenSeconds}, "build=Succeeded 1/1 True/AllStepsSucceeded"},
			{[]happening{anHour}, "build=Succeeded 1/1 True/AllStepsSucceeded deleted"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			world := startLifecycle(t, test.object)
			for i, step := range test.steps {
				for _, what := range step.happens {
					world.happens(what)
				}
				world.rest()
				if got := world.String(); got != step.want {
					t.Fatalf("after step %d:\n got %s\nwant %s", i+1, got, step.want)
				}
			}
		})
	}
}

// TestRandomLifecycles has anything happen at any time. It is random in what it covers, not in what
// it says: the seeds are fixed.
func TestRandomLifecycles(t *testing.T) {
	const seeds = 1000
	usual := []happening{jobCompletes, jobCollected, jobObeys, instant, tenSeconds, tenSeconds, reconciles, reconciles}
	unusual := []happening{
		jobFails, jobTimesOut, jobVanishes, jobReplaced, jobDeleting, jobMeddledWith, suspended, resumed, edited,
		nameTaken, nameFreed, jobsForbidden, jobsInvalid, jobsAllowed, crashes, statusLost,
		jobVanishesUnrecorded, nextVanishesUnrecorded, nextVanishesInCrash,
	}
	ends := map[string]int{}
	vanished, vanishedInCrash := 0, 0
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			object := makeObject("web").steps([]string{"build", "test", "deploy", "tell"}[:1+random.IntN(4)]...)
			for _, step := range object.obj().Spec.Steps {
				if random.IntN(4) > 0 {
					object.continueAfter(step.Name)
				}
			}
			if random.IntN(4) > 0 {
				object.deadline(10 + random.Int64N(60))
			}
			if random.IntN(4) == 0 {
				object.suspend()
			}
			if random.IntN(4) == 0 {
				object.startAt(object.obj().Spec.Steps[random.IntN(len(object.obj().Spec.Steps))].Name)
			}

			// A few of the unusual things in each run: with all of them no run would come far.
			mayHappen := slices.Clone(usual)
			for _, i := range random.Perm(len(unusual))[:random.IntN(6)] {
				mayHappen = append(mayHappen, unusual[i], unusual[i])
			}
			world := startLifecycle(t, object)
			for range 60 {
				world.happens(mayHappen[random.IntN(len(mayHappen))])
				if random.IntN(3) == 0 {
					world.rest()
				}
			}
			world.heal()
			ends[summary(&world.object.Status).Reason]++
			vanished += world.vanished
			vanishedInCrash += world.vanishedInCrash
		})
	}
	for _, reason := range []string{
		v1alpha1.ReasonAllStepsSucceeded, v1alpha1.ReasonStepsFailed, v1alpha1.ReasonStepFailed,
		v1alpha1.ReasonJobDeleted, v1alpha1.ReasonDeadlineExceeded, v1alpha1.ReasonInvalidJobTemplate,
	} {
		if ends[reason] < 5 {
			t.Errorf("%d of %d runs ended with %s: the test doesn't reach what it is meant to", ends[reason], seeds, reason)
		}
	}
	if vanished < 20 || vanishedInCrash < 20 {
		t.Errorf("%d Jobs vanished before the status recorded it, and %d in a crash: the test doesn't reach what it is meant to", vanished, vanishedInCrash)
	}
}

// heal takes away whatever holds the run up. It has to end then.
func (w *lifecycle) heal() {
	w.t.Helper()
	w.crash, w.lose, w.vanish, w.crashThen = false, false, false, false
	for _, what := range []happening{jobsAllowed, nameFreed, resumed} {
		w.happens(what)
	}
	for range 20 {
		w.rest()
		if finished(&w.object.Status) {
			return
		}
		for _, what := range []happening{jobCollected, jobObeys, jobCompletes} {
			w.happens(what)
		}
	}
	w.t.Fatal("nothing holds the run up any more, and still it doesn't end")
}
