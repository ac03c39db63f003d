package process

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
)

func TestEndOf(t *testing.T) {
	const panicked = "starting\npanic: no configuration\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:7 +0x1\n"
	const survived = `{"msg":"Observed a panic","panic":"boom","stacktrace":"goroutine 5 [running]:"}` + "\n"
	for name, test := range map[string]struct {
		log      string
		exitCode int
		want     string
	}{
		"an error":                      {"starting\nno configuration\n", 1, "exit code 1"},
		"a panic":                       {panicked, 2, "panic: no configuration"},
		"a panic before another end":    {panicked, 1, "exit code 1"},
		"a panic that was recovered":    {survived, 2, "exit code 2"},
		"a signal":                      {"starting\n", 137, "exit code 137, after signal: killed"},
		"an end without an error":       {"", 0, "exit code 0"},
		"an exit code that is no panic": {"starting\n", 2, "exit code 2"},
	} {
		got := EndOf(test.log, test.exitCode)
		assert.Equal(t, name+": how it ended", got.How, test.want)
		assert.Equal(t, name+": its exit code", got.ExitCode, test.exitCode)
	}
}

func TestEndOfKeepsTheLastLines(t *testing.T) {
	assert.Equal(t, "its last lines", EndOf("starting\nno configuration\n", 1).LastLines, []string{"starting", "no configuration"})
}
