package lessons

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lock waits until no other command writes the lessons' files. What a command killed half way has left
// is fixed by running it again.
func (c Course) lock(ctx context.Context, out io.Writer) (unlock func(), err error) {
	file := c.Path(cache, "lessons.lock")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(file)
	free, err := lock.TryLock()
	if err == nil && !free {
		fmt.Fprintln(out, "Another command is writing the lessons' files; waiting until it has ended.")
		_, err = lock.TryLockContext(ctx, 50*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for another command that writes the lessons' files: %w", err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// cache is where everything is that isn't tracked.
const cache = ".cache"
