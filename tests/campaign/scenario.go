package campaign

import (
	"context"
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/stage"
)

// The object of every scenario.
const (
	object = "web"

	fetch = "fetch"
	build = "build"
	ship  = "ship"
)

// scenario is what others do to a SequentialJob: users, and those who end its Jobs.
type scenario struct {
	name  string
	title string
	beats []beat

	// ends says why the run is not over as it has to be; empty when it is. What the controller records
	// beyond that is compared with its own runs without faults.
	ends func(world) string

	// calm scenarios are run without faults only: something in them takes long.
	calm bool
	// few scenarios get no fault of which every kind of call has been through in the others: a failed
	// request is a failed request.
	few bool
}

// beat is one thing that somebody does, as soon as its time has come and the controller is quiet.
type beat struct {
	what string // "the user deletes web"
	when func(world) bool
	do   func(context.Context, *stage.Stage, world) error
}

func scenarioNamed(name string) (scenario, error) {
	var names []string
	for _, one := range scenarios() {
		if one.name == name {
			return one, nil
		}
		names = append(names, one.name)
	}
	return scenario{}, fmt.Errorf("there is no scenario %q; there are: %s", name, strings.Join(names, ", "))
}

func newObject(steps ...v1alpha1.Step) *v1alpha1.SequentialJob {
	return &v1alpha1.SequentialJob{
		ObjectMeta: metav1.ObjectMeta{Name: object},
		Spec:       v1alpha1.SequentialJobSpec{Steps: steps},
	}
}

// newStep names the container as the step, by which the judge knows whose Job is which.
func newStep(name string) v1alpha1.Step {
	return v1alpha1.Step{
		Name: name,
		JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: name, Image: "step"}},
		}}}},
	}
}

func threeSteps() []v1alpha1.Step {
	return []v1alpha1.Step{newStep(fetch), newStep(build), newStep(ship)}
}
