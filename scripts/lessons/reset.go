package lessons

import (
	"context"
	"fmt"
	"io"

	"example.com/controller-course/tests/kit/repo"
)

// Reset makes a learner's files those of the starter again, and keeps what was there.
func Reset(ctx context.Context, number int, out io.Writer) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	return course(root).reset(ctx, number, out)
}

func (c course) reset(ctx context.Context, number int, out io.Writer) error {
	lesson, err := c.find(number)
	if err != nil {
		return err
	}
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	starter, err := c.starter(lesson)
	if err != nil {
		return err
	}
	if err := c.noteEdited(ctx, out, lesson); err != nil {
		return err
	}
	before, err := read(lesson.Folder)
	if err != nil {
		return err
	}
	if before.equal(starter) {
		fmt.Fprintf(out, "%s is the starter already; there is nothing to reset.\n", c.short(lesson.Folder))
		return nil
	}
	if err := c.replace(lesson, before, starter, starter, out); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is the starter again.\n", c.short(lesson.Folder))
	return nil
}
