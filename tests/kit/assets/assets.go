// Package assets provides the control plane's binaries. They are built from the modules that the go.mod files in the
// neighbouring folders pin, once for each set of versions, into the user's cache directory.
package assets

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/repo"
)

// Environment variable that names a folder with an etcd and a kube-apiserver
// to be used in place of our own. Everything else still comes from the cache.
const controlPlaneEnv = "KUBEBUILDER_ASSETS"

// Binary is the file name of a program.
type Binary string

// The programs of a cluster. Etcd and APIServer are what tests need; all of them make the full set.
const (
	Etcd              Binary = "etcd"
	APIServer         Binary = "kube-apiserver"
	ControllerManager Binary = "kube-controller-manager"
	Scheduler         Binary = "kube-scheduler"
	Kubectl           Binary = "kubectl"
	Kwok              Binary = "kwok"
)

// The programs of a real node, which Node provides besides.
const (
	Kubelet        Binary = "kubelet"
	Kubeadm        Binary = "kubeadm"
	KubeProxy      Binary = "kube-proxy"
	Containerd     Binary = "containerd"
	ContainerdShim Binary = "containerd-shim-runc-v2"
	Ctr            Binary = "ctr"
	Runc           Binary = "runc"
	Crictl         Binary = "crictl"
	HostLocal      Binary = "host-local"
	Loopback       Binary = "loopback"
	PTP            Binary = "ptp"
	Portmap        Binary = "portmap"
	CoreDNS        Binary = "coredns"
)

// Nats is the server that has what is outside the cluster, which NATS provides.
const Nats Binary = "nats-server"

// What the programs of a cluster, those of a real node, and NATS are built from. The
// folders they are cached in are named for it.
var (
	natsUpstreams    = []upstream{nats}
	clusterUpstreams = []upstream{kubernetes, etcd, kwok}
	nodeUpstreams    = []upstream{kubernetes, containerd, runc, criTools, cniPlugins, coredns}
)

// Dir is the folder with the binaries.
type Dir struct {
	controlPlane string
	cache        string
}

// Path returns the path of a binary. It exists if the call that returned the Dir promised it.
func (d Dir) Path(b Binary) string {
	if b == Etcd || b == APIServer {
		return filepath.Join(d.controlPlane, string(b))
	}
	return filepath.Join(d.cache, string(b))
}

// KwokStages returns the paths of the stages that let kwok's nodes become ready and its pods run and complete.
func (d Dir) KwokStages() ([]string, error) {
	stages, err := repo.Glob(filepath.Join(d.cache, stagesDir), "*.yaml")
	if err == nil && len(stages) == 0 {
		err = os.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("find kwok's stages in %s: %w", filepath.Join(d.cache, stagesDir), err)
	}
	return stages, nil
}

// ControlPlane provides Etcd and APIServer: those in KUBEBUILDER_ASSETS where that is set, otherwise ours, which it
// builds if they are not cached. What it does while building goes to out; with a filled cache it writes nothing, runs
// nothing and needs no network.
func ControlPlane(ctx context.Context, out io.Writer) (Dir, error) {
	return provide(ctx, out, Etcd, APIServer)
}

// Full provides every Binary and kwok's stages in the way of ControlPlane.
func Full(ctx context.Context, out io.Writer) (Dir, error) {
	return provide(ctx, out, Etcd, APIServer, ControllerManager, Scheduler, Kubectl, Kwok)
}

// NATS provides Nats, in the way of ControlPlane, and returns its path.
func NATS(ctx context.Context, out io.Writer) (path string, err error) {
	b, err := newBuilder(out, natsUpstreams...)
	if err != nil {
		return "", err
	}
	return filepath.Join(b.cache, string(Nats)), b.ensure(ctx, natsRecipes)
}

// Missing returns those binaries that Full and NATS would have to build, and how long that usually takes.
func Missing() (names []Binary, usually time.Duration, err error) {
	b, err := newBuilder(io.Discard, clusterUpstreams...)
	if err != nil {
		return nil, 0, err
	}
	wanted, _, err := b.split(Etcd, APIServer, ControllerManager, Scheduler, Kubectl, Kwok)
	if err != nil {
		return nil, 0, err
	}
	store, err := newBuilder(io.Discard, natsUpstreams...)
	if err != nil {
		return nil, 0, err
	}
	missing := slices.Concat(b.missing(wanted), store.missing(natsRecipes))
	for _, r := range missing {
		names = append(names, r.binary)
	}
	return names, inAll(missing), nil
}

func provide(ctx context.Context, out io.Writer, binaries ...Binary) (Dir, error) {
	b, err := newBuilder(out, clusterUpstreams...)
	if err != nil {
		return Dir{}, err
	}
	ours, dir, err := b.split(binaries...)
	if err != nil {
		return Dir{}, err
	}
	return dir, b.ensure(ctx, ours)
}

// split returns what is ours to build of the wanted binaries, and where all of them will be.
func (b *builder) split(wanted ...Binary) ([]recipe, Dir, error) {
	given := os.Getenv(controlPlaneEnv)
	if given == "" {
		return recipesOf(wanted), Dir{controlPlane: b.cache, cache: b.cache}, nil
	}
	var ours []Binary
	for _, name := range wanted {
		if name != Etcd && name != APIServer {
			ours = append(ours, name)
		} else if !isExecutable(filepath.Join(given, string(name))) {
			return nil, Dir{}, fmt.Errorf("%s is set to %s, where there is no executable %s: put one there, or unset %[1]s to have it built",
				controlPlaneEnv, given, name)
		}
	}
	return recipesOf(ours), Dir{controlPlane: given, cache: b.cache}, nil
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
