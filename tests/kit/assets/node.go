package assets

import (
	"context"
	"io"
	"path/filepath"
	"slices"
)

// NodeDir is the folder with the programs of a real node.
type NodeDir struct {
	cluster, node string // folders
	versions      versions
	key           string
}

// Path returns the path of a program of a node.
func (d NodeDir) Path(b Binary) string {
	if slices.ContainsFunc(nodeRecipes, func(r recipe) bool { return r.binary == b }) {
		return filepath.Join(d.node, string(b))
	}
	return filepath.Join(d.cluster, string(b))
}

// Kubernetes returns the version of Kubernetes, with the v.
func (d NodeDir) Kubernetes() string { return d.versions[kubernetes] }

// Key names the versions of everything.
func (d NodeDir) Key() string { return d.key }

// Node returns the folder for the programs of a node: always ours, whatever KUBEBUILDER_ASSETS says.
func Node() (NodeDir, error) {
	cluster, node, err := nodeBuilders(io.Discard)
	if err != nil {
		return NodeDir{}, err
	}
	key := filepath.Base(cluster.cache) + "_" + filepath.Base(node.cache)
	return NodeDir{cluster: cluster.cache, node: node.cache, versions: node.versions, key: key}, nil
}

// BuildNode builds the programs of a node that are not cached, in the way of ControlPlane.
func BuildNode(ctx context.Context, out io.Writer) (NodeDir, error) {
	cluster, node, err := nodeBuilders(out)
	if err != nil {
		return NodeDir{}, err
	}
	if err := cluster.ensure(ctx, recipesOf([]Binary{Etcd, APIServer, ControllerManager, Scheduler, Kubectl})); err != nil {
		return NodeDir{}, err
	}
	if err := node.ensure(ctx, nodeRecipes); err != nil {
		return NodeDir{}, err
	}
	return Node()
}

func nodeBuilders(out io.Writer) (cluster, node *builder, err error) {
	if cluster, err = newBuilder(out, clusterUpstreams...); err != nil {
		return nil, nil, err
	}
	node, err = newBuilder(out, nodeUpstreams...)
	return cluster, node, err
}
