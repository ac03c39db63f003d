package assets

import (
	"strings"
	"testing"
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
			assertSays(t, b.ensure(t.Context(), recipes), want...)
		})
	}
}

func TestMissingGoSaysWhatToDo(t *testing.T) {
	b, _ := testBuilder(t)
	t.Setenv("PATH", t.TempDir())
	assertSays(t, b.ensure(t.Context(), recipes), "the command go is not on the PATH", "install Go")
}

func assertSays(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Count(err.Error(), "\n") > 0 {
		t.Errorf("more than one line: %v", err)
	}
	for _, part := range want {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}
