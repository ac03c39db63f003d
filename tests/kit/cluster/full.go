package cluster

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
)

// ownStages are what the simulated node does in addition to kwok's own stages.
//
//go:embed stages/*.yaml
var ownStages embed.FS

// nodeName is the name of the simulated node.
const nodeName = "node-1"

// controllers are those that Jobs, owners, namespaces and our node need.
const controllers = "job,cronjob,garbagecollector,ttl-after-finished,namespace,podgc,node-lifecycle-controller"

// fullStages are what a full cluster starts on top of the API server.
func (c *Cluster) fullStages() []stage {
	// Neither serves anything, so that clusters do not compete for ports, and neither is throttled below what the
	// machine can do.
	flags := []string{"--leader-elect=false", "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=1000"}
	return []stage{
		{string(assets.Kwok), c.startKwok},
		{string(assets.ControllerManager), func() error {
			return c.startComponent(assets.ControllerManager, append(flags, "--controllers="+controllers)...)
		}},
		{string(assets.Scheduler), func() error { return c.startComponent(assets.Scheduler, flags...) }},
		{"node", c.addNode},
		{"node ready", c.waitForNode},
	}
}

// startKwok starts kwok with its own stages and ours, which it has to be able to read.
func (c *Cluster) startKwok() error {
	stages, err := c.assets.KwokStages()
	if err != nil {
		return err
	}
	dir := c.dataPath(string(assets.Kwok))
	if err := os.CopyFS(dir, ownStages); err != nil {
		return fmt.Errorf("write our stages for kwok: %w", err)
	}
	own, err := repo.Glob(filepath.Join(dir, "stages"), "*.yaml")
	if err != nil {
		return err
	}
	flags := []string{"--manage-all-nodes=true"}
	for _, stage := range append(stages, own...) {
		flags = append(flags, "--config="+stage)
	}
	return c.startComponent(assets.Kwok, flags...)
}

// addNode adds a node that takes as many pods as anybody here could want.
func (c *Cluster) addNode() error {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("10k"),
		corev1.ResourceMemory:           resource.MustParse("100Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Ti"),
		corev1.ResourcePods:             resource.MustParse("20k"),
	}
	node, err := c.client.CoreV1().Nodes().Create(c.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:   nodeName,
		Labels: map[string]string{corev1.LabelHostname: nodeName, corev1.LabelOSStable: "linux"},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("add the node: %w", err)
	}
	node.Status = corev1.NodeStatus{Capacity: capacity, Allocatable: capacity}
	if _, err := c.client.CoreV1().Nodes().UpdateStatus(c.ctx, node, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("set the node's capacity: %w", err)
	}
	return nil
}
