package lessons

import (
	"context"
	"fmt"
	"io"

	"example.com/controller-course/tests/lesson"
)

// CarryForward takes what was changed in a lesson's solution since a commit into the solutions of the
// lessons after it. It stops at the first one in which you have to resolve a conflict.
func (c Course) CarryForward(ctx context.Context, from lesson.Lesson, since string, out io.Writer) error {
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	changed, l := false, from
	for _, next := range c.lessons {
		if next.Continues != l.Number {
			continue
		}
		merged, err := c.carryOn(ctx, l, next, since, out)
		if err != nil {
			return err
		}
		changed = changed || merged
		l = next
	}
	if !changed {
		fmt.Fprintf(out, "Nothing was to be carried: the solutions after lesson %d have it already, or nothing differs from %s (SINCE=HEAD~1 names an older commit).\n", from.Number, since)
		return nil
	}
	fmt.Fprintln(out, "Now run make starters, and the checks of these lessons.")
	return nil
}

// carryOn merges what was changed in a solution into the next one, and returns whether that changed it.
func (c Course) carryOn(ctx context.Context, l, next lesson.Lesson, since string, out io.Writer) (changed bool, err error) {
	base, theirs, err := c.change(ctx, l, since)
	if err != nil {
		return false, err
	}
	ours, err := c.readSolution(next)
	if err != nil {
		return false, err
	}
	if err := ours.resolved(next.Solution()); err != nil {
		return false, err
	}
	merged, conflicts, err := merge{
		base: base, ours: ours, theirs: theirs, oursLabel: next.Solution(), theirLabel: l.Solution(),
	}.run(ctx)
	if err != nil {
		return false, err
	}
	carried := differing(ours, merged)
	if err := merged.put(c.Path(next.Solution())); err != nil {
		return false, err
	}
	for _, name := range carried {
		fmt.Fprintf(out, "%s/%s\n", next.Solution(), name)
	}
	if len(conflicts) > 0 {
		return true, fmt.Errorf("the change to %s does not fit into %s:\n%s\n"+
			"Bring that together there and, before you commit, go on with make carry-forward FROM=%d",
			l.Solution(), next.Solution(), list(next.Solution(), conflicts), next.Number)
	}
	return len(carried) > 0, nil
}

// change returns a solution as it was and as it is, both without what marks the exercises: the next
// lesson has exercises of its own.
func (c Course) change(ctx context.Context, l lesson.Lesson, since string) (was, is Files, err error) {
	if was, err = c.committed(ctx, since, l.Solution()); err != nil {
		return nil, nil, err
	}
	if len(was) == 0 {
		return nil, nil, fmt.Errorf("%s is not in %s, so there is nothing to compare it with: commit it first", l.Solution(), since)
	}
	if was, err = stripped(since+":"+l.Solution(), was); err != nil {
		return nil, nil, err
	}
	if is, err = c.readSolution(l); err != nil {
		return nil, nil, err
	}
	if err := is.resolved(l.Solution()); err != nil {
		return nil, nil, err
	}
	is, err = stripped(l.Solution(), is)
	return was, is, err
}

// resolved returns an error if an earlier merge has left conflicts in the files of a folder.
func (f Files) resolved(folder string) error {
	if marks := f.marks(); len(marks) > 0 {
		return fmt.Errorf("%s/%s:%d has conflicts from an earlier merge: resolve them first", folder, marks[0].File, marks[0].Line)
	}
	return nil
}
