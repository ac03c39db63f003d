package kind

import (
	"context"
	"os"
	"os/exec"
)

// goBuild builds a program of this repository for a container FROM scratch.
func goBuild(ctx context.Context, root, pkg, output string) error {
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", output, pkg)
	build.Dir = root
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOFLAGS=")
	_, err := finish(ctx, build)
	return err
}
