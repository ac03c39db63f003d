// Package assert compares what a test gets with what it wants. A test continues after a difference.
package assert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal fails the test if the two differ, and shows how.
func Equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Contains fails the test if the text lacks one of the parts.
func Contains(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %q:\n%s", what, part, text)
		}
	}
}

// Error fails the test if there is no error, or if its text lacks one of the parts.
func Error(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", parts)
		return
	}
	Contains(t, "the error", err.Error(), parts...)
}
