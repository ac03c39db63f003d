package markdown

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/must"
)

func TestAPartIsReplaced(t *testing.T) {
	page := []byte("above\n<!-- runs:begin -->\nold\n<!-- runs:end -->\nbelow\n")
	now, err := WithPart(page, "runs", []byte("new\n"))
	must.Succeed(t, err)
	if want := strings.Replace(string(page), "old", "new", 1); string(now) != want {
		t.Errorf("got %q, want %q", now, want)
	}
}

func TestAMissingMarkIsNamed(t *testing.T) {
	for _, page := range []string{"", "<!-- runs:begin -->\n", "<!-- runs:end -->\n<!-- runs:begin -->\n"} {
		if _, err := WithPart([]byte(page), "runs", nil); err == nil || !strings.Contains(err.Error(), "<!-- runs:begin -->") {
			t.Errorf("%q: got %v", page, err)
		}
	}
}
