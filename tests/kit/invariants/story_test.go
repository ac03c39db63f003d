package invariants_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/must"
)

// story makes up the history of a run. Every line of it takes a resourceVersion or a moment of its own.
type story struct {
	run      history.Run
	version  uint64
	instance int
	objects  map[string]*v1alpha1.SequentialJob
	jobs     map[string]*batchv1.Job
	options  invariants.Options // by which it is judged
}

// newStory starts with SequentialJob web, which has steps build, test and deploy, and a controller
// that watches.
func newStory() *story {
	s := &story{objects: map[string]*v1alpha1.SequentialJob{}, jobs: map[string]*batchv1.Job{}}
	s.start()
	s.sequence("web", nil)
	return s
}

func (s *story) now() time.Duration { return time.Duration(s.version) * time.Millisecond }

// tick is the next moment.
func (s *story) tick() time.Duration {
	s.version++
	return s.now()
}

// atRest says that nothing is left to do when the story ends.
func (s *story) atRest() *story {
	s.options.AtRest = true
	return s
}

// rests says that there was nothing to do for a time.
func (s *story) rests(from, to time.Duration) *story {
	s.options.Rest = []invariants.Interval{{From: from, To: to}}
	return s
}

// start starts the controller's next process, with a watch.
func (s *story) start() *story {
	s.instance++
	s.run.Processes = append(s.run.Processes, history.Process{Instance: s.instance, Started: s.tick()})
	s.run.Streams = append(s.run.Streams, history.Stream{ID: len(s.run.Streams) + 1, Instance: s.instance, Code: 200})
	return s
}

func (s *story) crash() *story {
	s.run.Processes[len(s.run.Processes)-1].Ended = s.tick()
	return s
}

// sequence adds a SequentialJob.
func (s *story) sequence(name string, change func(*v1alpha1.SequentialJob)) *story {
	object := &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "run", UID: types.UID(fmt.Sprintf("%s-%d", name, s.version)), Generation: 1},
	}
	for _, step := range []string{"build", "test", "deploy"} {
		object.Spec.Steps = append(object.Spec.Steps, v1alpha1.Step{Name: step, OnFailure: v1alpha1.FailurePolicyFail})
	}
	if change != nil {
		change(object)
	}
	s.objects[name] = object
	return s.change("ADDED", "sequentialjobs", object)
}

// write changes a SequentialJob, as a client that the history does not record.
func (s *story) write(name string, change func(*v1alpha1.SequentialJob)) *story {
	change(s.objects[name])
	return s.change("MODIFIED", "sequentialjobs", s.objects[name])
}

// edit changes the spec of web, as a user.
func (s *story) edit(change func(*v1alpha1.SequentialJobSpec)) *story {
	return s.write("web", func(o *v1alpha1.SequentialJob) {
		o.Generation++
		change(&o.Spec)
	})
}

// status changes the status of web, as the controller.
func (s *story) status(change func(*v1alpha1.SequentialJobStatus)) *story {
	return s.writes("update", "sequentialjobs/status", "web", 200, func() {
		s.write("web", func(o *v1alpha1.SequentialJob) { change(&o.Status) })
	})
}

// says sets steps' states of web: "build Running".
func (s *story) says(lines ...string) *story {
	return s.status(func(status *v1alpha1.SequentialJobStatus) { say(status, lines...) })
}

// say sets steps' states, and conditions: "build Running", "Succeeded=True".
func say(status *v1alpha1.SequentialJobStatus, lines ...string) {
	for _, line := range lines {
		if conditionType, value, ok := strings.Cut(line, "="); ok {
			meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: conditionType, Status: metav1.ConditionStatus(value)})
			continue
		}
		name, state, _ := strings.Cut(line, " ")
		entry := v1alpha1.StepStatus{Name: name, State: v1alpha1.StepState(state)}
		i := slices.IndexFunc(status.Steps, func(known v1alpha1.StepStatus) bool { return known.Name == name })
		if i < 0 {
			status.Steps = append(status.Steps, entry)
			continue
		}
		status.Steps[i] = entry
	}
}

// mark lets a user delete a SequentialJob that something holds; remove, one that nothing holds.
func (s *story) mark(name string) *story {
	return s.write(name, func(o *v1alpha1.SequentialJob) {
		o.Generation++
		o.DeletionTimestamp = new(metav1.Unix(1, 0))
	})
}

func (s *story) remove(name string) *story {
	return s.change("DELETED", "sequentialjobs", s.objects[name])
}

// creates lets the controller create a Job for a step of web: "build". The Job is named web-build
// unless a name follows: "build web-build-2".
func (s *story) creates(step string, changes ...func(*batchv1.Job)) *story {
	s.writes("create", "jobs", "web/"+stepOf(step), 201, func() { s.appears(step, changes...) })
	return s.lastRequest(func(r *history.Request) { r.UID = s.uid(jobOf(step)) })
}

// appears adds a Job for a step of web, as a client that the history does not record.
func (s *story) appears(step string, changes ...func(*batchv1.Job)) *story {
	name, owner := jobOf(step), s.objects["web"]
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "run", UID: types.UID(fmt.Sprintf("%s-%d", name, s.version)),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))},
		},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: stepOf(step)}}}}},
	}
	for _, change := range changes {
		change(job)
	}
	s.jobs[name] = job
	return s.change("ADDED", "jobs", job)
}

func stepOf(words string) string { return strings.Fields(words)[0] }

func jobOf(words string) string {
	if fields := strings.Fields(words); len(fields) == 2 {
		return fields[1]
	}
	return "web-" + words
}

// job changes a Job, as a client that the history does not record: the Job controller, a user.
func (s *story) job(name string, change func(*batchv1.Job)) *story {
	change(s.jobs[name])
	return s.change("MODIFIED", "jobs", s.jobs[name])
}

