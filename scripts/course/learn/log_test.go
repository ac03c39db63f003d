package learn

import (
	"io"
	"strings"
	"testing"
)

func TestTheLogInShort(t *testing.T) {
	const object = `"controller":"sequentialjob","controllerGroup":"batch.example.com","controllerKind":"SequentialJob",` +
		`"SequentialJob":{"name":"web","namespace":"default"},"namespace":"default","name":"web","reconcileID":"5b3a"`
	for line, want := range map[string]string{
		`{"level":"error","ts":"yesterday","msg":"Reconciler error",` + object + `,"error":"jobs.batch is forbidden","stacktrace":"a\n\tb"}`://
		"ERROR Reconciler error: jobs.batch is forbidden  SequentialJob=default/web",
		`{"level":"error","msg":"Observed a panic",` + object + `,"panic":"boom","stacktrace":"main.f\n\tf.go:3"}`://
		"ERROR Observed a panic  SequentialJob=default/web  panic=boom\nmain.f\n\tf.go:3",
		`{"level":"info","msg":"Starting workers","worker count":1}`: "INFO  Starting workers  worker count=1",
		`{"level":"info"}`: `{"level":"info"}`,
		"panic: boom":      "panic: boom",
		"":                 "",
	} {
		if got := short(line); got != want {
			t.Errorf("of %s\ngot  %q\nwant %q", line, got, want)
		}
	}
	withTime := short(`{"level":"info","ts":"2030-01-01T12:00:00Z","msg":"x"}`)
	if !strings.HasSuffix(withTime, ":00:00 INFO  x") {
		t.Errorf("with a time: %q", withTime)
	}
}

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
