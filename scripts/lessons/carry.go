package lessons

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.com/controller-course/scripts/repo"
)

// firstCarried is the first lesson that goes on where the one before it has ended.
const firstCarried = 4

// Carry takes a learner's code of the lesson before into a lesson, and keeps what was there. It fails
// when something is left that only the learner can bring together.
func Carry(ctx context.Context, number int, out io.Writer) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	return course(root).carry(ctx, number, out)
}

func (c course) carry(ctx context.Context, number int, out io.Writer) error {
	lesson, err := c.find(number)
	if err != nil {
		return err
	}
	if number < firstCarried {
		fmt.Fprintf(out, "Lesson %d starts afresh: there is nothing to carry into it.\n", number)
		return nil
	}
	before, err := c.find(number - 1)
	if err != nil {
		return err
	}
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	for _, used := range []Lesson{before, lesson} {
		if err := c.noteEdited(ctx, out, used); err != nil {
			return err
		}
	}
	return c.carryFrom(ctx, before, lesson, out)
}

// carryFrom puts into a lesson what a learner has made of the one before.
func (c course) carryFrom(ctx context.Context, before, lesson Lesson, out io.Writer) error {
	learners, err := read(before.Folder)
	if err != nil {
		return err
	}
	untouched, err := c.starter(before)
	if err != nil {
		return err
	}
	if len(learners) == 0 || learners.equal(untouched) {
		fmt.Fprintf(out, "%s is still as you found it, so there is nothing to carry. Lesson %d begins with the solution of lesson %d.\n",
			c.short(before.Folder), lesson.Number, before.Number)
		return nil
	}
	starter, err := c.starter(lesson)
	if err != nil {
		return err
	}
	carried, conflicts, err := c.bringTogether(ctx, before, lesson, learners, untouched, starter)
	if err != nil {
		return err
	}
	there, err := read(lesson.Folder)
	if err != nil {
		return err
	}
	if there.equal(carried) {
		fmt.Fprintf(out, "%s has your code of lesson %d already.\n", c.short(lesson.Folder), before.Number)
	} else if err := c.replace(lesson, there, carried, starter, out); err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return c.conflicting(before, lesson, conflicts)
	}
	fmt.Fprintf(out, "%s goes on from your code of lesson %d. What is to be done is at each TODO.\n", c.short(lesson.Folder), before.Number)
	return nil
}

// bringTogether merges what a learner has made of the lesson before with what the lesson makes of it.
func (c course) bringTogether(ctx context.Context, before, lesson Lesson, learners, untouched, starter Files) (Files, []Conflict, error) {
	where := c.short(before.Solution)
	solution, err := readSolution(before.Solution, where)
	if err != nil {
		return nil, nil, err
	}
	base, err := stripped(where, solution.withoutTests())
	if err != nil {
		return nil, nil, err
	}
	ours, err := withoutDoneTasks(where, solution, untouched, learners)
	if err != nil {
		return nil, nil, err
	}
	return merge{
		base: base, ours: ours, theirs: starter,
		oursLabel: fmt.Sprintf("your lesson %d", before.Number), theirLabel: fmt.Sprintf("lesson %d", lesson.Number),
	}.run(ctx)
}

func (c course) conflicting(before, lesson Lesson, conflicts []Conflict) error {
	return fmt.Errorf("%s has your code of lesson %d, but in %s only you can tell what is meant:\n%s\n"+
		"Look there for <<<<<<<: above ======= is your code, below it what lesson %d brings. "+
		"Make one of the two, remove the marks, then run make lesson-%d test. 'make lesson-%d reset' gives you the starter again",
		c.short(lesson.Folder), before.Number, count(conflicts), list(c.short(lesson.Folder), conflicts), lesson.Number, lesson.Number, lesson.Number)
}

func count(conflicts []Conflict) string {
	if len(conflicts) == 1 {
		return "one file"
	}
	return fmt.Sprintf("%d files", len(conflicts))
}

// list has a line for each conflict.
func list(folder string, conflicts []Conflict) string {
	var lines []string
	for _, conflict := range conflicts {
		lines = append(lines, fmt.Sprintf("  %s/%s: %s", folder, conflict.File, conflict.What))
	}
	return strings.Join(lines, "\n")
}
