// Package cluster runs a Kubernetes control plane out of plain processes: etcd and an API server by envtest, and, where
// asked for, the controllers and a simulated node that make Jobs run, garbage go away and namespaces disappear.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/guard"
)

// Options configure a cluster.
type Options struct {
	// Full adds kube-controller-manager, kube-scheduler and kwok with one simulated node to etcd and the API server.
	// Pods of Jobs succeed on it immediately, or run as long and end as their arguments say: see stages/step.yaml.
	Full bool
	// CRDs are files or folders with CustomResourceDefinitions that are there before the controllers start. The garbage
	// collector looks for new kinds only every 30 s: owners of a kind that is applied later have their children
	// collected that much later.
	CRDs []string
	// Dir is where data and logs go. The data is thrown away by Stop, or else by the next start; the logs stay. By
	// default it is a new folder below .cache/cluster, which goes altogether unless something went wrong.
	Dir string
	// AuditUsers are those whose requests the API server logs, each as one line of JSON in AuditLog().
	AuditUsers []string
	// APIServerFlags are more flags of the API server, without the dashes.
	APIServerFlags map[string]string
	// Out receives the progress of building missing binaries. By default it is discarded.
	Out io.Writer
}

// Cluster is a running cluster.
type Cluster struct {
	options      Options
	temporary    bool // the folder is ours to remove
	assets       assets.Dir
	guard        *guard.Guard
	controlPlane envtest.ControlPlane
	components   []*component
	files        []*os.File
	log          *log.Logger
	config       *rest.Config         // the administrator's
	client       kubernetes.Interface // likewise

	ctx     context.Context // done once the cluster should stop or has lost a component
	cancel  context.CancelCauseFunc
	stopped chan struct{}
	stopErr error
}

var errStopped = errors.New("the cluster was stopped")

// Start starts a cluster and returns when it is ready to be used. It runs until Stop is called or ctx ends, whichever
// comes first; no process outlives the caller.
func Start(ctx context.Context, options Options) (*Cluster, error) {
	c := &Cluster{options: options, stopped: make(chan struct{})}
	if err := c.prepare(ctx); err != nil {
		return nil, fmt.Errorf("start a cluster: %w", err)
	}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	go c.guard.Watch(c.onEnd)

	release := context.AfterFunc(c.ctx, c.guard.Cut) // by which whatever is being waited for fails
	err := c.start()
	release()
	context.AfterFunc(c.ctx, func() {
		c.stop(ctx.Err() != nil || errors.Is(context.Cause(c.ctx), errStopped))
	})
	if cause := context.Cause(c.ctx); cause != nil {
		err = cause // what follows from a cancellation or a death says less
	}
	if err != nil {
		c.cancel(err)
		<-c.stopped
		return nil, fmt.Errorf("start a cluster: %w", err)
	}
	return c, nil
}

// Config returns the configuration of an administrator's client, which is not throttled.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.config) }

// Dir returns the folder with the cluster's data and logs.
func (c *Cluster) Dir() string { return c.options.Dir }

// AuditLog returns the path of the API server's audit log.
func (c *Cluster) AuditLog() string { return c.logPath("audit") }

// Done is closed when the cluster is stopped or has lost a component.
func (c *Cluster) Done() <-chan struct{} { return c.ctx.Done() }

// Stop stops the cluster and returns when its processes are gone. The error reports a component that has ended by
// itself before. It may be called more than once.
func (c *Cluster) Stop() error {
	c.cancel(errStopped)
	<-c.stopped
	return c.stopErr
}

// prepare makes the cluster's folder with what its programs need.
func (c *Cluster) prepare(ctx context.Context) (err error) {
	if c.options.Out == nil {
		c.options.Out = io.Discard
	}
	programs := []assets.Binary{assets.Etcd, assets.APIServer}
	if c.options.Full {
		programs = append(programs, assets.ControllerManager, assets.Scheduler, assets.Kwok)
		c.assets, err = assets.Full(ctx, c.options.Out)
	} else {
		c.assets, err = assets.ControlPlane(ctx, c.options.Out)
	}
	if err != nil {
		return err
	}
	if err := c.makeDir(); err != nil {
		return err
	}
	own, err := c.createLog("cluster")
	if err != nil {
		return err
	}
	c.log = log.New(own, "", log.LstdFlags|log.Lmicroseconds)
	paths := map[string]string{}
	for _, p := range programs {
		paths[string(p)] = c.assets.Path(p)
	}
	c.guard, err = guard.New(c.options.Dir, paths)
	return err
}

func (c *Cluster) start() error {
	stages := []stage{
		{"etcd", c.startEtcd},
		{"kube-apiserver", c.startAPIServer},
		{"CRDs", func() error { return ApplyFiles(c.ctx, c.config, c.options.CRDs...) }},
	}
	if c.options.Full {
		stages = append(stages, c.fullStages()...)
	}
	for _, stage := range stages {
		start := time.Now()
		if err := stage.run(); err != nil {
			return err
		}
		c.log.Printf("%s: %s", stage.name, since(start))
	}
	return nil
}

// A stage is a part of starting a cluster. How long each took is in the log.
type stage struct {
	name string
	run  func() error
}

func since(start time.Time) time.Duration { return time.Since(start).Round(time.Millisecond) }

// stop runs once, when c.ctx ends. asked says that the caller wanted it to.
func (c *Cluster) stop(asked bool) {
	defer close(c.stopped)
	start := time.Now()
	ended := (*EndedError)(nil)
	if errors.As(context.Cause(c.ctx), &ended) {
		c.guard.Cut() // the API server, for one, does not end gently without etcd
	}

	var components sync.WaitGroup
	for _, component := range c.components {
		components.Go(component.stop)
	}
	components.Wait()
	err := c.controlPlane.Stop()
	c.guard.Cut() // whatever did not go by itself
	c.log.Printf("stop: %s", since(start))
	for _, file := range c.files {
		err = errors.Join(err, file.Close())
	}
	err = errors.Join(err, os.RemoveAll(c.dataPath("")))

	if ended != nil {
		c.stopErr = ended
	} else if err != nil {
		c.stopErr = fmt.Errorf("stop the cluster in %s: %w", c.options.Dir, err)
	} else if asked && c.temporary {
		c.stopErr = os.RemoveAll(c.options.Dir)
	}
}
