package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestExitCodes(t *testing.T) {
	t.Setenv(urlVariable, "")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	file := filepath.Join(t.TempDir(), "file")
	for name, test := range map[string]struct {
		ctx  context.Context
		step options
		want int
	}{
		"well":                      {t.Context(), options{write: file}, 0},
		"as asked":                  {t.Context(), options{exitCode: 3}, 3},
		"stopped":                   {stopped, options{sleep: time.Hour}, exitStopped},
		"a file that can't be made": {t.Context(), options{write: filepath.Join(file, "below")}, 1},
		"no Workspace to read":      {t.Context(), options{get: "app"}, 1},
		"no Workspace to write":     {t.Context(), options{put: "app"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.step.run(test.ctx); got != test.want {
				t.Errorf("exit code %d, want %d", got, test.want)
			}
		})
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file was not written: %s", err)
	}
}
