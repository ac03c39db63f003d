package assets

import (
	"fmt"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
)

func TestFailuresSayWhatToDo(t *testing.T) {
	for behaviour, want := range map[string][]string{
		"disk full": {"build etcd: a disk is full", "3 GB free", "go env GOCACHE"},
		"offline":   {"modules could not be downloaded", "GOPROXY", "copy ", "KUBEBUILDER_ASSETS", "no such host"},
		"too old":   {"Go is too old", "requires go >= 1.26.0"},
	} {
		t.Run(behaviour, func(t *testing.T) {
			fakeGo(t, behaviour)
			b, _ := testBuilder(t)
			assertLine(t, b.ensure(t.Context(), recipes), want...)
		})
	}
}

func TestMissingGoSaysWhatToDo(t *testing.T) {
	b, _ := testBuilder(t)
	t.Setenv("PATH", t.TempDir())
	assertLine(t, b.ensure(t.Context(), recipes), "the command go is not on the PATH", "install Go")
}

// assertLine fails unless an error is one line that has all these parts.
func assertLine(t *testing.T, err error, parts ...string) {
	t.Helper()
	assert.Error(t, err, parts...)
	if strings.Contains(fmt.Sprint(err), "\n") {
		t.Errorf("more than one line: %v", err)
	}
}
