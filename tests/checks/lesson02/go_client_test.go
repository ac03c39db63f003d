package lesson02

import (
	"testing"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/assert"
)

func TestChangesOf(t *testing.T) {
	for name, test := range map[string]struct {
		read, written string
		want          []string
	}{
		"a default that is added":    {`spec: {startAt: a}`, `spec: {startAt: a, suspend: false, steps: []}`, nil},
		"a default that is left out": {`spec: {startAt: a, suspend: false}`, `spec: {startAt: a}`, nil},
		"another value that is lost": {`spec: {startAt: a, suspend: true}`, `spec: {startAt: a}`, []string{"spec.suspend was true and is unset"}},
		"a 0 that is lost": {`spec: {startAt: a, ttlSecondsAfterFinished: 0}`, `spec: {startAt: a}`,
			[]string{"spec.ttlSecondsAfterFinished was 0 and is unset"}},
		"a 0 that is added": {`spec: {startAt: a}`, `spec: {startAt: a, activeDeadlineSeconds: 0}`,
			[]string{"spec.activeDeadlineSeconds was unset and is 0"}},
		"a value that becomes the default": {`spec: {suspend: true}`, `spec: {suspend: false}`, []string{"spec.suspend was true and is false"}},
	} {
		assert.Equal(t, name, changesOf(crds.Parse(test.read), crds.Parse(test.written)), test.want)
	}
}
