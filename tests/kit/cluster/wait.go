package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	pollInterval = 20 * time.Millisecond
	// startTimeout bounds each thing that a start waits for. It leaves room for
	// a machine that is busy with something else.
	startTimeout = time.Minute
)

func (c *Cluster) waitForNamespace(name string) error {
	err := poll(c.ctx, func(ctx context.Context) bool {
		_, err := c.client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		return err == nil
	})
	if err != nil {
		return fmt.Errorf("wait for the namespace %s: %w", name, err)
	}
	return nil
}

// waitForNode waits until pods can be scheduled: kwok has made the node ready,
// and the controller manager has seen that and removed the taint.
func (c *Cluster) waitForNode() error {
	err := poll(c.ctx, func(ctx context.Context) bool {
		node, err := c.client.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
		return err == nil && len(node.Spec.Taints) == 0 && isReady(node)
	})
	if err != nil {
		return fmt.Errorf("wait for the node to become ready (see kwok.log and kube-controller-manager.log in %s): %w", c.logPath(""), err)
	}
	return nil
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	})
}

func poll(ctx context.Context, done func(context.Context) bool) error {
	return wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true,
		func(ctx context.Context) (bool, error) { return done(ctx), nil })
}
