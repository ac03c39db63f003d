package lessons

import (
	"context"
	"fmt"
	"io"

	"example.com/controller-course/tests/lesson"
)

// Reset makes a learner's files those of the starter again, and keeps what was there.
func (c Course) Reset(ctx context.Context, l lesson.Lesson, out io.Writer) error {
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	starter, err := c.starter(l)
	if err != nil {
		return err
	}
	if err := c.noteEdited(ctx, out, l); err != nil {
		return err
	}
	before, err := read(c.Path(l.Folder()))
	if err != nil {
		return err
	}
	if before.equal(starter) {
		fmt.Fprintf(out, "%s is the starter already; there is nothing to reset.\n", l.Folder())
		return nil
	}
	if err := c.replace(l, before, starter, starter, out); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s is the starter again.\n", l.Folder())
	return nil
}
