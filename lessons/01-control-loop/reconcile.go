package main

import (
	"context"
	"fmt"
)

// configMapName is the name of the ConfigMap in every namespace. Its data has the number under the key
// "jobs".
const configMapName = "job-count"

// reconcile makes the ConfigMap of a namespace say how many Jobs there are. It does not know which event
// led to it, and does not need to: it relies on the state alone.
func (c *controller) reconcile(ctx context.Context, namespace string) error {
	jobs, err := c.count(namespace)
	if err != nil {
		return fmt.Errorf("count the Jobs in %s: %w", namespace, err)
	}
	if err := c.write(ctx, namespace, jobs); err != nil {
		return fmt.Errorf("write %s/%s: %w", namespace, configMapName, err)
	}
	return nil
}

// count returns how many Jobs a namespace has, according to the cache.
func (c *controller) count(namespace string) (int, error) {
	// TODO(count): Return how many Jobs the namespace has, without a request to the API server.
	return 0, nil
}

// write makes the ConfigMap of a namespace have this number.
func (c *controller) write(ctx context.Context, namespace string, jobs int) error {
	// TODO(write): Make the ConfigMap say how many Jobs there are.
	// A namespace without Jobs gets no ConfigMap. If it has one already, the number becomes "0".
	// A ConfigMap that is correct costs no request. An update keeps what others have put into the ConfigMap:
	// labels, annotations, other data. Other readers share what the cache returns: never change it, change a copy.
	return nil
}
