// Package kind keeps one cluster in Docker for the course, by kind, also where no image can be pulled.
package kind

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"sigs.k8s.io/kind/pkg/cluster"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/repo"
)

// Name is the name of the course's cluster, and Node that of its one node's container.
const (
	Name = "controller-course"
	Node = Name + "-control-plane"
)

// A Cluster is the course's cluster.
type Cluster struct {
	dir      string // of this clone of the repository, with all that is kept about its cluster
	provider *cluster.Provider
}

// lockCluster waits until no other process makes or removes the cluster, and returns it with its node as it is then,
// if there is one.
func lockCluster(ctx context.Context, out io.Writer) (c *Cluster, found *node, unlock func(), err error) {
	root, err := repo.Root()
	if err != nil {
		return nil, nil, nil, err
	}
	if err := CheckDocker(ctx); err != nil {
		return nil, nil, nil, err
	}
	c = &Cluster{
		dir:      filepath.Join(root, ".cache", "kind"),
		provider: cluster.NewProvider(cluster.ProviderWithDocker()),
	}
	unlock, err = alive.To(out).Lock(ctx, c.dir+".lock", "another command that makes or removes the cluster")
	if err != nil {
		return nil, nil, nil, err
	}
	if found, err = c.inspect(ctx); err != nil {
		unlock()
		return nil, nil, nil, explain(err)
	}
	return c, found, unlock, nil
}

// Kubeconfig is the path of the administrator's kubeconfig. The file is there when
// the cluster has been made to its end.
func (c *Cluster) Kubeconfig() string { return filepath.Join(c.dir, "kubeconfig") }

// mark is a folder that the node of this clone's cluster mounts, by which it is known as ours from the first moment on.
func (c *Cluster) mark() string { return filepath.Join(c.dir, "mark") }

// Up returns the course's cluster, ready to be used: the one that is there, or a
// new one where there is none, or none that works.
func Up(ctx context.Context, out io.Writer) (*Cluster, error) {
	c, found, unlock, err := lockCluster(ctx, out)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if found != nil {
		whyNot, err := c.unusable(ctx, found)
		if err != nil {
			return nil, explain(err)
		}
		if whyNot == "" {
			return c, nil
		}
		fmt.Fprintf(out, "The cluster %s %s, and is replaced.\n", Name, whyNot)
		if err := c.remove(); err != nil {
			return nil, explain(err)
		}
	}
	return c, c.create(ctx, out)
}

// Down removes the course's cluster, whatever its state.
func Down(ctx context.Context, out io.Writer) error {
	c, found, unlock, err := lockCluster(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	if found == nil {
		fmt.Fprintf(out, "There is no cluster %s.\n", Name)
		return os.RemoveAll(c.dir)
	}
	if err := c.checkOwner(found); err != nil {
		return err
	}
	if err := c.remove(); err != nil {
		return explain(err)
	}
	fmt.Fprintf(out, "The cluster %s is gone.\n", Name)
	return os.RemoveAll(c.dir)
}

// Load gives images that Docker has to the cluster.
func (c *Cluster) Load(ctx context.Context, images ...string) error {
	nodes, err := c.provider.ListInternalNodes(Name)
	if err != nil {
		return explain(err)
	}
	for _, node := range nodes {
		save := exec.CommandContext(ctx, "docker", append([]string{"save"}, images...)...)
		archive, err := save.StdoutPipe()
		if err != nil {
			return err
		}
		if err := save.Start(); err != nil {
			return err
		}
		loaded := nodeutils.LoadImageArchive(node, archive)
		if err := errors.Join(archive.Close(), save.Wait()); err != nil && loaded == nil {
			loaded = err
		}
		if loaded != nil {
			return explain(fmt.Errorf("load images into the cluster: %w", loaded))
		}
	}
	return nil
}

// Logs collects what the node and its containers have logged in a folder.
func (c *Cluster) Logs(dir string) error { return c.provider.CollectLogs(Name, dir) }

// create makes the cluster. It can't be stopped in the middle: what is half made
// when ctx ends is replaced by the next call of Up.
func (c *Cluster) create(ctx context.Context, out io.Writer) error {
	image, err := findNodeImage(ctx, out)
	if err != nil {
		return explain(err)
	}
	host, err := findHost(ctx)
	if err != nil {
		return explain(err)
	}
	if err := errors.Join(os.MkdirAll(c.mark(), 0o755), os.RemoveAll(c.Kubeconfig())); err != nil {
		return err
	}
	if image.ours {
		// kind would choose another where the node's own files are on one that Docker made of
		// fuse-overlayfs; but images are on a volume, and our node has no other.
		if err := os.Setenv("KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER", "overlayfs"); err != nil {
			return err
		}
	}
	return alive.To(out).During("making the cluster "+Name, 20*time.Second, func() error {
		created := make(chan error, 1)
		go func() {
			created <- c.provider.Create(Name, cluster.CreateWithV1Alpha4Config(configFor(host, image, c.mark())), cluster.CreateWithRetain(true),
				cluster.CreateWithKubeconfigPath(c.unfinished()))
		}()
		select {
		case err := <-created:
			if err != nil {
				return c.explainCreate(err)
			}
		case <-ctx.Done():
			return explain(ctx.Err())
		}
		if err := awaitReady(ctx, c.unfinished()); err != nil {
			return c.explainCreate(err)
		}
		return os.Rename(c.unfinished(), c.Kubeconfig())
	})
}

func (c *Cluster) unfinished() string { return c.Kubeconfig() + ".new" }

// explainCreate says why the cluster could not be made and keeps its logs.
func (c *Cluster) explainCreate(err error) error {
	if explained := explain(err); explained != err {
		return errors.Join(explained, c.remove())
	}
	logs := filepath.Join(c.dir, "logs")
	err = errors.Join(err, os.RemoveAll(logs), c.Logs(logs), c.remove())
	return fmt.Errorf("make the cluster %s: %w\nThe logs of its node are in %s", Name, err, logs)
}

func (c *Cluster) remove() error {
	return errors.Join(c.provider.Delete(Name, c.Kubeconfig()), os.RemoveAll(c.Kubeconfig()), os.RemoveAll(c.unfinished()))
}
