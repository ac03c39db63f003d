package kind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// markPath is where the node mounts the folder that marks it as ours.
const markPath = "/controller-course"

// A node is a container of a cluster of the course's name, as Docker reports it.
type node struct {
	Name   string
	Config struct{ Image string }
	State  struct{ Running bool }
	Mounts []struct{ Source, Destination string }
}

// inspect returns the node of a cluster of the course's name, or nil.
func (c *Cluster) inspect(ctx context.Context) (*node, error) {
	id, err := docker(ctx, "ps", "--all", "--quiet", "--filter", "label=io.x-k8s.kind.cluster="+Name)
	if err != nil || id == "" {
		return nil, err
	}
	described, err := docker(ctx, "inspect", strings.Fields(id)[0])
	if err != nil {
		if strings.Contains(err.Error(), "No such object") { // it has gone just now
			return nil, nil
		}
		return nil, err
	}
	var nodes []node
	if err := json.Unmarshal([]byte(described), &nodes); err != nil || len(nodes) == 0 {
		return nil, errors.Join(fmt.Errorf("docker inspect says %s", described), err)
	}
	return &nodes[0], nil
}

// checkOwner fails unless a node belongs to this clone of the repository, or to one that is gone.
func (c *Cluster) checkOwner(n *node) error {
	for _, mount := range n.Mounts {
		if mount.Destination != markPath {
			continue
		}
		if _, err := os.Stat(mount.Source); err == nil && mount.Source != c.mark() {
			return fmt.Errorf("the cluster %s belongs to another clone of this repository, see %s: run 'make cluster-down' there", Name, mount.Source)
		}
		return nil
	}
	return fmt.Errorf("there is a kind cluster named %s that isn't the course's: if nobody needs it, 'docker rm --force --volumes %s' removes it", Name, n.Name[1:])
}

// unusable says what keeps the cluster of a node from being used as it is; nothing if it works.
func (c *Cluster) unusable(ctx context.Context, n *node) (whyNot string, err error) {
	if err := c.checkOwner(n); err != nil {
		return "", err
	}
	official, built, err := nodeImages()
	if err != nil {
		return "", err
	}
	if n.Config.Image != official.name && n.Config.Image != built.name {
		return "was made from another version of the node image, " + n.Config.Image, nil
	}
	if !n.State.Running {
		return "has stopped", nil
	}
	if _, err := os.Stat(c.Kubeconfig()); err != nil {
		return "was not made to its end", nil
	}
	if err := awaitReady(ctx, c.Kubeconfig()); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "does not respond", nil
	}
	return "", nil
}

// readyTimeout leaves a cluster that was restarted with Docker time to come up.
const readyTimeout = time.Minute

// awaitReady waits until the API server responds and pods can run.
func awaitReady(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.Timeout = 5 * time.Second
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	err = wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, readyTimeout, true, func(ctx context.Context) (bool, error) {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil || len(nodes.Items) == 0 || !isReady(nodes.Items[0]) {
			return false, nil
		}
		_, err = client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("wait for the cluster's node to become ready: %w", err)
	}
	return nil
}

func isReady(node corev1.Node) bool {
	if len(node.Spec.Taints) > 0 {
		return false
	}
	return slices.ContainsFunc(node.Status.Conditions, func(condition corev1.NodeCondition) bool {
		return condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
	})
}
