package lessons

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"example.com/controller-course/tests/kit/repo"
)

// CarryForward takes what was changed in a lesson's solution since a commit into the solutions of the
// lessons after it. It stops at the first one in which somebody has to bring things together.
func CarryForward(ctx context.Context, from int, since string, out io.Writer) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	return course(root).carryForward(ctx, from, since, out)
}

func (c course) carryForward(ctx context.Context, from int, since string, out io.Writer) error {
	lesson, err := c.find(from)
	if err != nil {
		return err
	}
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := c.all()
	if err != nil {
		return err
	}
	changed := false
	for _, next := range all {
		if next.Number <= lesson.Number || next.Number < firstCarried {
			continue
		}
		merged, err := c.carryOn(ctx, lesson, next, since, out)
		if err != nil {
			return err
		}
		changed = changed || merged
		lesson = next
	}
	if !changed {
		fmt.Fprintf(out, "Nothing was to be carried: the solutions after lesson %d have it already, or nothing differs from %s (SINCE=HEAD~1 names an older commit).\n", from, since)
		return nil
	}
	fmt.Fprintln(out, "Now run make starters, and the checks of these lessons.")
	return nil
}

// carryOn merges what was changed in a solution into the next one, and tells whether that changed it.
func (c course) carryOn(ctx context.Context, lesson, next Lesson, since string, out io.Writer) (changed bool, err error) {
	base, theirs, err := c.change(ctx, lesson, since)
	if err != nil {
		return false, err
	}
	ours, err := readSolution(next.Solution, c.short(next.Solution))
	if err != nil {
		return false, err
	}
	if file := unmerged(ours); file != "" {
		return false, fmt.Errorf("%s/%s has conflicts from an earlier merge: resolve them first", c.short(next.Solution), file)
	}
	merged, conflicts, err := merge{
		base: base, ours: ours, theirs: theirs, oursLabel: c.short(next.Solution), theirLabel: c.short(lesson.Solution),
	}.run(ctx)
	if err != nil {
		return false, err
	}
	carried := differing(ours, merged)
	if err := merged.put(next.Solution); err != nil {
		return false, err
	}
	for _, name := range carried {
		fmt.Fprintf(out, "%s/%s\n", c.short(next.Solution), name)
	}
	if len(conflicts) > 0 {
		return true, fmt.Errorf("the change to %s does not fit into %s:\n%s\n"+
			"Bring that together there and, before you commit, go on with make carry-forward FROM=%d",
			c.short(lesson.Solution), c.short(next.Solution), list(c.short(next.Solution), conflicts), next.Number)
	}
	return len(carried) > 0, nil
}

// change returns a solution as it was and as it is, both without what marks the exercises: the next
// lesson has exercises of its own.
func (c course) change(ctx context.Context, lesson Lesson, since string) (was, is Files, err error) {
	if was, err = c.committed(ctx, since, lesson.Solution); err != nil {
		return nil, nil, err
	}
	if len(was) == 0 {
		return nil, nil, fmt.Errorf("%s is not in %s, so what was changed in it can't be told: commit it first", c.short(lesson.Solution), since)
	}
	if was, err = stripped(since+":"+c.short(lesson.Solution), was); err != nil {
		return nil, nil, err
	}
	if is, err = readSolution(lesson.Solution, c.short(lesson.Solution)); err != nil {
		return nil, nil, err
	}
	if file := unmerged(is); file != "" {
		return nil, nil, fmt.Errorf("%s/%s has conflicts from an earlier merge: resolve them first", c.short(lesson.Solution), file)
	}
	is, err = stripped(c.short(lesson.Solution), is)
	return was, is, err
}

// unmerged returns the name of a file with conflict marks, if there is one.
func unmerged(files Files) string {
	for _, name := range names(files) {
		if bytes.HasPrefix(files[name], []byte("<<<<<<< ")) || bytes.Contains(files[name], []byte("\n<<<<<<< ")) {
			return name
		}
	}
	return ""
}
