package learn

import (
	"io"
	"strings"
	"testing"
)

func TestTheLogIsWrittenByWholeLines(t *testing.T) {
	var out strings.Builder
	log := &shortLog{out: &out}
	for _, part := range []string{`{"level":"info",`, `"msg":"one"}` + "\ntwo", "\nthree"} {
		if _, err := io.WriteString(log, part); err != nil {
			t.Fatal(err)
		}
	}
	log.end()
	if want := "INFO  one\ntwo\nthree\n"; out.String() != want {
		t.Errorf("got %q, want %q", &out, want)
	}
}
