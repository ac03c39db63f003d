package lesson02

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func specSchema(t *testing.T) *schema {
	root, err := reference()
	must.Succeed(t, err)
	spec := root.Properties["spec"]
	return &spec
}

func TestASeedGeneratesTheSameObjects(t *testing.T) {
	spec := specSchema(t)
	again := generated(spec, 7, 5)
	for i, object := range generated(spec, 7, 5) {
		assert.Equal(t, "an object of the same seed", object, again[i])
	}
	if others := generated(spec, 8, 5); equality.Semantic.DeepEqual(again, others) {
		t.Error("two seeds generate the same objects")
	}
}

func TestBreachesBreakWhatTheySay(t *testing.T) {
	all := choose(specSchema(t), 1)
	own := map[string]bool{}
	for _, one := range all {
		before := one.at.of(one.object)
		broken := one.broken(one.object)
		if equality.Semantic.DeepEqual(broken, one.object) {
			t.Errorf("%s: nothing has changed", one.name)
		}
		if !equality.Semantic.DeepEqual(one.at.of(one.object), before) {
			t.Errorf("%s: the valid object has changed", one.name)
		}
		if one.own() {
			own[one.rule] = true
		}
	}
	for _, rule := range []string{
		"spec.steps[0].onFailure is empty", "spec.steps[n].onFailure is empty", "spec.startAt is the beginning of a step's name",
		"spec.steps[n].jobTemplate.spec.suspend is set", "spec.activeDeadlineSeconds is too great", "spec.steps[n] is in the list twice",
		"spec.steps[n].name makes a Job's name of 64 characters, together with metadata.name",
	} {
		if !own[rule] {
			t.Errorf("no generated object breaks the rule %q", rule)
		}
	}
}

func TestWhatIsShrunkStaysValidAndFails(t *testing.T) {
	spec := specSchema(t)
	for _, object := range generated(spec, 1, 20) {
		last := path{"spec", "steps"}.item(len(stepNames(object)) - 1)
		fails := func(object map[string]any) bool { return last.of(object) != nil }
		small := shrunk(spec, object, last.to("name"), fails)
		assert.Equal(t, "what a shrunk object keeps", last.to("name").of(small), last.to("name").of(object))
		for _, at := range optional(spec, small["spec"], path{"spec"}) {
			if smaller, is := without(small, at, last.to("name")); is && fails(smaller) {
				t.Errorf("%s could be left out of %v", at, small)
			}
		}
		if (path{"spec", "steps", "0", "jobTemplate", "spec", "template", "spec", "restartPolicy"}).of(small) == nil {
			t.Errorf("%v has no restartPolicy", small)
		}
	}
}
