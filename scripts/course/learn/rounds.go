package learn

import (
	"fmt"
	"slices"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/lesson"
)

// A round plays checks once. The next round follows if all of them have passed.
type round struct {
	heading string // empty for a round that needs none
	worlds  []worlds.World
	sample  bool // one check in each world, not all checks
}

// everyWorld is what a user types to have code judged in every world.
const everyWorld = "all"

// rounds are those that a user wants: in one world, in every world, or in the plain world and then one check in each of the
// others.
func (r request) rounds(kind lesson.Kind) ([]round, error) {
	all := worlds.Of(kind)
	plain, others := all[:1], all[1:]
	switch {
	case r.world == everyWorld:
		var every []round
		for _, world := range all {
			every = append(every, round{fmt.Sprintf("In the world %s. %s", world.Name, world.Says), []worlds.World{world}, false})
		}
		return every, nil
	case r.world != "":
		world, err := worlds.Find(kind, r.world)
		if err != nil {
			return nil, usage.Errorf("%w, and WORLD=%s is every one of them", err, everyWorld)
		}
		if only := world.Only; r.check != "" && len(only) > 0 && !slices.Contains(only, r.check) {
			return nil, usage.Errorf("the world %s makes no difference to check %s, only to %v", world.Name, r.check, only)
		}
		return []round{{worlds: []worlds.World{world}}}, nil
	case r.check != "" || len(others) == 0:
		return []round{{worlds: plain}}, nil
	default:
		again := fmt.Sprintf("Some once more, in other worlds (WORLD=%s plays all checks in every world):", everyWorld)
		return []round{{worlds: plain}, {again, others, true}}, nil
	}
}

// of are the checks that the round plays. The seed decides which ones a sample has.
func (r round) of(checks []lesson.Check, seed uint64) []lesson.Check {
	checks = worlds.Concerned(checks, r.worlds)
	if !r.sample {
		return checks
	}
	var sample []lesson.Check
	many := len(checks)
	first := int(seed % uint64(many))
	for i, check := range checks {
		if (i-first+many)%many < len(r.worlds) {
			sample = append(sample, check)
		}
	}
	return sample
}
