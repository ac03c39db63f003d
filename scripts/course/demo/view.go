package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fatih/color"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// A view shows a SequentialJob as it changes: a line for each change, a column for each step.
type view struct {
	out    io.Writer
	name   string
	begun  time.Time
	events watch.Interface
	object *v1alpha1.SequentialJob // as the last event showed it
	shown  string                  // the last line
}

func (d *demo) openView(ctx context.Context, name string) (*view, error) {
	events, err := d.server.Watch(ctx, &v1alpha1.SequentialJobList{}, client.InNamespace(sampleNamespace), client.MatchingFields{"metadata.name": name})
	if err != nil {
		return nil, fmt.Errorf("watch SequentialJob %s: %w", name, err)
	}
	return &view{out: d.out, name: name, begun: time.Now(), events: events}, nil
}

func (v *view) stop() { v.events.Stop() }

// follow shows changes until reached returns true. A run that finishes before that is an error.
func (v *view) follow(ctx context.Context, reached func(*v1alpha1.SequentialJob) bool) error {
	late := time.NewTimer(sampleLimit)
	defer late.Stop()
	for {
		select {
		case event, open := <-v.events.ResultChan():
			object, ok := event.Object.(*v1alpha1.SequentialJob)
			if !open || !ok || event.Type == watch.Deleted {
				return errors.Join(context.Cause(ctx), fmt.Errorf("the watch on %s ended: %s %v", v.name, event.Type, event.Object))
			}
			v.show(object)
			if reached(object) {
				return nil
			}
			if isFinished(object) {
				return fmt.Errorf("%s ended too early: %s", v.name, v.shown)
			}
		case <-late.C:
			return fmt.Errorf("%s was stuck for %s: %s", v.name, sampleLimit, v.shown)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (v *view) show(object *v1alpha1.SequentialJob) {
	if v.object == nil {
		fmt.Fprintln(v.out, color.New(color.Faint).Sprint(header(object)))
	}
	v.object = object
	if line := lineOf(object); len(object.Status.Steps) > 0 && line != v.shown {
		v.shown = line
		fmt.Fprintf(v.out, "%7.1f s  %s\n", time.Since(v.begun).Seconds(), line)
	}
}

// columnWidth is the width of a step's column.
const columnWidth = 14

func header(object *v1alpha1.SequentialJob) string {
	var line strings.Builder
	fmt.Fprintf(&line, "%9s  ", "")
	for _, step := range object.Spec.Steps {
		fmt.Fprintf(&line, "%-*s", columnWidth, step.Name)
	}
	return line.String() + "SUCCEEDED"
}

// looks say how to show each state of a step.
var looks = map[v1alpha1.StepState]struct {
	mark  string
	color *color.Color
}{
	v1alpha1.StepPending:   {"·", color.New(color.Faint)},
	v1alpha1.StepRunning:   {"▶", color.New(color.FgCyan)},
	v1alpha1.StepSucceeded: {"✓", color.New(color.FgGreen)},
	v1alpha1.StepFailed:    {"✗", color.New(color.FgRed)},
	v1alpha1.StepSkipped:   {"-", color.New(color.Faint)},
}

func lineOf(object *v1alpha1.SequentialJob) string {
	var line strings.Builder
	for _, step := range object.Status.Steps {
		look := looks[step.State]
		line.WriteString(look.color.Sprintf("%-*s", columnWidth, look.mark+" "+string(step.State)))
	}
	if summary := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionSucceeded); summary != nil {
		fmt.Fprintf(&line, "%s (%s)", summary.Status, summary.Reason)
	}
	if isSuspended(object) {
		line.WriteString(color.YellowString("  Suspended=True"))
	}
	return line.String()
}
