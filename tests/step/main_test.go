package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestExitCodes(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	file := filepath.Join(t.TempDir(), "file")
	for name, test := range map[string]struct {
		ctx   context.Context
		sleep time.Duration
		code  int
		file  string
		want  int
	}{
		"well":                      {t.Context(), 0, 0, file, 0},
		"as asked":                  {t.Context(), 0, 3, "", 3},
		"stopped":                   {stopped, time.Hour, 0, "", exitStopped},
		"a file that can't be made": {t.Context(), 0, 0, filepath.Join(file, "below"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := run(test.ctx, "working", test.sleep, test.code, test.file); got != test.want {
				t.Errorf("exit code %d, want %d", got, test.want)
			}
		})
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the file was not written: %s", err)
	}
}
