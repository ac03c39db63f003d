package checks

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// The object of most checks, and its steps.
const (
	web = "web"

	fetch = "fetch"
	build = "build"
	ship  = "ship"
)

// Scene is where a check is played. Its methods do what others do in the cluster, and wait for what the
// controller has to do. When something is wrong the check ends there: they don't return.
type Scene struct {
	*stage.Stage
	ctx   context.Context
	rests []invariants.Interval

	// own says of a broken invariant whether this is what the check is about, and may put it in words that say
	// so; nil for never. See fromHere.
	own func(*finding.Finding) bool
}

// over ends a check.
type over struct {
	findings []finding.Finding
	skipped  string
	err      error // the judge's own
}

// play plays a check.
func (s *Scene) play(check Check) (findings []finding.Finding, skipped string, err error) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case over:
			findings, skipped, err = ended.findings, ended.skipped, ended.err
		default:
			panic(ended)
		}
	}()
	check.play(s)
	s.conclude()
	return nil, "", nil
}

// conclude holds what has been seen of the run to the check's rules once more, now as a whole.
func (s *Scene) conclude() {
	s.watchOver()
	frontier, err := s.Observer.Sync(s.ctx)
	s.must(err)
	violations, err := invariants.Check(s.Log.Run(), frontier, invariants.Options{Only: s.Rules, AtRest: len(s.rests) > 0, Rest: s.rests})
	s.must(err)
	if findings := stage.Broken(s.Log.Run(), violations); len(findings) > 0 {
		panic(over{findings: findings})
	}
}

// must ends the check when the judge can't go on.
func (s *Scene) must(err error) {
	if err != nil {
		panic(over{err: err})
	}
}

// Find ends the check: this is what is wrong.
func (s *Scene) Find(format string, args ...any) {
	s.FindAt(finding.Finding{What: fmt.Sprintf(format, args...)})
}

// FindAt ends the check with a finding that says more than what happened.
func (s *Scene) FindAt(f finding.Finding) {
	if f.At == 0 {
		f.At = s.Log.Now()
	}
	panic(over{findings: []finding.Finding{f}})
}

// Skip ends the check without a verdict.
func (s *Scene) Skip(why string) { panic(over{skipped: why}) }

// Start starts the controller, or its next instance, and returns when its watches are up.
func (s *Scene) Start() {
	s.must(s.StartProcess())
	s.until(func() string {
		if instance, _, _ := s.Current(); !s.Proxy.UpToDate(instance) {
			return "its watches were not up"
		}
		return ""
	})
}

// Stop asks the controller to end, as its pod is asked.
func (s *Scene) Stop() {
	if trouble := s.StopProcess(); trouble != nil {
		panic(over{findings: trouble})
	}
}

// Restart stops the controller and starts it again.
func (s *Scene) Restart() {
	s.Stop()
	s.Start()
}

// Inject lets something happen to the controller.
func (s *Scene) Inject(faults ...proxy.Fault) { s.Proxy.Inject(faults...) }

// Fault is the fault that a line tells of, as proxy.ParseFault reads it: "answer 500: create jobs web/build #1".
func (s *Scene) Fault(line string) {
	fault, err := proxy.ParseFault(line)
	s.must(err)
	s.Inject(fault)
}

// Struck waits until all faults have found what they are to strike.
func (s *Scene) Struck(what string) {
	s.until(func() string {
		if len(s.Proxy.Pending()) > 0 {
			return what
		}
		return ""
	})
}

// User records what a user does.
func (s *Scene) User(format string, args ...any) {
	s.Log.Stimulate("user", fmt.Sprintf(format, args...))
}

// Create creates a SequentialJob of that name with those steps; change may change it before.
func (s *Scene) Create(name string, steps []v1alpha1.Step, change ...func(*v1alpha1.SequentialJob)) {
	object := &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name},
		Spec:       v1alpha1.SequentialJobSpec{Steps: steps},
	}
	for _, one := range change {
		one(object)
	}
	s.User("creates %s", name)
	s.must(s.Client.Create(s.ctx, object))
}

// Change changes the spec of a SequentialJob.
func (s *Scene) Change(name, what string, change func(*v1alpha1.SequentialJobSpec)) {
	current := &v1alpha1.SequentialJob{}
	s.must(s.Client.Get(s.ctx, client.ObjectKey{Namespace: s.Namespace, Name: name}, current))
	changed := current.DeepCopy()
	change(&changed.Spec)
	s.User("%s", what)
	s.must(s.Client.Patch(s.ctx, changed, client.MergeFrom(current)))
}

// Delete deletes a SequentialJob.
func (s *Scene) Delete(name string, policy metav1.DeletionPropagation) {
	s.User("deletes %s (%s)", name, policy)
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: name}}
	s.must(s.Client.Delete(s.ctx, object, client.PropagationPolicy(policy)))
}

