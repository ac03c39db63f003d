package worlds_test

import (
	"testing"

	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/lesson"
)

func TestWorlds(t *testing.T) {
	for _, kind := range []lesson.Kind{lesson.Controller, lesson.ClientProgram, lesson.API} {
		all := worlds.Of(kind)
		if !all[0].IsPlain() {
			t.Errorf("for %s the first world is %s, want the plain one", kind, all[0].Name)
		}
		for _, world := range all {
			found, err := worlds.Find(kind, world.Name)
			if err != nil || found.Name != world.Name || world.Says == "" {
				t.Errorf("for %s, Find(%q) = %q, %v; it says %q", kind, world.Name, found.Name, err, world.Says)
			}
			for _, line := range world.Faults {
				if fault, err := proxy.ParseFault(line); err != nil || !fault.Next.Reads {
					t.Errorf("in the world %s, %q is %v, %v; want a fault of reads, which need not strike", world.Name, line, fault, err)
				}
			}
		}
	}
	_, err := worlds.Find(lesson.Controller, "flat")
	if err == nil || err.Error() != `there is no world "flat" for a controller of SequentialJobs; there is plain, crowded, odd, hard` {
		t.Errorf("of an unknown world: %v", err)
	}
}

func TestSpread(t *testing.T) {
	all := worlds.Of(lesson.Controller)[1:]
	for _, seed := range []uint64{0, 7, 1 << 63, 1<<64 - 1} {
		met := map[string]bool{}
		for n := range all {
			met[worlds.Spread(all, seed, n).Name] = true
		}
		assert.Equal(t, "worlds that as many checks in a row meet", len(met), len(all))
		assert.Equal(t, "the world of the same seed", worlds.Spread(all, seed, 3).Name, worlds.Spread(all, seed, 3).Name)
	}
}
