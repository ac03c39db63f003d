package mutants

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/controller-course/tests/kit/repo"
)

// Build compiles the mutant to the file binary. The edited files are laid over those in the
// repository, which stay as they are.
func (m Mutant) Build(ctx context.Context, binary string) error {
	if err := m.build(ctx, binary); err != nil {
		return fmt.Errorf("build %s: %w", m, err)
	}
	return nil
}

func (m Mutant) build(ctx context.Context, binary string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if binary, err = filepath.Abs(binary); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", binary, "./"+m.Source())
	build.Dir = root
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // on which go ends its compilers too
	build.WaitDelay = 10 * time.Second
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, output)
	}
	return nil
}

// overlay writes the edited files to dir, and a file that tells go build which ones they replace.
func (m Mutant) overlay(root, dir string) (string, error) {
	edited, err := m.edited(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, text := range edited {
		copied := filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace)+1, filepath.Base(file)))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(root, file)] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// Edited returns the files of the repository that the mutant changes, as it has them, by their paths from its root.
func (m Mutant) Edited() (map[string][]byte, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	return m.edited(root)
}

// edited returns the files of the repository that the mutant changes, as it has them.
func (m Mutant) edited(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, edit := range m.Edits {
		text, known := files[edit.File]
		var err error
		if !known {
			if text, err = os.ReadFile(filepath.Join(root, edit.File)); err != nil {
				return nil, fmt.Errorf("edit for %s: %w", m, err)
			}
		}
		if files[edit.File], err = edit.apply(text); err != nil {
			return nil, fmt.Errorf("edit for %s: %w", m, err)
		}
	}
	return files, nil
}
