// Package assert compares what a test gets with what it wants.
package assert

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal fails the test if the two differ, and shows how. The test goes on.
func Equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