// Running waits until the Job of a step runs, and returns it.
func (s *Scene) Running(name, step string) *batchv1.Job {
	var job *batchv1.Job
	s.Await(name, func(w stage.World) string {
		if job = w.Running(step); job != nil {
			return ""
		}
		return s.notRunning(w, name, step)
	})
	return job
}

// notRunning says why a step's Job does not run.
func (s *Scene) notRunning(w stage.World, name, step string) string {
	job := w.Job(step)
	switch orphan := s.orphan(); {
	case w.Object == nil:
		return fmt.Sprintf("SequentialJob %s is gone", name)
	case job == nil && orphan != nil && names(orphan, name):
		return fmt.Sprintf("%s has no Job for step %s: Job %s was created, and names %s as an owner, but not as its controller "+
			"(controller: true is missing in its metadata.ownerReferences), so it is nobody's", name, step, orphan.GetName(), name)
	case job == nil && orphan != nil:
		return fmt.Sprintf("%s has no Job for step %s: Job %s was created, and has no controller reference to %s in its "+
			"metadata.ownerReferences, so it is nobody's", name, step, orphan.GetName(), name)
	case job == nil && len(w.Jobs) == 0:
		return fmt.Sprintf("%s has no Job; that of step %s was to be created", name, step)
	case job == nil:
		return fmt.Sprintf("%s has no Job for step %s; there is %s", name, step, jobsOf(w))
	case stage.Ended(job):
		return fmt.Sprintf("Job %s of step %s had ended", job.Name, step)
	case stage.IsSuspended(job):
		return fmt.Sprintf("Job %s of step %s is suspended", job.Name, step)
	default:
		return fmt.Sprintf("Job %s of step %s does not run", job.Name, step)
	}
}

// orphan is a Job that the controller has created and that nobody controls; nil where there is none.
func (s *Scene) orphan() metav1.Object {
	for _, job := range s.Observer.Objects()[kinds.Job.Resource] {
		if metav1.GetControllerOf(job) == nil {
			return job
		}
	}
	return nil
}

// names says whether a Job names a SequentialJob as an owner.
func names(job metav1.Object, name string) bool {
	return slices.ContainsFunc(job.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
		return owner.Kind == v1alpha1.Kind && owner.Name == name
	})
}

// Complete waits until the Job of a step runs, and completes it.
func (s *Scene) Complete(name, step string) {
	s.must(s.Driver.Complete(s.ctx, s.Running(name, step)))
}

// Fail waits until the Job of a step runs, and fails it.
func (s *Scene) Fail(name, step, reason, message string) {
	s.must(s.Driver.Fail(s.ctx, s.Running(name, step), reason, message))
}

// Await waits until what there is of a SequentialJob is as it should be. Until then wanting says what is
// missing, as the second half of a sentence: "web has no Job".
func (s *Scene) Await(name string, wanting func(stage.World) string) {
	s.until(func() string {
		there, err := s.World(name)
		s.must(err)
		return wanting(there)
	})
}

// Now is what there is of a SequentialJob.
func (s *Scene) Now(name string) stage.World {
	_, err := s.Observer.Sync(s.ctx) // it may be behind what was done last
	s.must(err)
	there, err := s.World(name)
	s.must(err)
	return there
}

// Settle waits until nothing moves any more, neither the controller nor whoever else would do something by
// himself.
func (s *Scene) Settle() {
	_, err := s.Observer.Sync(s.ctx) // what was done last may not show yet
	s.must(err)
	s.until(s.atWork)
}

// atWork says that the controller is at work, if it is.
func (s *Scene) atWork() string {
	if !s.IsQuiet(stage.Still) {
		return "your controller was still at work"
	}
	return ""
}

// Rest waits until nothing moves any more, and watches the controller do nothing for a while. With the rule
// I9, it must not write meanwhile. On a busy machine a controller may come to its last write late, after what
// looked like rest; so only who writes in each of several rests is blamed. Who wakes himself does.
func (s *Scene) Rest() {
	const times = 5
	for n := 1; ; n++ {
		rest := s.stillness()
		if n == times || !s.wroteIn(rest) {
			s.rests = append(s.rests, rest)
			return
		}
	}
}

// stillness is a time in which nobody moves, as far as one can tell.
func (s *Scene) stillness() invariants.Interval {
	s.Settle()
	from := s.Log.Now()
	s.until(func() string {
		if s.Log.Now()-from <= stage.Still || !s.IsQuiet(stage.Still) {
			return "your controller was still at work"
		}
		return ""
	})
	return invariants.Interval{From: from, To: s.Log.Now()}
}

// wroteIn says whether the controller has written something.
func (s *Scene) wroteIn(rest invariants.Interval) bool {
	return slices.ContainsFunc(s.Log.Run().Requests, func(r history.Request) bool {
		return r.Write() && r.Received >= rest.From && r.Received <= rest.To
	})
}

