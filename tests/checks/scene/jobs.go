package scene

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/stage"
)

// OnlyJobsOf waits until nothing moves, and checks that a SequentialJob has the Jobs of these steps and no others.
func (s *Scene) OnlyJobsOf(name, when string, steps ...string) {
	s.Settle()
	now := s.Now(name)
	var got []string
	for _, job := range now.Jobs {
		got = append(got, stage.StepOf(job))
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(steps))
	if !slices.Equal(got, want) {
		s.FindJobs("When %s, there were Jobs for %s, but there should have been Jobs for %s.\nThe Jobs: %s.",
			when, stepsOf(got), stepsOf(want), JobsOf(now))
	}
}

// FindJobs ends the check with what is wrong about which Jobs there are, and what the controller did to them itself.
func (s *Scene) FindJobs(format string, args ...any) {
	f := finding.Finding{What: fmt.Sprintf(format, args...)}
	s.because(&f)
	s.FindAt(f)
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

// JobOf is the Job of a step. Nobody but the controller can have deleted it.
func (s *Scene) JobOf(name, step string) *batchv1.Job {
	job := s.Now(name).Job(step)
	if job == nil {
		s.FindJobs("The Job of step %s of %s is gone, and no user has deleted it.", step, name)
	}
	return job
}

// Untouched checks that the controller has not tried to write a Job. Trying to create one of that name changes nothing.
func (s *Scene) Untouched(job *batchv1.Job, whose string) {
	for _, request := range s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Verb != "create" && r.Call.Resource == "jobs" && r.Object.Name == job.Name
	}) {
		s.Find("Your controller sent a request to %s Job %s, which is %s.", request.Call.Verb, job.Name, whose)
	}
}

// Same checks that two values of the API are the same. The format introduces the difference.
func (s *Scene) Same(before, after any, format string, args ...any) {
	difference, err := Diff(before, after)
	s.Must(err)
	if difference != "" {
		s.Find("%s:\n%s", fmt.Sprintf(format, args...), difference)
	}
}

// SameAs checks that a Job is what the API server makes of a template. The controller may suspend it, and may add
// labels and annotations.
func (s *Scene) SameAs(job *batchv1.Job, template *batchv1.JobTemplateSpec) {
	want := &batchv1.Job{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	want.Namespace, want.GenerateName = s.Namespace, "like-"
	s.Must(s.Client.Create(s.Context(), want, client.DryRunAll))
	plain := func(job *batchv1.Job) batchv1.JobSpec {
		spec := job.DeepCopy().Spec
		spec.Suspend, spec.Selector = nil, nil
		spec.Template.Labels, spec.Template.Annotations = nil, nil
		return spec
	}
	s.Same(plain(want), plain(job), "Job %s differs from its step's template (-template +Job)", job.Name)
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
			if one.got[key] != value && !isOurs(key) {
				s.Find("The template has the %s %s=%q, but Job %s has %s=%q.", one.of, key, value, job.Name, key, one.got[key])
			}
		}
	}
}
