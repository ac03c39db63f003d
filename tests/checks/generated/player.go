package generated

import (
	"context"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// player plays a run.
type player struct {
	*scene.Scene
	names    []string // of the SequentialJobs that were created
	deleted  map[types.UID]bool
	orphaned map[string]bool // Jobs that nobody cleans up may bear the names of this SequentialJob's
	limited  bool            // a quota is on
	down     bool            // the object store is

	labels     map[types.UID]map[string]string // of Jobs that have lost them
	conditions map[string][]types.UID          // to which another client has added a condition
}

// Play plays a run, then lets everything come to its end, and looks what has become of it. Covered receives each kind of
// act that was possible, and each kind of fault that struck: "suspend", "lose reply".
func (r Run) Play(s *scene.Scene, covered func(kind string)) {
	s.Tell("The generated run was: " + r.String())
	p := &player{Scene: s, deleted: map[types.UID]bool{}, orphaned: map[string]bool{},
		labels: map[types.UID]map[string]string{}, conditions: map[string][]types.UID{}}
	if s.Store != nil {
		s.Patience *= 2 // a request to it may wait for a response that does not come
	}
	if slices.ContainsFunc(r, Act.drifts) {
		s.Drift(scene.Notify, time.Second)
	}
	s.Start()
	for _, act := range r {
		if !act.quick() {
			p.calm()
		}
		name, words := act.verb()
		if verbs[name].does(p, words) && name != "fault" {
			covered(name)
		}
	}
	p.end()
	for _, strike := range s.Log.Run().Faults {
		covered(string(strike.Action))
	}
}

// calm waits until the controller has done what it was about to do, and all others too.
func (p *player) calm() {
	idle := false
	p.Let(func(ctx context.Context) (bool, error) {
		acted, err := p.others(ctx)
		idle = !acted
		return acted, err
	}, func() string {
		if !idle {
			return stage.AtWork
		}
		return ""
	})
}

// others does the next thing that others do by themselves: after a crash a new process starts.
func (p *player) others(ctx context.Context) (bool, error) {
	if _, _, killed := p.Current(); killed {
		return true, p.StartProcess()
	}
	if p.isActive(proxy.CommitLate) { // the new process runs, so it is late enough
		p.Heal()
		return true, nil
	}
	return p.React(ctx)
}

// isActive says whether a fault of an action has struck and lasts.
func (p *player) isActive(action proxy.Action) bool {
	return slices.ContainsFunc(p.Log.Run().Faults, func(f history.Strike) bool { return f.Healed == 0 && f.Action == action })
}

// read reads a SequentialJob from the API server; nil where there is none.
func (p *player) read(name string) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{}
	err := p.Client.Get(p.Context(), client.ObjectKey{Namespace: p.Namespace, Name: name}, object)
	if apierrors.IsNotFound(err) {
		return nil
	}
	p.Must(err)
	return object
}

// user has a user do something, which the API server may refuse for a reason that users meet. It says whether it was done.
func (p *player) user(what string, do func() error) bool {
	p.User("%s", what)
	err := do()
	if apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		p.User("is refused that: %s", apierrors.ReasonForError(err))
		return false
	}
	p.Must(err)
	return true
}

// change has a user change a SequentialJob that is not being deleted.
func (p *player) change(name, what string, change func(*v1alpha1.SequentialJob)) bool {
	current := p.read(name)
	if current == nil || current.DeletionTimestamp != nil {
		return false
	}
	changed := current.DeepCopy()
	change(changed)
	return p.user(what+" "+name, func() error { return p.Client.Patch(p.Context(), changed, client.MergeFrom(current)) })
}

// onJob does something to the first Job of a SequentialJob that is as it has to be, in the order of the steps.
func (p *player) onJob(name string, is func(stage.World, *batchv1.Job) bool, do func(*batchv1.Job) error) bool {
	now := p.Now(name)
	if now.Object == nil {
		return false
	}
	for _, step := range now.Object.Spec.Steps {
		if job := now.Job(step.Name); job != nil && is(now, job) {
			p.Must(do(job))
			return true
		}
	}
	return false
}

func (p *player) runs(now stage.World, job *batchv1.Job) bool {
	return now.Running(stage.StepOf(job)) == job
}
