package campaign

import (
	"context"
	"fmt"
	"strings"

	"example.com/controller-course/tests/kit/stage"
)

// scenario is what others do to a SequentialJob: users, and those who end its Jobs.
type scenario struct {
	name  string
	title string
	acts  []act

	// ends says why the run is not over as it has to be; empty when it is. What the controller records
	// beyond that is compared with its own runs without faults.
	ends func(world) string

	// store scenarios are about a Workspace, which has a bucket in an object store outside the cluster.
	store bool

	// narrow scenarios get only the faults of what they are about: Workspaces, Secrets, and the store.
	narrow bool

	// late scenarios get one fault only: a request to create a bucket is done when its Workspace is gone, because an act of theirs
	// says so.
	late bool

	// calm scenarios are run without faults only: something in them takes long.
	calm bool
	// few scenarios get no fault of which every kind of call has been through in the others: a failed
	// request is a failed request.
	few bool
}

// act is one action of a user or of the Job controller. It happens once its condition holds and the controller is quiet.
type act struct {
	what string // "the user deletes web"
	when func(world) bool
	do   func(context.Context, *stage.Stage, world) error
}

func scenarioNamed(name string) (scenario, error) {
	var names []string
	for _, one := range scenarios() {
		if one.name == name {
			return one, nil
		}
		names = append(names, one.name)
	}
	return scenario{}, fmt.Errorf("there is no scenario %q; there are: %s", name, strings.Join(names, ", "))
}
