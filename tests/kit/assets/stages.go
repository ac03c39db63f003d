package assets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stagesDir is the folder in the cache with kwok's stages.
const stagesDir = "kwok-stages"

// copyStages copies the stages out of kwok's module, so that running kwok needs no module cache. They are put together
// in dir and moved as a whole, before the binary is: where there is a kwok, there are its stages.
func (b *builder) copyStages(ctx context.Context, dir string) error {
	module, err := runGo(ctx, filepath.Join(b.modules, kwok.folder), false, "list", "-mod=readonly", "-m", "-f", "{{.Dir}}", kwok.module)
	if err != nil {
		return err
	}
	var sources []string
	for _, kind := range []string{"node", "pod"} {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(module), "kustomize", "stage", kind, "fast", kind+"-*.yaml"))
		if err != nil {
			return err
		}
		sources = append(sources, found...)
	}
	collected := filepath.Join(dir, stagesDir)
	if err := os.Mkdir(collected, 0o755); err != nil {
		return err
	}
	for _, source := range sources {
		data, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(collected, filepath.Base(source)), data, 0o644); err != nil {
			return err
		}
	}
	target := filepath.Join(b.cache, stagesDir)
	if err := errors.Join(os.RemoveAll(target), os.Rename(collected, target)); err != nil {
		return fmt.Errorf("move kwok's stages into place: %w", err)
	}
	return nil
}
