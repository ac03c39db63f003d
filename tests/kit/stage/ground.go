// Package stage is where a controller is judged: a control plane, on which runs take place, and in each
// run the controller's process, the proxy before it, the observer, and the driver that plays the Job controller.
package stage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/process"
)

// Ground is a control plane for runs of controllers.
type Ground struct {
	dir     string
	cluster *cluster.Cluster
	admin   client.Client
	opened  atomic.Int32 // stages
	cast    atomic.Int32 // controllers
}

// Controller is one that may act on a ground.
type Controller struct {
	Binary   string
	Identity *rest.Config // the ServiceAccount that it runs as
	Usage    string       // what it prints for --help; may be empty
}

// StartGround starts a control plane with the CustomResourceDefinitions in a file or folder. Its data and the logs
// of the runs are in dir.
func StartGround(ctx context.Context, crds, dir string) (*Ground, error) {
	running, err := cluster.Start(ctx, cluster.Options{CRDs: []string{crds}, Dir: filepath.Join(dir, "cluster"), APIServerFlags: map[string]string{
		// OpenShift, for one, has it switched on. A role without the owners' finalizers fails there.
		"enable-admission-plugins": "OwnerReferencesPermissionEnforcement",
	}})
	if err != nil {
		return nil, err
	}
	g := &Ground{dir: dir, cluster: running}
	if g.admin, err = kinds.NewClient(running.Config()); err != nil {
		return nil, errors.Join(err, g.Stop())
	}
	return g, nil
}

// Admit lets a program act as a ServiceAccount of its own with the roles in files.
func (g *Ground) Admit(ctx context.Context, binary string, roles ...string) (Controller, error) {
	account := process.ServiceAccount
	if n := g.cast.Add(1); n > 1 { // the rights of one must not be another's
		account = fmt.Sprint(account, "-", n)
	}
	identity, err := process.Identity(ctx, g.cluster, account, roles...)
	return Controller{Binary: binary, Identity: identity}, err
}

// Done is closed when the control plane has ended, whatever the reason.
func (g *Ground) Done() <-chan struct{} { return g.cluster.Done() }

// Stop ends the control plane.
func (g *Ground) Stop() error { return g.cluster.Stop() }