// until waits for something, and lets others do meanwhile what they do by themselves. When it does not come
// although nothing happens to the controller any more, the check ends.
func (s *Scene) until(wanting func() string) { s.wait(s.React, wanting) }

// nobody does nothing in the place of others.
func nobody(context.Context) (acted bool, err error) { return false, nil }

// wait is until with others who do something meanwhile, one thing at a time.
func (s *Scene) wait(others func(context.Context) (acted bool, err error), wanting func() string) {
	moved := s.Log.Now()
	for {
		s.watchOver()
		if wanting() == "" && s.calm() {
			return
		}
		acted := false
		if s.calm() {
			var err error
			acted, err = others(s.ctx)
			s.must(err)
		}
		if acted {
			moved = s.Log.Now()
		} else if what := wanting(); what != "" && s.Log.Now()-max(moved, s.Started(), s.LastChange()) > s.Patience {
			s.stuck(what)
		}
		s.must(s.Wait(s.ctx))
	}
}

// calm says whether others may act: the controller is up and has done what it was about to do, or it is not
// there.
func (s *Scene) calm() bool {
	_, running, killed := s.Current()
	return running == nil || killed || s.IsQuiet(stage.Quiet)
}

// stuck ends the check for want of what the controller should have done.
func (s *Scene) stuck(what string) {
	run := s.Log.Run()
	_, running, _ := s.Current()
	if refused, ok := finding.Refused(run); ok {
		panic(over{findings: s.Found(refused)})
	}
	if outcome := running.Outcome(); outcome.Panic != nil { // controller-runtime goes on after a panic
		panic(over{findings: s.Found(finding.Panicked(*outcome.Panic))})
	}
	waited := "nothing was in your controller's way"
	if slices.ContainsFunc(run.Faults, func(f history.Strike) bool { return f.Healed == 0 }) {
		waited = "nothing more happened to your controller" // which is kept from knowing something, as a check may want
	}
	f := finding.Finding{
		What: fmt.Sprintf("For %.0f s %s, and still %s.", s.Patience.Seconds(), waited, what) + turnedDown(run), At: s.LastChange(),
	}
	if orphan := s.orphan(); orphan != nil && strings.Contains(what, orphan.GetName()) {
		f.Check = "I4" // it is told where owners are explained
	}
	if r, ok := s.givenUp(run); ok {
		f.What += fmt.Sprintf("\nAt %.3f s it had asked to %s %s %s, was answered %d, and has not asked again since.",
			r.Received.Seconds(), r.Call.Verb, r.Call.Resource, r.Call.Object, r.Told)
		f.At = r.Received // what others did later says nothing of why
	}
	s.FindAt(f)
}

// givenUp is the last write that a fault had refused, if the controller has not tried it again for long.
func (s *Scene) givenUp(run history.Run) (history.Request, bool) {
	instance, _, _ := s.Current()
	for i, r := range slices.Backward(run.Requests) {
		if !r.Write() || r.Call.Resource == "events" || r.Fault == 0 {
			continue
		}
		again := slices.ContainsFunc(run.Requests[i+1:], func(later history.Request) bool {
			return later.Write() && later.Call.Resource == r.Call.Resource && later.Call.Object == r.Call.Object
		})
		return r, !again && r.Instance == instance && r.Told >= http.StatusBadRequest && s.Log.Now()-r.Received > s.Patience/2
	}
	return history.Request{}, false
}

// turnedDown tells of the last write, if the API server would not have it as it was. What a fault refused, and
// what only came too late, the controller has to cope with.
func turnedDown(run history.Run) string {
	for _, r := range slices.Backward(run.Requests) {
		if !r.Write() || r.Call.Resource == "events" {
			continue
		}
		switch r.Code {
		case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity, http.StatusUnsupportedMediaType:
			return fmt.Sprintf("\nThe API server had refused its %s %s: %d %s.\n%s", r.Call.Verb, r.Call.Resource, r.Code, r.Reason, r.Message)
		}
		return ""
	}
	return ""
}

// watchOver ends the check as soon as the controller has done something wrong.
func (s *Scene) watchOver() {
	trouble, err := s.Trouble(s.ctx)
	s.must(err)
	if len(trouble) > 0 {
		panic(over{findings: trouble})
	}
}

// newStep is a step whose container is named as the step is, by which the judge knows whose Job is which.
func newStep(name string) v1alpha1.Step {
	return v1alpha1.Step{
		Name: name,
		JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: name, Image: "step"}},
		}}}},
	}
}

func steps(names ...string) []v1alpha1.Step {
	var all []v1alpha1.Step
	for _, name := range names {
		all = append(all, newStep(name))
	}
	return all
}

func threeSteps() []v1alpha1.Step { return steps(fetch, build, ship) }

// jobsOf names the Jobs that there are.
func jobsOf(w stage.World) string {
	text := ""
	for i, job := range w.Jobs {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%s (step %s)", job.Name, stage.StepOf(job))
	}
	if text == "" {
		return "no Job"
	}
	return text
}
