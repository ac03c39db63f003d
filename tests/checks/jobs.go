package checks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// verbs are those by which a controller may make or change a Job.
var verbs = []string{"create", "patch", "update"}

// onWrites has the next writes about a Job struck, however the controller makes it: "web/build".
func (s *Scene) onWrites(job string, action proxy.Action, times int) {
	made := map[history.Call]int{}
	for _, request := range s.Log.Run().Requests {
		call := request.Call
		made[history.Call{Verb: call.Verb, Resource: call.Resource, Object: call.Object}]++
	}
	for _, verb := range verbs {
		call := history.Call{Verb: verb, Resource: "jobs", Object: history.Logical(job)}
		before := made[call]
		for n := range times {
			call.Nth = before + n + 1
			s.Inject(proxy.Fault{Action: action, Call: call})
		}
	}
}

// crashAt has the controller crash when it has made a Job, before it can know. See crashed.
func (s *Scene) crashAt(job string) { s.onWrites(job, proxy.CrashAfterCommit, 1) }

// crashed waits for a crash.
func (s *Scene) crashed(job string) {
	s.until(func() string {
		if _, _, killed := s.Current(); !killed {
			return fmt.Sprintf("the Job %s had not been created", job)
		}
		return ""
	})
	s.Proxy.Disarm()
}

// pause waits until the controller has been told what there is of a SequentialJob, and nothing moves any more.
// Others do nothing meanwhile.
func (s *Scene) pause(name string) {
	s.wait(nobody, s.uninformed(name))
	s.wait(nobody, s.atWork)
}

// only sees to it that a SequentialJob has these steps' Jobs and no others.
func (s *Scene) only(name, when string, steps ...string) {
	now := s.Now(name)
	var got []string
	for _, job := range now.Jobs {
		got = append(got, stage.StepOf(job))
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(steps))
	if !slices.Equal(got, want) {
		s.Find("When %s, there were Jobs for %s; there should have been Jobs for %s.\nThere was %s.",
			when, stepsOf(got), stepsOf(want), jobsOf(now))
	}
}

func stepsOf(names []string) string {
	switch len(names) {
	case 0:
		return "no step"
	case 1:
		return "step " + names[0]
	default:
		return "steps " + strings.Join(names, ", ")
	}
}

// reread is a Job as it is now.
func (s *Scene) reread(job *batchv1.Job) *batchv1.Job {
	now := &batchv1.Job{}
	s.must(s.Client.Get(s.ctx, client.ObjectKeyFromObject(job), now))
	return now
}

// leftover is a Job of a step of an earlier SequentialJob of that name, which something holds.
func (s *Scene) leftover(name, step string) *batchv1.Job {
	like := newStep(step).JobTemplate
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.Namespace, GenerateName: name + "-" + step + "-", Finalizers: []string{"example.com/archive"},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: name,
				UID: types.UID("00000000-0000-4000-8000-0000000000e0"), Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: like.Spec,
	}
	if current := s.Now(name).Job(fetch); current != nil {
		job.Labels = map[string]string{}
		for key, value := range ownLabels(current) {
			job.Labels[key] = strings.ReplaceAll(value, fetch, step)
		}
	}
	s.User("has left behind a Job of step %s, of an earlier SequentialJob that was also called %s", step, name)
	s.must(s.Client.Create(s.ctx, job))
	return job
}

// ownLabels are the labels of a Job, but for those that the API server gives every Job.
func ownLabels(job *batchv1.Job) map[string]string {
	own := maps.Clone(job.Labels)
	maps.DeleteFunc(own, func(key, _ string) bool {
		return strings.HasPrefix(key, "batch.kubernetes.io/") || key == "job-name" || key == "controller-uid"
	})
	return own
}

// foreignJob is a Job that seems to be a step's, and is not.
type foreignJob struct {
	job  *batchv1.Job
	step string
}

