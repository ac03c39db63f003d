package assets

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/repo"
)

// buildDirPattern names the folders in which something is being built.
const buildDirPattern = ".build-*"

// A builder fills the cache of one set of versions.
type builder struct {
	modules  string // the folder with the upstreams' modules
	cache    string // the folder for the binaries
	versions versions
	sign     alive.Sign
}

// newBuilder returns a builder of what is built from these upstreams.
func newBuilder(out io.Writer, upstreams ...upstream) (*builder, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	modules := filepath.Join(root, "tests", "kit", "assets")
	versions, err := readVersions(modules, upstreams...)
	if err != nil {
		return nil, err
	}
	userCache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the user's cache directory, where the control plane's binaries go: %w; set HOME or XDG_CACHE_HOME", err)
	}
	return &builder{
		modules:  modules,
		cache:    filepath.Join(userCache, "controller-course", "assets", versions.key(upstreams...)),
		versions: versions,
		sign:     alive.To(out),
	}, nil
}

func (b *builder) missing(wanted []recipe) []recipe {
	var missing []recipe
	for _, r := range wanted {
		if !isExecutable(filepath.Join(b.cache, string(r.binary))) {
			missing = append(missing, r)
		}
	}
	return missing
}

// ensure builds those of the wanted binaries that are missing. One process
// builds at a time, and a binary appears in the cache only when it is whole.
func (b *builder) ensure(ctx context.Context, wanted []recipe) error {
	if len(b.missing(wanted)) == 0 {
		return nil
	}
	unlock, err := b.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()

	if err := RemoveLeftovers(filepath.Join(b.cache, buildDirPattern)); err != nil {
		return err
	}
	missing := b.missing(wanted) // the process that held the lock may have built some
	b.announce(missing)
	for i, r := range missing {
		label := fmt.Sprintf("[%d/%d] %s %s", i+1, len(missing), r.binary, b.versions[r.upstream])
		if err := b.sign.During(label, r.usually, func() error { return b.build(ctx, r) }); err != nil {
			return fmt.Errorf("build %s: %w", r.binary, b.explain(err))
		}
	}
	return nil
}

// lock waits until no other process builds.
func (b *builder) lock(ctx context.Context) (unlock func(), err error) {
	return b.sign.Lock(ctx, filepath.Join(b.cache, ".lock"), "another process that builds the control plane's binaries")
}

// RemoveLeftovers removes what builds that were killed have left. Only call it with the lock held.
func RemoveLeftovers(pattern string) error {
	leftovers, err := filepath.Glob(pattern)
	for _, dir := range leftovers {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		return fmt.Errorf("remove what an interrupted build has left: %w", err)
	}
	return nil
}

func (b *builder) announce(missing []recipe) {
	if len(missing) == 0 {
		return
	}
	b.sign.Say("Building %d of a cluster's programs from source, once, into %s.\nOn 2 cores with an empty build cache this usually takes %s in all.",
		len(missing), b.cache, inAll(missing))
}

// inAll is how long it usually takes to build all of them.
func inAll(recipes []recipe) (total time.Duration) {
	for _, r := range recipes {
		total += r.usually
	}
	return total
}

// build builds one binary. It goes to a folder of its own first, since the linker writes its output bit by bit.
func (b *builder) build(ctx context.Context, r recipe) error {
	dir, err := os.MkdirTemp(b.cache, buildDirPattern)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	module := filepath.Join(b.modules, r.folder)
	built := filepath.Join(dir, string(r.binary))
	flags := []string{"build", "-mod=readonly", "-trimpath", "-tags", r.tags, "-ldflags", b.versions.ldflags(r.upstream), "-o", built, r.pkg}
	if _, err := runGo(ctx, module, r.tags != "", flags...); err != nil {
		return err
	}
	if r.binary == Kwok {
		if err := b.copyStages(ctx, dir); err != nil {
			return err
		}
	}
	return os.Rename(built, filepath.Join(b.cache, string(r.binary)))
}
