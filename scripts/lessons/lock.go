package lessons

import (
	"context"
	"io"

	"example.com/controller-course/tests/kit/alive"
)

// lock waits until no other command writes the lessons' files. What a command killed half way has left
// is fixed by running it again.
func (c Course) lock(ctx context.Context, out io.Writer) (unlock func(), err error) {
	return alive.To(out).Lock(ctx, c.Path(cache, "lessons.lock"), "another command that writes the lessons' files")
}

// cache is where everything is that isn't tracked.
const cache = ".cache"
