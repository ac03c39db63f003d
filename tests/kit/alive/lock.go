package alive

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock waits until no other process holds the lock in a file, and shows that it waits. Holder says who that may be.
// The kernel unlocks at the latest when this process ends.
func (s Sign) Lock(ctx context.Context, file, holder string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of a lock: %w", err)
	}
	lock := flock.New(file)
	locked, err := lock.TryLock()
	if err == nil && !locked {
		stop := s.ShowAlive("waiting for "+holder, time.Now())
		_, err = lock.TryLockContext(ctx, 100*time.Millisecond)
		stop()
	}
	if err != nil {
		return nil, fmt.Errorf("wait for %s: %w", holder, err)
	}
	return func() { _ = lock.Unlock() }, nil
}
