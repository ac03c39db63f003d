package cluster

import (
	"fmt"
	"os"
	"path/filepath"

	"example.com/controller-course/tests/kit/repo"
)

// makeDir makes the folder of the cluster, and removes the data of one that was there before.
func (c *Cluster) makeDir() error {
	if c.options.Dir == "" {
		root, err := repo.Root()
		if err != nil {
			return err
		}
		parent := filepath.Join(root, ".cache", "cluster")
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return err
		}
		if c.options.Dir, err = os.MkdirTemp(parent, ""); err != nil {
			return err
		}
		c.temporary = true
	}
	var err error
	if c.options.Dir, err = filepath.Abs(c.options.Dir); err != nil {
		return err
	}
	if err := os.RemoveAll(c.dataPath("")); err != nil {
		return fmt.Errorf("remove the data of the cluster before: %w", err)
	}
	for _, dir := range []string{c.dataPath("etcd"), c.dataPath("kube-apiserver"), filepath.Dir(c.logPath(""))} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) dataPath(name string) string {
	return filepath.Join(c.options.Dir, "data", name)
}

func (c *Cluster) logPath(name string) string {
	return filepath.Join(c.options.Dir, "logs", name+".log")
}

// createLog creates an empty log, which is closed when the cluster stops.
func (c *Cluster) createLog(name string) (*os.File, error) {
	file, err := os.Create(c.logPath(name))
	if err != nil {
		return nil, err
	}
	c.files = append(c.files, file)
	return file, nil
}