// tookForeign says whether a Job was created because somebody else's was Complete, and puts the finding in
// these words. That is so when the Job of that step was not about to end, or was not there.
func (s *Scene) tookForeign(f *finding.Finding, owner *v1alpha1.SequentialJob, foreign []foreignJob) bool {
	if f.Check != "I1" && f.Check != "I2" {
		return false
	}
	run := s.Log.Run()
	created := run.Requests[f.Requests[0]-1]
	_, step, _ := strings.Cut(string(created.Call.Object), "/")
	place := func(step string) int {
		return slices.IndexFunc(owner.Spec.Steps, func(one v1alpha1.Step) bool { return one.Name == step })
	}
	var what []string
	var shown []uint64
	for _, other := range foreign {
		complete := false
		var seen []uint64
		var own *batchv1.Job
		for _, change := range run.Changes {
			if change.Resource != "jobs" || change.ResourceVersion >= created.ResourceVersion {
				continue
			}
			job := &batchv1.Job{}
			s.must(runtime.DefaultUnstructuredConverter.FromUnstructured(change.Object.Object, job))
			switch {
			case job.UID == other.job.UID && (change.Type == "ADDED" || !complete && stage.Holds(job, batchv1.JobComplete)):
				complete = stage.Holds(job, batchv1.JobComplete)
				seen = append(seen, change.ResourceVersion)
			case metav1.IsControlledBy(job, owner) && stage.StepOf(job) == other.step:
				own = job
			}
		}
		ends := own != nil && (stage.Ended(own) || stage.Holds(own, batchv1.JobSuccessCriteriaMet) || stage.Holds(own, batchv1.JobFailureTarget))
		if !complete || ends || place(other.step) >= place(step) {
			continue
		}
		what = append(what, other.mistaken(owner, own))
		shown = append(shown, seen...)
	}
	if len(what) == 0 {
		return false
	}
	f.What = strings.Join(what, "\n") + fmt.Sprintf("\nSo it created Job %s of step %s too early.", created.Object.Name, step)
	f.Changes = append(slices.Clone(f.Changes), shown...)
	f.When = finding.Explain(run, f.Requests, f.Changes)
	return true
}

// mistaken says for what somebody else's Job was taken, and what shows whose it is. own is the Job that the
// step has, if it has one.
func (o foreignJob) mistaken(owner *v1alpha1.SequentialJob, own *batchv1.Job) string {
	text := fmt.Sprintf("Job %s is somebody else's: ", o.job.Name)
	if len(o.job.Labels) > 0 {
		text += fmt.Sprintf("it bears the labels of step %s's Job, but ", o.step)
	}
	controller := metav1.GetControllerOf(o.job)
	if controller.Kind == v1alpha1.Kind && controller.Name == owner.Name {
		text += fmt.Sprintf("it is controlled by an earlier %s %s (UID %s), and not by this one (UID %s). ",
			controller.Kind, controller.Name, controller.UID, owner.UID)
	} else {
		text += fmt.Sprintf("it is controlled by %s %s, and not by %s. ", controller.Kind, controller.Name, owner.Name)
	}
	text += fmt.Sprintf("When it was Complete, your controller took it for the Job of step %s, which ", o.step)
	if own == nil {
		return text + "had none yet."
	}
	return text + fmt.Sprintf("is %s and had not finished.", own.Name)
}

// untouched sees to it that the controller has written nothing about a Job.
func (s *Scene) untouched(job *batchv1.Job, whose string) {
	for _, request := range s.Log.Run().Requests {
		if request.Write() && request.Call.Resource == "jobs" && request.Object.Name == job.Name {
			s.Find("Your controller asked to %s Job %s, which is %s.", request.Call.Verb, job.Name, whose)
		}
	}
}

// sameAs sees to it that a Job is what the API server makes of a template. When and by whom it is run may
// differ, and labels and annotations may be added to it.
func (s *Scene) sameAs(job *batchv1.Job, template *batchv1.JobTemplateSpec) {
	want := &batchv1.Job{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	want.Namespace, want.GenerateName = s.Namespace, "like-"
	s.must(s.Client.Create(s.ctx, want, client.DryRunAll))
	plain := func(job *batchv1.Job) batchv1.JobSpec {
		spec := job.DeepCopy().Spec
		spec.Suspend, spec.Selector = nil, nil
		spec.Template.Labels, spec.Template.Annotations = nil, nil
		return spec
	}
	if difference := cmp.Diff(plain(want), plain(job)); difference != "" {
		s.Find("Job %s is not what its step's template asks for (-template +Job):\n%s", job.Name, difference)
	}
	for _, one := range []struct {
		of        string
		want, got map[string]string
	}{
		{"label", template.Labels, job.Labels},
		{"annotation", template.Annotations, job.Annotations},
		{"label of the pod", template.Spec.Template.Labels, job.Spec.Template.Labels},
		{"annotation of the pod", template.Spec.Template.Annotations, job.Spec.Template.Annotations},
	} {
		for key, value := range one.want {
			if one.got[key] != value {
				s.Find("The template has the %s %s=%s; Job %s has %s=%q.", one.of, key, value, job.Name, key, one.got[key])
			}
		}
	}
}
