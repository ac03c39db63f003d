package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/observer"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/proxy"
)

const (
	// quiet is how long nothing must have moved before others act. It decides how soon that is, and
	// nothing else: a controller that is slower meets the next act earlier, which is legal too.
	quiet = 50 * time.Millisecond

	// still is how long nothing must have moved before it counts as rest, or before what is held
	// back is let go.
	still = 150 * time.Millisecond

	// settling is how long a process that was started anew may need, once its watches are up to date, until
	// it begins to work: controller-runtime looks every 100 ms whether its caches are filled.
	settling = 300 * time.Millisecond

	// most is how many requests a run may have; the longest of ours have some sixty.
	most = 2000
)

// patience is how long a controller may need for what it has to do, after the last thing that happened
// to it: more than its longest wait before a retry.
var patience = 30 * time.Second

// performance is one run of a plan.
type performance struct {
	worker   *worker
	binary   string // the controller
	scenario scenario
	plan     Plan
	want     *Baseline // nil when the baseline is to be learned

	dir      string
	log      *history.Log
	stage    *stage
	observer *observer.Observer
	proxy    *proxy.Proxy

	mu        sync.Mutex // guards what the proxy uses when it kills
	processes []*process.Process
	killed    map[int]bool

	beat    int           // the next one
	moved   time.Duration // when something happened to the controller or by it last
	rests   []invariants.Interval
	missed  []proxy.Fault // that had found nothing to strike when the run had come to its end
	checked int           // how long the history was when it was judged last
}

func (w *worker) open(ctx context.Context, binary string, plan Plan, want *Baseline) (*performance, error) {
	scenario, err := scenarioNamed(plan.Scenario)
	if err != nil {
		return nil, err
	}
	w.played++
	namespace := fmt.Sprintf("plan-%d", w.played)
	if err := w.admin.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return nil, err
	}
	p := &performance{
		worker: w, binary: binary, scenario: scenario, plan: plan, want: want,
		dir: filepath.Join(w.dir, namespace), log: history.NewLog(), killed: map[int]bool{},
	}
	p.stage = &stage{client: w.admin, namespace: namespace, driver: jobdriver.New(w.admin, namespace, p.log)}
	if p.observer, err = observer.Start(ctx, observer.Options{Config: w.cluster.Config(), Namespace: namespace, Log: p.log}); err != nil {
		return nil, err
	}
	p.proxy, err = proxy.New(proxy.Options{
		Server: w.identity, Admin: w.cluster.Config(), Namespace: namespace, Log: p.log, Kill: p.kill,
	})
	if err != nil {
		p.observer.Stop()
		return nil, err
	}
	p.proxy.Inject(plan.Faults...)
	return p, nil
}

// close ends everything that belongs to the run, and removes its objects.
func (p *performance) close(ctx context.Context) error {
	if n := len(p.processes); n > 0 {
		p.kill(n)
	}
	err := p.proxy.Close()
	p.observer.Stop()
	return errors.Join(err, p.stage.driver.Clear(ctx), os.RemoveAll(p.dir))
}

// startProcess starts the next instance.
func (p *performance) startProcess() error {
	instance := len(p.processes) + 1
	config, err := p.proxy.Door(instance)
	if err != nil {
		return err
	}
	p.mu.Lock() // until it is among the processes: its first request may be the one that it is killed at
	defer p.mu.Unlock()
	now := p.log.Now()
	running, err := process.Start(process.Options{
		Binary: p.binary, Config: config, Dir: filepath.Join(p.dir, fmt.Sprint("instance-", instance)),
	})
	if err != nil {
		return err
	}
	p.log.Write(func(run *history.Run) {
		run.Processes = append(run.Processes, history.Process{Instance: instance, Started: now})
	})
	p.processes = append(p.processes, running)
	p.moved = now
	return nil
}

// kill ends an instance as a crash would. The proxy calls it too.
func (p *performance) kill(instance int) {
	p.mu.Lock()
	running := p.processes[instance-1]
	p.killed[instance] = true
	p.mu.Unlock()
	running.Kill()
	p.ended(instance, "killed")
}

func (p *performance) ended(instance int, how string) {
	now := p.log.Now()
	p.log.Write(func(run *history.Run) {
		if one := &run.Processes[instance-1]; one.Ended == 0 {
			one.Ended, one.How = now, how
		}
	})
}

// current is the instance that was started last.
func (p *performance) current() (instance int, running *process.Process, killed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	instance = len(p.processes)
	return instance, p.processes[instance-1], p.killed[instance]
}

// isQuiet says whether the controller is up, and nothing has moved for a while.
func (p *performance) isQuiet(while time.Duration) bool {
	instance, _, killed := p.current()
	if killed || !p.proxy.UpToDate(instance) {
		return false
	}
	if upToDate := p.log.Run().Processes[instance-1].UpToDate; instance > 1 && (upToDate == 0 || p.log.Now()-upToDate < settling) {
		return false
	}
	busy, since := p.proxy.Quiet()
	return !busy && time.Since(since) >= while && p.log.Now()-p.lastChange() >= while
}

// found dates a finding, which is the only one then.
func (p *performance) found(f finding.Finding) []finding.Finding {
	f.At = p.log.Now()
	return []finding.Finding{f}
}

// lastChange is when an object has changed last.
func (p *performance) lastChange() time.Duration {
	var last time.Duration
	for _, change := range p.log.Run().Changes {
		last = max(last, change.Seen)
	}
	return last
}
