package assets

import (
	"slices"
	"time"
)

// An upstream is a project that binaries are built from. The go.mod in its folder pins the version of its module.
type upstream struct {
	folder string
	module string
	short  string // its name in the names of cache folders
	// tags are the build tags of what is linked with C, statically; what has none is built without C.
	tags string
}

var (
	kubernetes = upstream{folder: "kubernetes", module: "k8s.io/kubernetes", short: "k8s"}
	etcd       = upstream{folder: "etcd", module: "go.etcd.io/etcd/server/v3", short: "etcd"}
	kwok       = upstream{folder: "kwok", module: "sigs.k8s.io/kwok", short: "kwok"}

	nats = upstream{folder: "nats", module: "github.com/nats-io/nats-server/v2", short: "nats"}

	containerd = upstream{folder: "containerd", module: "github.com/containerd/containerd/v2", short: "containerd"}
	// Without seccomp, which takes a library in C, no pod starts.
	runc       = upstream{folder: "runc", module: "github.com/opencontainers/runc", short: "runc", tags: "seccomp,netgo,osusergo"}
	criTools   = upstream{folder: "cri-tools", module: "sigs.k8s.io/cri-tools", short: "cri"}
	cniPlugins = upstream{folder: "cni-plugins", module: "github.com/containernetworking/plugins", short: "cni"}
	coredns    = upstream{folder: "coredns", module: "github.com/coredns/coredns", short: "dns"}
)

// A recipe says how to build one binary.
type recipe struct {
	binary Binary
	upstream
	pkg string
	// usually is how long it takes on 2 cores with nothing cached but what
	// the recipes before it leave in Go's build cache.
	usually time.Duration
}

var recipes = []recipe{
	{Etcd, etcd, "go.etcd.io/etcd/server/v3", 40 * time.Second},
	{APIServer, kubernetes, "k8s.io/kubernetes/cmd/kube-apiserver", 3 * time.Minute},
	{ControllerManager, kubernetes, "k8s.io/kubernetes/cmd/kube-controller-manager", 40 * time.Second},
	{Scheduler, kubernetes, "k8s.io/kubernetes/cmd/kube-scheduler", 10 * time.Second},
	{Kubectl, kubernetes, "k8s.io/kubernetes/cmd/kubectl", 20 * time.Second},
	{Kwok, kwok, "sigs.k8s.io/kwok/cmd/kwok", 70 * time.Second},
}

// nodeRecipes are for what a real node needs besides the recipes above.
var nodeRecipes = []recipe{
	{Kubelet, kubernetes, "k8s.io/kubernetes/cmd/kubelet", 60 * time.Second},
	{Kubeadm, kubernetes, "k8s.io/kubernetes/cmd/kubeadm", 20 * time.Second},
	{KubeProxy, kubernetes, "k8s.io/kubernetes/cmd/kube-proxy", 20 * time.Second},
	{Containerd, containerd, "github.com/containerd/containerd/v2/cmd/containerd", 40 * time.Second},
	{ContainerdShim, containerd, "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2", 5 * time.Second},
	{Ctr, containerd, "github.com/containerd/containerd/v2/cmd/ctr", 5 * time.Second},
	{Runc, runc, "github.com/opencontainers/runc", 20 * time.Second},
	{Crictl, criTools, "sigs.k8s.io/cri-tools/cmd/crictl", 30 * time.Second},
	{HostLocal, cniPlugins, "github.com/containernetworking/plugins/plugins/ipam/host-local", 5 * time.Second},
	{Loopback, cniPlugins, "github.com/containernetworking/plugins/plugins/main/loopback", 5 * time.Second},
	{PTP, cniPlugins, "github.com/containernetworking/plugins/plugins/main/ptp", 5 * time.Second},
	{Portmap, cniPlugins, "github.com/containernetworking/plugins/plugins/meta/portmap", 5 * time.Second},
	{CoreDNS, coredns, "github.com/coredns/coredns", 90 * time.Second},
}

var natsRecipes = []recipe{
	{Nats, nats, "github.com/nats-io/nats-server/v2", 20 * time.Second},
}

func recipesOf(binaries []Binary) []recipe {
	var found []recipe
	for _, r := range recipes {
		if slices.Contains(binaries, r.binary) {
			found = append(found, r)
		}
	}
	return found
}
