package kind

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// The images that runs in the cluster need. All are FROM scratch.
const (
	OperatorImage   = "sequentialjob:dev"  // as the Deployment names it
	NextImage       = "sequentialjob:next" // the same program, for an upgrade
	StepImage       = "step:dev"           // as the samples name it
	NATSImage       = "nats-server:dev"    // as tests/e2e/nats/on-node names it
	ControllerImage = "controller:dev"     // a lesson's controller, as tests/e2e/controller names it
)

// A source says what an image is made from.
type source struct {
	image       string
	folder, pkg string // what is built, in which folder
	program     string // its name in the image
	dockerfile  string
	usually     time.Duration // with nothing of it cached
}

var (
	operatorSource = source{OperatorImage, "sequentialjob", ".", "sequentialjob", "sequentialjob/Dockerfile", 2 * time.Minute}
	nextSource     = source{NextImage, "sequentialjob", ".", "sequentialjob", "sequentialjob/Dockerfile", 3 * time.Second}
	stepSource     = source{StepImage, "tests/step", ".", "step", "tests/step/Dockerfile", 3 * time.Second}
	natsSource     = source{NATSImage, "tests/kit/assets/nats", "github.com/nats-io/nats-server/v2", "nats-server", "tests/e2e/nats/Dockerfile", 20 * time.Second}
)

// BuildOperatorImages builds the images of the finished operator, and of the object store that it uses, and returns their names.
func BuildOperatorImages(ctx context.Context, out io.Writer) ([]string, error) {
	var names []string
	for _, source := range []source{operatorSource, nextSource, natsSource} {
		if err := showBuild(ctx, out, source); err != nil {
			return nil, err
		}
		names = append(names, source.image)
	}
	return names, nil
}

// BuildStoreImage builds the image of the object store, and returns its name.
func BuildStoreImage(ctx context.Context, out io.Writer) (string, error) {
	return NATSImage, showBuild(ctx, out, natsSource)
}

// BuildStepImage builds the image that steps run, and returns its name.
func BuildStepImage(ctx context.Context, out io.Writer) (string, error) {
	return StepImage, showBuild(ctx, out, stepSource)
}

// BuildControllerImage makes an image of a lesson's controller, a static program for Linux named controller
// that is alone in its folder, and returns its name.
func BuildControllerImage(ctx context.Context, folder string) (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	return ControllerImage, pack(ctx, ControllerImage, filepath.Join(root, "tests", "e2e", "controller", "Dockerfile"), folder)
}

// showBuild is buildImage with the output shown.
func showBuild(ctx context.Context, out io.Writer, s source) error {
	return alive.To(out).During("image "+s.image, s.usually, func() error { return buildImage(ctx, s) })
}

// buildImage builds a program, and an image with it as its Dockerfile says.
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
	if err := process.BuildPackageForContainer(ctx, filepath.Join(root, s.folder), s.pkg, filepath.Join(dir, s.program)); err != nil {
		return explain(fmt.Errorf("build the image %s: %w", s.image, err))
	}
	return pack(ctx, s.image, filepath.Join(root, s.dockerfile), dir)
}

// pack makes an image of a folder. A label with the image's name distinguishes images with the same program.
func pack(ctx context.Context, image, dockerfile, dir string) error {
	_, err := docker(ctx, "build", "--quiet", "--label", "name="+image, "--file", dockerfile, "--tag", image, dir)
	if err != nil {
		return explain(fmt.Errorf("build the image %s: %w", image, err))
	}
	return nil
}
