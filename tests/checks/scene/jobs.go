package scene

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/stage"
)

// OnlyJobsOf sees to it that a SequentialJob has these steps' Jobs and no others.
func (s *Scene) OnlyJobsOf(name, when string, steps ...string) {
	now := s.Now(name)
	var got []string
	for _, job := range now.Jobs {
		got = append(got, stage.StepOf(job))
	}
	slices.Sort(got)
	want := slices.Sorted(slices.Values(steps))
	if !slices.Equal(got, want) {
		s.Find("When %s, there were Jobs for %s; there should have been Jobs for %s.\nThere was %s.",
			when, stepsOf(got), stepsOf(want), JobsOf(now))
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

// Untouched sees to it that the controller has written nothing about a Job.
func (s *Scene) Untouched(job *batchv1.Job, whose string) {
	for _, request := range s.Log.Run().Requests {
		if request.Write() && request.Call.Resource == "jobs" && request.Object.Name == job.Name {
			s.Find("Your controller asked to %s Job %s, which is %s.", request.Call.Verb, job.Name, whose)
		}
	}
}

// SameAs sees to it that a Job is what the API server makes of a template. When and by whom it is run may
// differ, and labels and annotations may be added to it.
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
