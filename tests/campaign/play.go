package campaign

import (
	"context"
	"slices"
	"time"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// Result is what came of a plan.
type Result struct {
	Plan     Plan
	Findings []finding.Finding // none when the controller survived
	Missed   []proxy.Fault     // faults that found nothing to strike
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
	for {
		there, err := p.World(object)
		if err != nil {
			return nil, err
		}
		now := world{there}
		trouble, err := p.Trouble(ctx)
		if len(trouble) > 0 || err != nil {
			return trouble, err
		}
		moved, err := p.move(ctx, now)
		if err != nil {
			return nil, err
		}
		switch {
		case moved:
			p.moved = p.Log.Now()
		case p.done(now):
			return nil, nil
		case p.Log.Now()-max(p.moved, p.Started()) > patience:
			return p.stuck(now), nil
		default:
			if err := p.Wait(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// move does the next thing that is due, if any.
func (p *performance) move(ctx context.Context, now world) (bool, error) {
	if _, _, killed := p.Current(); killed {
		return true, p.StartProcess()
	}
	if !p.IsQuiet(stage.Quiet) {
		return false, nil
	}
	if p.isHeld(proxy.CommitLate) {
		p.Proxy.Heal()
		return true, nil
	}
	if reacted, err := p.React(ctx); reacted || err != nil {
		return reacted, err
	}
	if next := p.beat; next < len(p.scenario.beats) && p.scenario.beats[next].when(now) {
		p.beat++
		beat := p.scenario.beats[next]
		if beat.what != "" {
			p.Log.Stimulate("user", beat.what)
		}
		return true, beat.do(ctx, p.Stage, now)
	}
	if p.isHeld("") && p.IsQuiet(stage.Still) {
		p.Proxy.Heal()
		return true, nil
	}
	return false, nil
}

// isHeld says whether a fault of an action, or any at all where that is empty, goes on.
func (p *performance) isHeld(action proxy.Action) bool {
	return slices.ContainsFunc(p.Log.Run().Faults, func(fault history.Strike) bool {
		return fault.Healed == 0 && (action == "" || fault.Action == action)
	})
}

// done says whether the run has ended as it has to. What is to be learned from has no measure: there it
// is that nothing moves any more.
func (p *performance) done(now world) bool {
	if p.beat < len(p.scenario.beats) || !p.IsQuiet(stage.Still) {
		return false
	}
	if p.scenario.ends(now) != "" {
		return false
	}
	return p.want == nil || len(canonical.Diff(p.want.End, p.end())) == 0
}

// restAndRestart watches the controller do nothing, and once more after a restart.
func (p *performance) restAndRestart(ctx context.Context) ([]finding.Finding, error) {
	p.missed = p.Proxy.Disarm() // they would strike a controller that has nothing to do
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

// rest waits until nothing has moved for a while.
func (p *performance) rest(ctx context.Context) ([]finding.Finding, error) {
	from := p.Log.Now()
	for {
		trouble, err := p.Trouble(ctx)
		if len(trouble) > 0 || err != nil {
			return trouble, err
		}
		now := p.Log.Now()
		if now-from > stage.Still && p.IsQuiet(stage.Still) {
			return nil, nil
		}
		if now-from > patience {
			return nil, nil // it never is quiet; what it writes is judged
		}
		if err := p.Wait(ctx); err != nil {
			return nil, err
		}
	}
}
