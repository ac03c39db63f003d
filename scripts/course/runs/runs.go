// Package runs knows the folders in which commands leave files for later, and lets only one command at a time
// write into each.
package runs

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
)

// Folder is where the runs of something leave files for later.
func Folder(of string) (string, error) {
	root, err := repo.Root()
	return filepath.Join(root, ".cache", "runs", of), err
}

// Prepare has what judging needs: the control plane's binaries, and the folder of the runs of something, in which no
// other command judges until release.
func Prepare(ctx context.Context, of string, out io.Writer) (folder string, release func(), err error) {
	if _, err := assets.ControlPlane(ctx, out); err != nil {
		return "", nil, err
	}
	if folder, err = Folder(of); err != nil {
		return "", nil, err
	}
	release, err = WaitForTurn(ctx, folder, out)
	return folder, release, err
}

// WaitForTurn makes a folder, and waits until no other command judges in it.
func WaitForTurn(ctx context.Context, folder string, out io.Writer) (release func(), err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	turn := flock.New(folder + ".lock")
	free, err := turn.TryLock()
	if err == nil && !free {
		fmt.Fprintln(out, "Another command is judging here; waiting until it has ended.")
		_, err = turn.TryLockContext(ctx, 50*time.Millisecond)
	}
	if err != nil {
		return nil, fmt.Errorf("wait for another command that is judging: %w", err)
	}
	return func() { _ = turn.Unlock() }, nil
}
