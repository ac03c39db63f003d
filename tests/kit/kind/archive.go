package kind

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path"
	"runtime"
	"strings"
)

// An image is a container image put together without a builder. It is written by hand: go-containerregistry would
// save half of this file, at the price of three more modules and of passing large layers through its own readers.
type image struct {
	name       string
	layers     []layer
	entrypoint []string
	env        []string
	stopSignal string
}

// A layer writes a tar archive of files, the same at every call.
type layer func(io.Writer) error

// programLayer is a layer with one program in it, at a path.
func programLayer(program, at string) layer {
	return func(out io.Writer) error {
		info, err := os.Stat(program)
		if err != nil {
			return err
		}
		archive := tar.NewWriter(out)
		if err := add(archive, strings.TrimPrefix(at, "/"), 0o755, info.Size(), fileLayer(program)); err != nil {
			return err
		}
		return archive.Close()
	}
}

func add(archive *tar.Writer, name string, mode, size int64, write func(io.Writer) error) error {
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: size, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	return write(archive)
}

func fileLayer(name string) layer {
	return func(out io.Writer) error {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(out, file)
		return err
	}
}

// write writes the image as docker save does.
func (i image) write(out io.Writer) error {
	archive := tar.NewWriter(out)
	var digests, names []string
	for _, write := range i.layers {
		digest, size, err := measure(write)
		if err != nil {
			return err
		}
		name := path.Join(digest, "layer.tar")
		if err := add(archive, name, 0o644, size, write); err != nil {
			return err
		}
		digests, names = append(digests, "sha256:"+digest), append(names, name)
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH,
		"os":           "linux",
		"config":       map[string]any{"Entrypoint": i.entrypoint, "Env": i.env, "StopSignal": i.stopSignal},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": digests},
	})
	if err != nil {
		return err
	}
	digest := sha256.Sum256(config)
	configName := hex.EncodeToString(digest[:]) + ".json"
	manifest, err := json.Marshal([]any{map[string]any{"Config": configName, "RepoTags": []string{i.name}, "Layers": names}})
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		data []byte
	}{{configName, config}, {"manifest.json", manifest}} {
		write := func(out io.Writer) error { _, err := out.Write(file.data); return err }
		if err := add(archive, file.name, 0o644, int64(len(file.data)), write); err != nil {
			return err
		}
	}
	return archive.Close()
}

func measure(write layer) (digest string, size int64, err error) {
	hash := sha256.New()
	counted := &counter{Writer: hash}
	if err := write(counted); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), counted.bytes, nil
}

// A counter counts what is written through it.
type counter struct {
	io.Writer
	bytes int64
}

func (c *counter) Write(data []byte) (int, error) {
	n, err := c.Writer.Write(data)
	c.bytes += int64(n)
	return n, err
}
