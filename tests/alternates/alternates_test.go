// Package alternates_test runs the right controllers of another design, each in its own folder. Without faults,
// their runs must end like those of the finished operator. The campaign covers runs with faults.
package alternates_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/subject"
)

func TestAlternatesEndAsTheFinishedOperator(t *testing.T) {
	finished, err := subject.Finished(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	want := endsOf(t, finished)
	for _, name := range []string{"recompute", "read-your-writes"} {
		t.Run(name, func(t *testing.T) {
			alternate, err := subject.Other(name, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			got := endsOf(t, alternate)
			for _, one := range scenarios {
				if diff := cmp.Diff(want[one.name].String(), got[one.name].String()); diff != "" {
					t.Errorf("%s (-finished operator +%s):\n%s", one.name, name, diff)
				}
			}
		})
	}
}

// endsOf plays all scenarios at the same time, with a controller on its own cluster, where it has only the
// permissions of its role. It returns what the SequentialJobs are like in the end.
func endsOf(t *testing.T, controller subject.Subject) map[string]canonical.State {
	t.Helper()
	if err := controller.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := cluster.Start(t.Context(), cluster.Options{CRDs: []string{controller.CRDs}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	running, err := controller.Start(t.Context(), c, filepath.Join(t.TempDir(), "controller"))
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]canonical.State, len(scenarios))
	t.Run(filepath.Base(controller.Binary), func(t *testing.T) {
		for i, one := range scenarios {
			t.Run(one.name, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, c.Config())
				one.play(w)
				ends[i] = w.end()
			})
		}
	})
	if err := running.Stop(); err != nil {
		t.Error(err)
	}
	if t.Failed() {
		t.Fatalf("the end of its log:\n%s", running.Outcome().LastLines)
	}
	named := map[string]canonical.State{}
	for i, one := range scenarios {
		named[one.name] = ends[i]
	}
	return named
}
