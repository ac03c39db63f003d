package learn

import (
	"fmt"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/lesson"
)

// A round plays each check once. The next round follows if all checks have passed.
type round struct {
	heading string // empty for a round that needs none
	worlds  []worlds.World
}

// everyWorld is what a user types to have code judged in every world.
const everyWorld = "all"

// rounds are those that a user wants: in one world, in every world, or in the plain world and then each check in one of
// the others.
func (r request) rounds(kind lesson.Kind) ([]round, error) {
	all := worlds.Of(kind)
	plain, others := all[:1], all[1:]
	switch {
	case r.world == everyWorld:
		var every []round
		for _, world := range all {
			every = append(every, round{fmt.Sprintf("In the world %s. %s", world.Name, world.Says), []worlds.World{world}})
		}
		return every, nil
	case r.world != "":
		world, err := worlds.Find(kind, r.world)
		if err != nil {
			return nil, usage.Errorf("%w, and WORLD=%s is every one of them", err, everyWorld)
		}
		return []round{{"", []worlds.World{world}}}, nil
	case r.check != "" || len(others) == 0:
		return []round{{"", plain}}, nil
	default:
		again := fmt.Sprintf("Once more, with others in the cluster, each check in one of these worlds: %s.", worlds.Names(others))
		return []round{{"", plain}, {again, others}}, nil
	}
}

// world is where the round plays the nth check of a lesson.
func (r round) world(seed uint64, n int) worlds.World { return worlds.Spread(r.worlds, seed, n) }
