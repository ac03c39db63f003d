package campaign

import (
	"context"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/subject"
)

// worker plays plans one after another on a control plane of its own.
type worker struct {
	dir      string
	cluster  *cluster.Cluster
	admin    client.Client
	identity *rest.Config // the controller's
	played   int
}

func startWorker(ctx context.Context, controller subject.Subject, dir string) (*worker, error) {
	running, err := cluster.Start(ctx, cluster.Options{CRDs: []string{controller.CRDs}, Dir: filepath.Join(dir, "cluster")})
	if err != nil {
		return nil, err
	}
	w := &worker{dir: dir, cluster: running}
	if w.identity, err = process.Identity(ctx, running, controller.Roles); err != nil {
		return nil, w.failed(err)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, w.failed(err)
		}
	}
	if w.admin, err = client.New(running.Config(), client.Options{Scheme: scheme}); err != nil {
		return nil, w.failed(err)
	}
	return w, nil
}

func (w *worker) failed(err error) error {
	if stopErr := w.stop(); stopErr != nil {
		return fmt.Errorf("%w (and then: %w)", err, stopErr)
	}
	return err
}

func (w *worker) stop() error { return w.cluster.Stop() }
