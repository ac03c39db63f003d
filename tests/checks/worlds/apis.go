package worlds

import (
	"fmt"

	"example.com/controller-course/tests/lesson"
)

// generatedBy is how the names of the worlds with generated manifests begin. The seed follows, so that such a name is all
// that it takes to generate the same ones again.
const generatedBy = "generated-"

func generated(seed int) World {
	return World{
		Name: fmt.Sprint(generatedBy, seed),
		Says: "Manifests are generated from the schema of the reference: valid ones, others in which one rule is broken, and changes. The number " +
			"is the seed: the same one generates the same manifests.",
		Seed: seed,
		Only: []lesson.ID{"2.2", "2.4", "2.5"},
	}
}
