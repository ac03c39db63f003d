package stage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/observer"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/proxy"
)

// most is how many requests a run may have, watches included. Right controllers that trust no cache have sent a good 1000 in the longest. A controller that
// looks at points in time of its own may send moreTimed in each second besides.
const (
	most      = 2000
	moreTimed = 200
	mostTimed = 20_000 // however long the run is: looking through such a history takes the judge longer than the next requests take to come
)

// Options tell what a run is like.
type Options struct {
	Controller Controller
	Patience   time.Duration   // how long a controller may need for what it has to do
	Rules      []invariants.ID // that must always hold; nil means all
	Kinds      []kinds.Kind    // that the run is about; kinds.Default where it is nil
	Confined   bool            // other runs take place on the ground at the same time
	Others     int             // how many namespaces the run takes besides its own
	Native     bool            // the controller gets the form that it asks for, which can't be read: see proxy.Options
	Prompt     bool            // the controller is shown its own writes before they are answered
	WithStore  bool            // there is an object store outside the cluster, and URLOfStore says where
	Args       []string        // more flags of the controller
	Timed      bool            // the controller looks at points in time of its own, which its flags say

	// Waiting receives what is still missing while the controller makes no progress, at every check; may be nil. It is
	// the second half of a sentence: "web has no Job".
	Waiting func(missing string)
}

// Stage is one run of a controller, in a namespace of its own.
type Stage struct {
	Options
	Namespace string
	Beside    []string      // the other namespaces of the run, which are not observed
	Client    client.Client // as administrator
	Driver    *jobdriver.Driver
	Log       *history.Log
	Observer  *observer.Observer
	Proxy     *proxy.Proxy
	Store     *Store // nil if there is none

	ground *Ground
	dir    string

	mu        sync.Mutex // guards what the proxy uses when it kills
	processes []*process.Process
	killed    map[int]bool // or asked to stop

	workspaces map[string]history.Logical // what buckets represent, by their names; see WorkspaceOf

	started time.Duration // when a process was started last
	checked int           // how long the history was when it was judged last
	checker invariants.Checker
	timing  timing

	// These caches are valid until the observer's objects change.
	world      World
	worldOf    string
	worldUntil <-chan struct{}
	idleUntil  <-chan struct{}
}

// prefixOfRuns is how the names of the runs' namespaces begin.
const prefixOfRuns = "run-"

func isOfARun(namespace string) bool { return strings.HasPrefix(namespace, prefixOfRuns) }

// Open sets a stage. The controller does not run yet: see StartProcess. Close has to follow.
func (g *Ground) Open(ctx context.Context, options Options) (*Stage, error) {
	namespace := fmt.Sprint(prefixOfRuns, g.opened.Add(1))
	var more []string
	for i := range options.Others {
		more = append(more, fmt.Sprint(namespace, "-beside-", i+1))
	}
	for _, name := range append([]string{namespace}, more...) {
		if err := g.admin.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return nil, err
		}
	}
	s := &Stage{
		Options: options, Namespace: namespace, Beside: more, Client: g.admin, Log: history.NewLog(),
		ground: g, dir: filepath.Join(g.dir, namespace), killed: map[int]bool{}, workspaces: map[string]history.Logical{},
	}
	s.Driver = jobdriver.New(g.admin, namespace, s.Log, options.Kinds...)
	var err error
	if s.Observer, err = observer.Start(ctx, observer.Options{Config: g.cluster.Config(), Namespace: namespace, Kinds: options.Kinds, Log: s.Log}); err != nil {
		return nil, err
	}
	s.Proxy, err = proxy.New(proxy.Options{
		Server: options.Controller.Identity, Admin: g.cluster.Config(), Namespace: namespace, Log: s.Log,
		Native: options.Native, Whole: s.Observer.Whole,
		Confined: options.Confined, Foreign: isOfARun, MoreNamespaces: more, Prompt: options.Prompt, TakenIn: s.takenIn, Kill: s.kill,
	})
	if err == nil && options.WithStore {
		err = s.openStore(ctx)
	}
	if err != nil {
		s.Observer.Stop()
		return nil, err
	}
	return s, nil
}

