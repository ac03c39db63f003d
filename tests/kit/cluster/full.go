package cluster

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/controller-course/tests/kit/assets"
)

// ownStages are what the simulated node does beside kwok's own stages.
//
//go:embed stages/*.yaml
var ownStages embed.FS

// nodeName is the name of the simulated node.
const nodeName = "node-1"

// controllers are those that Jobs, owners, namespaces and our node need.
const controllers = "job,cronjob,garbagecollector,ttl-after-finished,namespace,podgc,node-lifecycle-controller"

// fullStages are what a full cluster starts on top of the API server.
func (c *Cluster) fullStages() []stage {
	return []stage{
		{string(assets.Kwok), c.startKwok},
		{string(assets.ControllerManager), c.startControllerManager},
		{string(assets.Scheduler), c.startScheduler},
		{"node", c.addNode},
		{"node ready", c.waitForNode},
	}
}

// None of the components serves anything, so that clusters do not compete for
// ports, and none is throttled below what the machine can do.
func (c *Cluster) startControllerManager() error {
	kubeconfig, err := c.componentKubeconfig(assets.ControllerManager)
	if err != nil {
		return err
	}
	return c.startComponent(assets.ControllerManager,
		"--kubeconfig="+kubeconfig, "--controllers="+controllers, "--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=500", "--kube-api-burst=1000")
}

func (c *Cluster) startScheduler() error {
	kubeconfig, err := c.componentKubeconfig(assets.Scheduler)
	if err != nil {
		return err
	}
	return c.startComponent(assets.Scheduler,
		"--kubeconfig="+kubeconfig, "--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=500", "--kube-api-burst=1000")
}

func (c *Cluster) startKwok() error {
	kubeconfig, err := c.componentKubeconfig(assets.Kwok)
	if err != nil {
		return err
	}
	stages, err := c.assets.KwokStages()
	if err != nil {
		return err
	}
	own, err := c.writeOwnStages()
	if err != nil {
		return err
	}
	flags := []string{"--kubeconfig=" + kubeconfig, "--manage-all-nodes=true"}
	for _, stage := range append(stages, own...) {
		flags = append(flags, "--config="+stage)
	}
	return c.startComponent(assets.Kwok, flags...)
}

// writeOwnStages writes our stages to where kwok can read them.
func (c *Cluster) writeOwnStages() (paths []string, err error) {
	dir := c.dataPath(string(assets.Kwok))
	if err := os.CopyFS(dir, ownStages); err != nil {
		return nil, fmt.Errorf("write our stages for kwok: %w", err)
	}
	names, err := fs.Glob(ownStages, "stages/*.yaml")
	for _, name := range names {
		paths = append(paths, filepath.Join(dir, name))
	}
	return paths, err
}

// componentKubeconfig writes the kubeconfig of a component, which has its own
// name in the audit log.
func (c *Cluster) componentKubeconfig(program assets.Binary) (path string, err error) {
	config, err := c.AddUser("system:"+string(program), "system:masters")
	if err != nil {
		return "", err
	}
	path = c.dataPath(string(program) + ".kubeconfig")
	return path, WriteKubeconfig(path, "", config)
}

// addNode adds a node that takes as many pods as anybody here could want.
func (c *Cluster) addNode() error {
	client, err := kubernetes.NewForConfig(c.config)
	if err != nil {
		return err
	}
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("10k"),
		corev1.ResourceMemory:           resource.MustParse("100Ti"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Ti"),
		corev1.ResourcePods:             resource.MustParse("20k"),
	}
	node, err := client.CoreV1().Nodes().Create(c.ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:   nodeName,
		Labels: map[string]string{corev1.LabelHostname: nodeName, corev1.LabelOSStable: "linux"},
	}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("add the node: %w", err)
	}
	node.Status = corev1.NodeStatus{Capacity: capacity, Allocatable: capacity}
	if _, err := client.CoreV1().Nodes().UpdateStatus(c.ctx, node, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("set the node's capacity: %w", err)
	}
	return nil
}
