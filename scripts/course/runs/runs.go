// Package runs knows the folders in which commands leave files for later, and lets only one command at a time
// write into each.
package runs

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"example.com/controller-course/tests/kit/alive"
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
	return alive.To(out).Lock(ctx, folder+".lock", "another command that judges here")
}
