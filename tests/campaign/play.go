package campaign

import (
	"context"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// Result is the result of a plan.
type Result struct {
	Plan     Plan
	Findings []finding.Finding // none when the controller survived
	Missed   []proxy.Fault     // faults that found nothing to strike: then the plan was not judged
	Seconds  float64

	Run    history.Run
	End    canonical.State
	Counts canonical.Counts
}

// play plays a plan with a program and judges it. The error is one of the judge's own; what is wrong with
// the controller is in the findings.
func (w *worker) play(ctx context.Context, binary string, plan Plan, want *Baseline) (result Result, err error) {
	began := time.Now()
	p, err := w.open(ctx, binary, plan, want)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if closeErr := p.Close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
	}()
	if err := p.StartProcess(); err != nil {
		return Result{}, err
	}

	trouble, err := p.act(ctx)
	if err == nil && len(trouble) == 0 {
		trouble, err = p.restAndRestart(ctx)
	}
	if err != nil {
		return Result{}, err
	}
	result, err = p.judge(ctx, trouble)
	result.Seconds = time.Since(began).Seconds()
	return result, err
}

// act lets the scenario happen, until the controller has brought it to its end, or has done something wrong.
func (p *performance) act(ctx context.Context) ([]finding.Finding, error) {
	ending, err := p.Play(ctx, p.others, p.missing)
	if ending.Missing != "" {
		return p.stuck(ending.Missing), err
	}
	return ending.Trouble, err
}

// now returns the current state of the scenario's object.
func (p *performance) now() (world, error) {
	there, err := p.World(sample.Web)
	return world{there}, err
}

// others does the next thing that is due, if any.
func (p *performance) others(ctx context.Context) (bool, error) {
	if _, _, killed := p.Current(); killed {
		return true, p.StartProcess()
	}
	heals := !p.scenario.late // there, an act says when
	if heals && p.isHeld(proxy.CommitLate) {
		p.Heal()
		return true, nil
	}
	if reacted, err := p.React(ctx); reacted || err != nil {
		return reacted, err
	}
	now, err := p.now()
	if err != nil {
		return false, err
	}
	if next := p.next; next < len(p.scenario.acts) && p.scenario.acts[next].when(now) {
		p.next++
		act := p.scenario.acts[next]
		if act.what != "" {
			p.Log.Stimulate("user", act.what)
		}
		return true, act.do(ctx, p.Stage, now)
	}
	if heals && p.isHeld("") && p.IsQuiet(stage.Still) {
		p.Heal()
		return true, nil
	}
	return false, nil
}

// isHeld says whether a fault of an action, or any fault if the action is empty, is still active.
func (p *performance) isHeld(action proxy.Action) bool {
	return slices.ContainsFunc(p.Log.Run().Faults, func(fault history.Strike) bool {
		return fault.Healed == 0 && (action == "" || fault.Action == action)
	})
}

// notFarEnough is what is missing as long as the scenario's next act can't take place.
const notFarEnough = "the run had not come as far as it has to"

// missing says why the run has not ended as it has to; empty when it has. A run to learn from has nothing to be
// compared with: it ends when nothing moves any more.
func (p *performance) missing() (string, error) {
	now, err := p.now()
	if err != nil {
		return "", err
	}
	if p.next < len(p.scenario.acts) {
		return notFarEnough, nil
	}
	if what := p.scenario.ends(now); what != "" {
		return what, nil
	}
	if p.isHeld("") {
		return "something was held back from it", nil
	}
	if what := p.AtWork(); what != "" || p.want == nil {
		return what, nil
	}
	if differences := canonical.Diff(p.want.End, p.end(soon)); len(differences) > 0 {
		return "the end was another than without faults:\n" + strings.Join(differences, "\n"), nil
	}
	return "", nil
}

// restAndRestart watches the controller do nothing, and once more after a restart.
func (p *performance) restAndRestart(ctx context.Context) ([]finding.Finding, error) {
	p.missed = p.Disarm() // they would strike a controller that has nothing to do
	from := p.Log.Now()
	if trouble, err := p.rest(ctx); trouble != nil || err != nil {
		return trouble, err
	}
	if trouble := p.StopProcess(); trouble != nil {
		return trouble, nil
	}
	if err := p.StartProcess(); err != nil {
		return nil, err
	}
	if trouble, err := p.rest(ctx); trouble != nil || err != nil {
		return trouble, err
	}
	p.rests = append(p.rests, invariants.Interval{From: from, To: p.Log.Now()})
	return nil, nil
}

// rest waits until nothing has moved for a while. A controller that never is quiet is judged by what it writes.
func (p *performance) rest(ctx context.Context) ([]finding.Finding, error) {
	_, ending, err := p.Rest(ctx, stage.Nobody)
	return ending.Trouble, err
}