// shows sets a condition of a Job: "Complete".
func (s *story) shows(name string, condition batchv1.JobConditionType) *story {
	return s.job(name, func(job *batchv1.Job) {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: condition, Status: corev1.ConditionTrue})
	})
}

// runs has a step of web created and completed.
func (s *story) runs(steps ...string) *story {
	for _, step := range steps {
		s.creates(step).shows("web-"+step, complete)
	}
	return s
}

// fails has a step of web created and failed, and loses one created and removed.
func (s *story) fails(step string) *story { return s.creates(step).shows("web-"+step, failed) }

func (s *story) loses(step string) *story { return s.creates(step).removeJob("web-" + step) }

func (s *story) markJob(name string) *story {
	return s.job(name, func(job *batchv1.Job) { job.DeletionTimestamp = new(metav1.Unix(1, 0)) })
}

func (s *story) removeJob(name string) *story { return s.change("DELETED", "jobs", s.jobs[name]) }

// asks lets the controller send a request, which gets its response immediately.
func (s *story) asks(request history.Request) *story {
	request.Received = s.tick()
	return s.respond(request)
}

// writes lets the controller make a change.
func (s *story) writes(verb, resource, object string, code int, change func()) *story {
	r := request(verb, resource, object, code)
	r.Received = s.tick()
	change()
	r.UID, r.ResourceVersion = s.uid(object), s.version
	return s.respond(r)
}

// touches lets the controller send a request about an object, which does not change it.
func (s *story) touches(verb, resource, object string) *story {
	r := request(verb, resource, object, 200)
	if r.UID = s.uid(object); verb != "delete" {
		r.ResourceVersion = s.version
	}
	return s.asks(r)
}

// reads lets the controller read web.
func (s *story) reads() *story { return s.touches("get", "sequentialjobs", "web") }

// patches lets the controller change web, and patchesJob a Job.
func (s *story) patches(change func(*v1alpha1.SequentialJob)) *story {
	return s.writes("patch", "sequentialjobs", "web", 200, func() { s.write("web", change) })
}

func (s *story) patchesJob(object string, change func(*batchv1.Job)) *story {
	return s.writes("patch", "jobs", object, 200, func() { s.job(nameOf(object), change) })
}

// uid is that of the object with a logical name.
func (s *story) uid(object string) string {
	if job := s.jobs[nameOf(object)]; job != nil {
		return string(job.UID)
	}
	return string(s.objects["web"].UID)
}

// respond completes a request that has been received.
func (s *story) respond(request history.Request) *story {
	request.ID = len(s.run.Requests) + 1
	request.Instance = s.instance
	if request.Object.Name == "" {
		request.Object = history.Name{Namespace: "run", Name: nameOf(string(request.Call.Object))}
	}
	request.Committed, request.Answered, request.Returned = s.now(), s.now(), request.Code
	s.run.Requests = append(s.run.Requests, request)
	return s
}

// lastRequest changes what was recorded of the request that was answered last.
func (s *story) lastRequest(change func(*history.Request)) *story {
	change(&s.run.Requests[len(s.run.Requests)-1])
	return s
}

// delivers delivers an object as it is now to the controller's watch.
func (s *story) delivers(object metav1.Object) *story {
	version, _ := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	received := s.tick()
	s.run.Frames = append(s.run.Frames, history.Frame{
		Stream: len(s.run.Streams), UID: string(object.GetUID()), ResourceVersion: version, Received: received, Delivered: received,
	})
	return s
}

// nameOf is the name of the object with a logical name: "web-build" of "web/build".
func nameOf(object string) string { return strings.ReplaceAll(object, "/", "-") }

func request(verb, resource, object string, code int) history.Request {
	return history.Request{Call: history.Call{Verb: verb, Resource: resource, Object: history.Logical(object), Nth: 1}, Code: code}
}

func (s *story) change(event, resource string, object metav1.Object) *story {
	seen := s.tick()
	object.SetResourceVersion(strconv.FormatUint(s.version, 10))
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		panic(err)
	}
	s.run.Changes = append(s.run.Changes, history.Change{
		ResourceVersion: s.version, Seen: seen, Type: event, Resource: resource,
		Object: &unstructured.Unstructured{Object: fields},
	})
	return s
}

// end is all there is.
const end = ^uint64(0)

// What a Job shows.
const (
	complete, failed, suspended = batchv1.JobComplete, batchv1.JobFailed, batchv1.JobSuspended
	criteriaMet, failureTarget  = batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget
)

// test is a story, and what the invariant must say about it: words that each violation's text must contain,
// or none if there must be no violation, with the reason.
type test struct {
	story  *story
	want   []string
	reason string
}

func breaks(story *story, want ...string) test { return test{story: story, want: want} }

func holds(story *story, because ...string) test {
	return test{story: story, reason: strings.Join(because, "")}
}

// runTests holds stories to one invariant.
func runTests(t *testing.T, id invariants.ID, tests map[string]test) {
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.story.options.Only = []invariants.ID{id}
			violations, err := invariants.Check(test.story.run, end, test.story.options)
			must.Succeed(t, err)
			var got []string
			for i, violation := range violations {
				got = append(got, violation.What)
				if i < len(test.want) && strings.Contains(violation.What, test.want[i]) {
					got[i] = test.want[i]
				}
				if violation.Invariant != id || violation.Rule == "" || violation.At == 0 || len(violation.Changes)+len(violation.Requests) == 0 {
					t.Errorf("the violation does not say what, when and where: %+v", violation)
				}
			}
			assert.Equal(t, "violations; "+test.reason, got, test.want)
		})
	}
}
