package campaign

import (
	"io"
	"testing"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/stage"
)

// A controller that reconnects needs longer after an outage, so the stage has to know of it.
func TestTheStageKnowsOfAnOutage(t *testing.T) {
	server, err := buckets.Start(t.Context(), t.TempDir(), io.Discard)
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, server.Stop()) })
	s := &stage.Stage{Log: history.NewLog(), Store: &stage.Store{Server: server}}
	now := world{stage.World{Workspace: &v1alpha1.Workspace{}}}
	acts := storeDown().acts

	must.Succeed(t, acts[1].do(t.Context(), s, now))
	if !s.HadOutage() {
		t.Error("the stage does not know that the store is down")
	}
	must.Succeed(t, acts[len(acts)-1].do(t.Context(), s, now))
	if pause := s.AfterOutage(); !s.HadOutage() || pause == 0 {
		t.Errorf("the stage knows of an outage of %s, %t", pause, s.HadOutage())
	}
	if stimuli := s.Log.Run().Stimuli; len(stimuli) != 2 {
		t.Errorf("recorded %v", stimuli)
	}
}
