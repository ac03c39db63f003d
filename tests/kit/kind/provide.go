package kind

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/alive"
)

// ProvideNodeImage builds the node image of this repository, unless Docker has it.
func ProvideNodeImage(ctx context.Context, out io.Writer) error {
	if err := CheckDocker(ctx); err != nil {
		return err
	}
	_, image, err := nodeImages()
	if err != nil {
		return err
	}
	there, err := image.exists(ctx)
	if there {
		fmt.Fprintf(out, "There is the node image %s.\n", image.name)
	} else if err == nil {
		err = build(ctx, image, out)
	}
	return explain(err)
}

// SaveNodeImage writes the node image to a file, from which LoadNodeImage takes
// it on another machine. The file appears when it is whole.
func SaveNodeImage(ctx context.Context, file string, out io.Writer) error {
	if err := ProvideNodeImage(ctx, out); err != nil {
		return err
	}
	_, image, err := nodeImages()
	if err != nil {
		return err
	}
	part := file + ".part"
	err = alive.To(out).During("saving it to "+file, 10*time.Second, func() error {
		_, err := docker(ctx, "save", "--output", part, image.name)
		return err
	})
	if err != nil {
		return explain(errors.Join(err, os.RemoveAll(part)))
	}
	return os.Rename(part, file)
}

// LoadNodeImage takes the node image from a file that SaveNodeImage has written.
func LoadNodeImage(ctx context.Context, file string, out io.Writer) error {
	if err := CheckDocker(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return err
	}
	_, image, err := nodeImages()
	if err != nil {
		return err
	}
	var said string
	err = alive.To(out).During("loading "+file, 20*time.Second, func() (err error) {
		said, err = docker(ctx, "load", "--input", file)
		return err
	})
	if err != nil {
		return explain(err)
	}
	if there, err := image.exists(ctx); err != nil || there {
		return explain(err)
	}
	return fmt.Errorf("%s does not have the node image of this version of the repository, %s, but: %s. Make one here by 'make node-image', or where that works by 'make node-image-save FILE=…' in the same version",
		file, image.name, strings.TrimPrefix(said, "Loaded image: "))
}

// HaveNodeImage returns the name of the node image that Docker has and that a cluster would be made from, or nothing.
func HaveNodeImage(ctx context.Context) (string, error) {
	image, err := haveNodeImage(ctx)
	if err != nil || image == nil {
		return "", explain(err)
	}
	return image.name, nil
}

// haveNodeImage returns the official image where Docker has it, or ours where it has that.
func haveNodeImage(ctx context.Context) (*nodeImage, error) {
	official, built, err := nodeImages()
	if err != nil {
		return nil, err
	}
	for _, image := range []nodeImage{official, built} {
		if there, err := image.exists(ctx); err != nil || there {
			return &image, err
		}
	}
	return nil, nil
}

// findNodeImage returns the image to make a node from: one that Docker has, or one
// that can be had, pulled or else built.
func findNodeImage(ctx context.Context, out io.Writer) (nodeImage, error) {
	if image, err := haveNodeImage(ctx); err != nil || image != nil {
		return *cmp.Or(image, &nodeImage{}), err
	}
	official, built, err := nodeImages()
	if err != nil {
		return nodeImage{}, err
	}
	err = alive.To(out).During("pulling "+official.name, time.Minute, func() error {
		_, err := docker(ctx, "pull", "--quiet", official.name)
		return err
	})
	if err == nil {
		return official, nil
	}
	if ctx.Err() != nil {
		return nodeImage{}, ctx.Err()
	}
	fmt.Fprintln(out, "It can't be pulled from here, so one is built.")
	return built, build(ctx, built, out)
}
