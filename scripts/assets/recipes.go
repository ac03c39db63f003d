package assets

import (
	"slices"
	"time"
)

// An upstream is a project that binaries are built from. The go.mod in its
// folder pins the version of its module.
type upstream struct {
	folder string
	module string
}

var (
	kubernetes = upstream{folder: "kubernetes", module: "k8s.io/kubernetes"}
	etcd       = upstream{folder: "etcd", module: "go.etcd.io/etcd/server/v3"}
	kwok       = upstream{folder: "kwok", module: "sigs.k8s.io/kwok"}
)

// A recipe tells how to build one binary.
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

func recipesOf(binaries []Binary) []recipe {
	var found []recipe
	for _, r := range recipes {
		if slices.Contains(binaries, r.binary) {
			found = append(found, r)
		}
	}
	return found
}
