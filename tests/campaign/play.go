package campaign

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/canonical"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/proxy"
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
		if closeErr := p.close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
	}()
	if err := p.startProcess(); err != nil {
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
	var now world
	for seen := -1; ; {
		if changes := len(p.log.Run().Changes); changes != seen {
			var err error
			if now, err = newWorld(p.observer.Objects().All()); err != nil {
				return nil, err
			}
			seen = changes
		}
		trouble, err := p.trouble(ctx)
		if len(trouble) > 0 || err != nil {
			return trouble, err
		}
		moved, err := p.move(ctx, now)
		if err != nil {
			return nil, err
		}
		switch {
		case moved:
			p.moved = p.log.Now()
		case p.done(now):
			return nil, nil
		case p.log.Now()-p.moved > patience:
			return p.stuck(now), nil
		default:
			if err := p.wait(ctx); err != nil {
				return nil, err
			}
		}
	}
}

// move does the next thing that is due, if any.
func (p *performance) move(ctx context.Context, now world) (bool, error) {
	if _, _, killed := p.current(); killed {
		return true, p.startProcess()
	}
	if !p.isQuiet(quiet) {
		return false, nil
	}
	if p.isHeld(proxy.CommitLate) {
		p.proxy.Heal()
		return true, nil
	}
	if reacted, err := p.stage.driver.React(ctx); reacted || err != nil {
		return reacted, err
	}
	if next := p.beat; next < len(p.scenario.beats) && p.scenario.beats[next].when(now) {
		p.beat++
		beat := p.scenario.beats[next]
		if beat.what != "" {
			p.log.Stimulate("user", beat.what)
		}
		return true, beat.do(ctx, p.stage, now)
	}
	if p.isHeld("") && p.isQuiet(still) {
		p.proxy.Heal()
		return true, nil
	}
	return false, nil
}

// isHeld says whether a fault of an action, or any at all where that is empty, goes on.
func (p *performance) isHeld(action proxy.Action) bool {
	return slices.ContainsFunc(p.log.Run().Faults, func(fault history.Fault) bool {
		return fault.Healed == 0 && strings.HasPrefix(fault.What, string(action))
	})
}

// done says whether the run has ended as it has to. What is to be learned from has no measure: there it
// is that nothing moves any more.
func (p *performance) done(now world) bool {
	if p.beat < len(p.scenario.beats) || !p.isQuiet(still) {
		return false
	}
	if p.scenario.ends(now) != "" {
		return false
	}
	return p.want == nil || len(canonical.Diff(p.want.End, p.end())) == 0
}

// wait waits until something may have changed.
func (p *performance) wait(ctx context.Context) error {
	select {
	case <-p.observer.Changed():
	case <-time.After(10 * time.Millisecond): // requests and frames tell nobody
	case <-p.worker.cluster.Done():
		return fmt.Errorf("the control plane has ended; its logs are in %s", p.worker.cluster.Dir())
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// restAndRestart watches the controller do nothing, and once more after a restart.
func (p *performance) restAndRestart(ctx context.Context) ([]finding.Finding, error) {
	p.missed = p.proxy.Disarm() // they would strike a controller that has nothing to do
	from := p.log.Now()
	if trouble, err := p.rest(ctx); trouble != nil || err != nil {
		return trouble, err
	}
	instance, running, _ := p.current()
	if err := running.Stop(); err != nil {
		return p.found(finding.IgnoresSigterm(err)), nil
	}
	p.ended(instance, "stopped")
	if err := p.startProcess(); err != nil {
		return nil, err
	}
	if trouble, err := p.rest(ctx); trouble != nil || err != nil {
		return trouble, err
	}
	p.rests = append(p.rests, invariants.Interval{From: from, To: p.log.Now()})
	return nil, nil
}

// rest waits until nothing has moved for a while.
func (p *performance) rest(ctx context.Context) ([]finding.Finding, error) {
	from := p.log.Now()
	for {
		trouble, err := p.trouble(ctx)
		if len(trouble) > 0 || err != nil {
			return trouble, err
		}
		now := p.log.Now()
		if now-from > still && p.isQuiet(still) {
			return nil, nil
		}
		if now-from > patience {
			return nil, nil // it never is quiet; what it writes is judged
		}
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
}
