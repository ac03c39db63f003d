package kind

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/controller-course/scripts/progress"
	"example.com/controller-course/scripts/repo"
)

// The images that runs in the cluster need. All are FROM scratch.
const (
	OperatorImage = "sequentialjob:dev"  // as the Deployment names it
	NextImage     = "sequentialjob:next" // the same program, for an upgrade
	StepImage     = "step:dev"           // as the samples name it
)

// A source tells what an image is made from.
type source struct {
	image, pkg, dockerfile string
	usually                time.Duration // with nothing of it cached
}

var (
	operatorSource = source{OperatorImage, "./sequentialjob", "sequentialjob/Dockerfile", 2 * time.Minute}
	nextSource     = source{NextImage, "./sequentialjob", "sequentialjob/Dockerfile", 3 * time.Second}
	stepSource     = source{StepImage, "./tests/step", "tests/step/Dockerfile", 3 * time.Second}
)

// BuildImages builds the images that runs in the cluster need, and returns their names.
func BuildImages(ctx context.Context, out io.Writer) ([]string, error) {
	var names []string
	for _, source := range []source{operatorSource, nextSource, stepSource} {
		err := progress.To(out).During("image "+source.image, source.usually, func() error { return buildImage(ctx, source) })
		if err != nil {
			return nil, explain(fmt.Errorf("build the image %s: %w", source.image, err))
		}
		names = append(names, source.image)
	}
	return names, nil
}

// buildImage builds a program, and an image with it as its Dockerfile says. A label with the image's
// name tells images with the same program apart.
func buildImage(ctx context.Context, s source) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := goBuild(ctx, root, s.pkg, filepath.Join(dir, filepath.Base(s.pkg))); err != nil {
		return err
	}
	_, err = docker(ctx, "build", "--quiet", "--label", "name="+s.image, "--file", filepath.Join(root, s.dockerfile), "--tag", s.image, dir)
	return err
}
