package finding_test

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/finding"
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
		"goroutine {1}":    "goroutine {1}",
		"":                 "",
	} {
		if got := finding.ShortLine(line); got != want {
			t.Errorf("of %s\ngot  %q\nwant %q", line, got, want)
		}
	}
	withTime := finding.ShortLine(`{"level":"info","ts":"2030-01-01T12:00:00Z","msg":"x"}`)
	if !strings.HasSuffix(withTime, ":00:00 INFO  x") {
		t.Errorf("with a time: %q", withTime)
	}
}
