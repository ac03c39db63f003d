package explore

import (
	"slices"
	"testing"

	"example.com/controller-course/tests/checks/generated"
)

func TestEachActButTheFirstIsLeftOutOnce(t *testing.T) {
	run := generated.Run{"create web fetch", "suspend web", "resume web", "complete web"}
	for size, want := range map[int][]string{
		1: {"create web fetch; resume web; complete web", "create web fetch; suspend web; complete web", "create web fetch; suspend web; resume web"},
		2: {"create web fetch; complete web", "create web fetch; suspend web; resume web"},
		3: {"create web fetch"},
	} {
		var got []string
		for _, shorter := range without(run, size) {
			got = append(got, shorter.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("without %d acts: got %q, want %q", size, got, want)
		}
	}
}
