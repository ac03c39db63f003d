package stage

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/process"
)

// sleeping is a controller that does nothing.
func sleeping(t *testing.T) *process.Process {
	t.Helper()
	program := filepath.Join(t.TempDir(), "controller")
	must.Succeed(t, os.WriteFile(program, []byte("#!/bin/sh\nexec sleep 3600\n"), 0o755))
	running, err := process.Start(process.Options{Binary: program, Config: &rest.Config{}, Dir: t.TempDir()})
	must.Succeed(t, err)
	t.Cleanup(running.Kill)
	return running
}

func TestWhatSaysMoreThanAMissingWatch(t *testing.T) {
	running := sleeping(t)
	for name, test := range map[string]struct {
		instance int // which has sent many requests
		want     finding.Check
	}{
		"it asks all the time":            {2, finding.CheckFlood},
		"the process before has asked so": {1, finding.CheckWatch},
	} {
		run := history.Run{Processes: []history.Process{{Instance: 1}, {Instance: 2}}}
		for range 300 {
			run.Requests = append(run.Requests, history.Request{Instance: test.instance})
		}
		assert.Equal(t, name, unsynced(run, 2, running).Check, test.want)
	}
}

func TestWatchesCountAsRequests(t *testing.T) {
	s := &Stage{Log: history.NewLog(), processes: []*process.Process{sleeping(t)}, killed: map[int]bool{}}
	s.Log.Write(func(run *history.Run) {
		run.Processes = []history.Process{{Instance: 1, Started: 1, UpToDate: 1}}
		run.Requests = make([]history.Request, most/2)
		run.Streams = make([]history.Stream, most/2+1)
	})
	trouble, err := s.Trouble(t.Context())
	must.Succeed(t, err)
	if len(trouble) != 1 {
		t.Fatalf("%d findings, want one", len(trouble))
	}
	assert.Equal(t, "the finding", trouble[0].Check, finding.CheckFlood)
}
