package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockBuild waits until no other process builds in a folder, and removes what
// builds that were killed have left in it.
func lockBuild(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	lock := flock.New(dir + ".lock")
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return nil, fmt.Errorf("wait for another process that builds a node image: %w", err)
	}
	leftovers, err := filepath.Glob(filepath.Join(dir, "*"))
	for _, leftover := range leftovers {
		err = errors.Join(err, os.RemoveAll(leftover))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("remove what an interrupted build has left: %w", err), lock.Unlock())
	}
	return func() { _ = lock.Unlock() }, nil
}
