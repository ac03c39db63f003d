package main

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
)

func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir()) // not inside the repository: what runs, fails
	for _, test := range []struct {
		args string
		code int
		says string
	}{
		{"--help", 0, ""},
		{"playground down", exitFailed, "not inside the repository"},
		{"nonsense", exitUsage, `unknown command "nonsense"`},
		{"assets --nonsense", exitUsage, "unknown flag: --nonsense; see scripts/course.sh assets --help"},
		{"assets nonsense", exitUsage, `unknown command "nonsense"`},
		{"playground nonsense", exitUsage, `invalid argument "nonsense"`},
		{"playground", exitUsage, "accepts 1 arg"},
		{"load", exitUsage, "requires at least 1 arg"},
	} {
		t.Run(test.args, func(t *testing.T) {
			root := newRootCmd()
			root.SetArgs(strings.Fields(test.args))
			root.SetOut(io.Discard)
			var stderr bytes.Buffer
			code := run(t.Context(), root, &stderr)
			if code != test.code || !strings.Contains(stderr.String(), test.says) {
				t.Errorf("exit code %d, stderr %q; want %d and %q", code, &stderr, test.code, test.says)
			}
			if strings.Count(stderr.String(), "\n") > 1 {
				t.Errorf("more than one line: %s", &stderr)
			}
		})
	}
}

func TestNotJudgedIsNeitherAFailureNorASuccess(t *testing.T) {
	root := newRootCmd()
	root.AddCommand(&cobra.Command{Use: "try", RunE: func(*cobra.Command, []string) error {
		return errors.Join(usage.NotJudgedf("nothing failed, but 1 of 2 checks could not be judged"), nil)
	}})
	root.SetArgs([]string{"try"})
	var stderr bytes.Buffer
	code := run(t.Context(), root, &stderr)
	if want := "nothing failed, but 1 of 2 checks could not be judged\n"; code != exitNotJudged || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q; want %d and %q", code, &stderr, exitNotJudged, want)
	}
}