// Close ends everything that belongs to the run, and removes its objects; of those in its other namespaces only Jobs, of
// which there may be many.
func (s *Stage) Close(ctx context.Context) error {
	if n := len(s.processes); n > 0 {
		s.kill(n)
	}
	err := errors.Join(s.Proxy.Close(), s.closeStore())
	s.Observer.Stop()
	return errors.Join(err, s.Driver.Clear(ctx), s.clearBeside(ctx), os.RemoveAll(s.dir))
}

func (s *Stage) clearBeside(ctx context.Context) error {
	var clearing errgroup.Group
	for _, namespace := range s.Beside {
		clearing.Go(func() error {
			return s.Client.DeleteAllOf(ctx, &batchv1.Job{}, client.InNamespace(namespace), client.PropagationPolicy(metav1.DeletePropagationBackground))
		})
	}
	return clearing.Wait()
}

// StartProcess starts the next instance of the controller.
func (s *Stage) StartProcess() error {
	instance := len(s.processes) + 1
	config, err := s.Proxy.Door(instance)
	if err != nil {
		return err
	}
	var env []string
	if s.Store != nil {
		if s.Store.url, err = s.Store.Proxy.Door(instance); err != nil {
			return err
		}
		env = append(env, URLOfStore+"="+s.Store.url)
	}
	s.mu.Lock() // until it is among the processes: its first request may be the one that it is killed at
	defer s.mu.Unlock()
	now := s.Log.Now()
	running, err := process.Start(process.Options{
		Binary: s.Controller.Binary, Config: config, Dir: filepath.Join(s.dir, fmt.Sprint("instance-", instance)),
		Args: s.Args, Env: env,
		Printed: func(line string) { s.Log.Print(instance, line) },
	})
	if err != nil {
		return err
	}
	s.Log.Write(func(run *history.Run) {
		run.Processes = append(run.Processes, history.Process{Instance: instance, Started: now})
	})
	s.processes = append(s.processes, running)
	s.started = now
	return nil
}

// StopProcess asks the instance that runs to end, as its pod is asked. What is wrong with how it ends is
// a finding.
func (s *Stage) StopProcess() []finding.Finding {
	instance, running, _ := s.Current()
	if err := running.Stop(); err != nil {
		return s.Found(finding.IgnoresSigterm(err))
	}
	s.mu.Lock()
	s.killed[instance] = true
	s.mu.Unlock()
	s.ended(instance, "stopped")
	return nil
}

// kill ends an instance as a crash would. The proxy calls it too.
func (s *Stage) kill(instance int) {
	s.mu.Lock()
	running := s.processes[instance-1]
	s.killed[instance] = true
	s.mu.Unlock()
	running.Kill()
	s.ended(instance, "killed")
}

func (s *Stage) ended(instance int, how string) {
	now := s.Log.Now()
	s.Log.Write(func(run *history.Run) {
		if one := &run.Processes[instance-1]; one.Ended == 0 {
			one.Ended, one.How = now, how
		}
	})
}

// Current is the instance that was started last, and whether it was killed or asked to stop; 0 and nil before the first.
func (s *Stage) Current() (instance int, running *process.Process, killed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	instance = len(s.processes)
	if instance == 0 {
		return 0, nil, false
	}
	return instance, s.processes[instance-1], s.killed[instance]
}

// React does the first thing that others in the cluster would do by themselves, as Driver.React says, and
// says whether there was anything.
func (s *Stage) React(ctx context.Context) (bool, error) {
	changed := s.Observer.Changed()
	if s.idleUntil == changed {
		return false, nil
	}
	reacted, err := s.Driver.React(ctx)
	if !reacted && err == nil {
		s.idleUntil = changed
	}
	return reacted, err
}

// LastChange is when an object has changed last.
func (s *Stage) LastChange() time.Duration {
	return s.Log.LastChange()
}

// Wait waits until something may have changed.
func (s *Stage) Wait(ctx context.Context) error {
	s.look()
	select {
	case <-s.Observer.Changed():
	case <-time.After(10 * time.Millisecond): // requests, events and the process send no signal
	case <-s.ground.cluster.Done():
		return fmt.Errorf("the control plane has ended; its logs are in %s", s.ground.cluster.Dir())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// Found dates a finding, which is the only one then.
func (s *Stage) Found(f finding.Finding) []finding.Finding {
	f.At = s.Log.Now()
	return []finding.Finding{f}
}
