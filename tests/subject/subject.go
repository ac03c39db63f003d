// Package subject knows what the controllers of this repository consist of. It builds and runs them.
package subject

import (
	"context"
	"os"
	"path/filepath"

	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// Subject is a controller that can be built and run.
type Subject struct {
	Source  string // folder with its main package
	Binary  string // the program, once it is built
	CRDs    string // folder with the CustomResourceDefinitions
	Roles   string // file with the roles it ships
	Samples string // folder with its samples

	// WorkspaceRoles is the file with the roles that it needs besides, to give Workspaces their buckets; empty if it gives them none.
	WorkspaceRoles string
}

// AllRoles returns the files with the roles of all its controllers.
func (s Subject) AllRoles() []string {
	if s.WorkspaceRoles == "" {
		return []string{s.Roles}
	}
	return []string{s.Roles, s.WorkspaceRoles}
}

// Finished is the finished operator. Its program is built into dir.
func Finished(dir string) (Subject, error) {
	root, err := repo.Root()
	if err != nil {
		return Subject{}, err
	}
	source := filepath.Join(root, "sequentialjob")
	return Subject{
		Source:  source,
		Binary:  filepath.Join(dir, "sequentialjob"),
		CRDs:    filepath.Join(source, "config", "crd"),
		Roles:   filepath.Join(source, "config", "rbac", "role.yaml"),
		Samples: filepath.Join(source, "config", "samples"),

		WorkspaceRoles: filepath.Join(source, "config", "store", "workspace-role.yaml"),
	}, nil
}

// Build builds the program.
func (s Subject) Build(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Dir(s.Binary), 0o755); err != nil {
		return err
	}
	return process.Build(ctx, s.Source, s.Binary)
}

// Start runs the program on a cluster, as process.User with the roles it ships, with its kubeconfig
// and log in dir.
func (s Subject) Start(ctx context.Context, c *cluster.Cluster, dir string, flags ...string) (*process.Process, error) {
	return s.start(ctx, c, process.Options{Dir: dir, Args: flags}, s.Roles)
}

// StartWithStore is Start for a program that gives Workspaces their buckets in the object store at url. It also has the role for
// that.
func (s Subject) StartWithStore(ctx context.Context, c *cluster.Cluster, dir, url string) (*process.Process, error) {
	return s.start(ctx, c, process.Options{Dir: dir, Env: []string{"NATS_URL=" + url}}, s.AllRoles()...)
}

func (s Subject) start(ctx context.Context, c *cluster.Cluster, options process.Options, roles ...string) (*process.Process, error) {
	config, err := process.Identity(ctx, c, process.ServiceAccount, roles...)
	if err != nil {
		return nil, err
	}
	options.Binary, options.Config = s.Binary, config
	return process.Start(options)
}
