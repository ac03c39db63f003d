package main

import (
	"context"
	"fmt"
)

// configMapName is what the ConfigMap is called in every namespace; the number is in its data, under
// the key "jobs".
const configMapName = "job-count"

// sync makes the ConfigMap of a namespace say how many Jobs there are. It does not know why it is
// called, and need not: all that it goes by is the state.
func (c *controller) sync(ctx context.Context, namespace string) error {
	jobs, err := c.count(namespace)
	if err != nil {
		return fmt.Errorf("count the Jobs in %s: %w", namespace, err)
	}
	if err := c.write(ctx, namespace, jobs); err != nil {
		return fmt.Errorf("write %s/%s: %w", namespace, configMapName, err)
	}
	return nil
}

// count returns how many Jobs a namespace has, as far as the cache knows.
func (c *controller) count(namespace string) (int, error) {
	// TODO(count): Count the Jobs of the namespace. Ask the cache, not the API server.
	return 0, nil
}

// write brings the ConfigMap of a namespace to the right number, if it isn't there yet.
func (c *controller) write(ctx context.Context, namespace string, jobs int) error {
	// TODO(write): Write the ConfigMap if there has to be one and it does not say what it has to.
	// A namespace that has neither Jobs nor the ConfigMap gets none; one that has it and no Jobs any more gets "0".
	// Where nothing has to change, nothing is sent to the API server.
	return nil
}
