package kinds_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/kinds"
)

func TestUnowned(t *testing.T) {
	right := metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: "web", Controller: new(true)}
	with := func(change func(*metav1.OwnerReference)) metav1.OwnerReference {
		reference := right
		change(&reference)
		return reference
	}
	groupless := with(func(r *metav1.OwnerReference) { r.APIVersion = "v1alpha1" })
	another := with(func(r *metav1.OwnerReference) { r.Kind = "sequentialjobs" })
	plain := with(func(r *metav1.OwnerReference) { r.Controller = nil })
	const asIs = "; a SequentialJob has apiVersion batch.example.com/v1alpha1, kind SequentialJob"
	for name, test := range map[string]struct {
		references []metav1.OwnerReference
		want       string
	}{
		"none":                {nil, "it has no metadata.ownerReferences"},
		"right":               {[]metav1.OwnerReference{right}, ""},
		"another owner first": {[]metav1.OwnerReference{with(func(r *metav1.OwnerReference) { r.Kind, r.Controller = "Pod", nil }), right}, ""},
		"without the group":   {[]metav1.OwnerReference{groupless}, "its owner reference names apiVersion v1alpha1, kind SequentialJob" + asIs},
		"another kind":        {[]metav1.OwnerReference{another}, "its owner reference names apiVersion batch.example.com/v1alpha1, kind sequentialjobs" + asIs},
		"not the controller, after another owner": {[]metav1.OwnerReference{with(func(r *metav1.OwnerReference) { r.Kind, r.Controller = "Pod", nil }), plain},
			"its owner reference to web does not say controller: true"},
		"not the controller":            {[]metav1.OwnerReference{plain}, "its owner reference to web does not say controller: true"},
		"another one is its controller": {[]metav1.OwnerReference{plain, another}, "its owner reference names apiVersion batch.example.com/v1alpha1, kind sequentialjobs" + asIs},
	} {
		assert.Equal(t, name, kinds.Unowned(&metav1.ObjectMeta{OwnerReferences: test.references}), test.want)
	}
}
