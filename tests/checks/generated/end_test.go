package generated

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/must"
)

func TestHowARunHasToEnd(t *testing.T) {
	for name, test := range map[string]struct {
		object string
		fates  map[string]fate
		want   metav1.ConditionStatus
	}{
		"nothing has started":         {"web fetch,build", nil, metav1.ConditionUnknown},
		"a step has not finished":     {"web fetch,build", map[string]fate{"fetch": unfinished}, metav1.ConditionUnknown},
		"the next one has no Job":     {"web fetch,build", map[string]fate{"fetch": succeeded}, metav1.ConditionUnknown},
		"all have succeeded":          {"web fetch,build", map[string]fate{"fetch": succeeded, "build": succeeded}, metav1.ConditionTrue},
		"one has failed":              {"web fetch,build", map[string]fate{"fetch": failed}, metav1.ConditionFalse},
		"one was removed":             {"web fetch,build", map[string]fate{"fetch": removed}, metav1.ConditionFalse},
		"one may fail":                {"web fetch,build continue=fetch", map[string]fate{"fetch": failed, "build": succeeded}, metav1.ConditionTrue},
		"it starts at the second one": {"web fetch,build startAt=build", map[string]fate{"build": succeeded}, metav1.ConditionTrue},
	} {
		t.Run(name, func(t *testing.T) {
			object, err := objectOf(strings.Fields(test.object))
			must.Succeed(t, err)
			object.UID = "1"
			fates := map[place]fate{}
			for step, became := range test.fates {
				fates[place{"1", step}] = became
			}
			if got, why := outcomeOf("web", object, fates); got != test.want {
				t.Errorf("got %s, because %s; want %s", got, why, test.want)
			}
		})
	}
}
