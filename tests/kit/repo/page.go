package repo

import (
	"fmt"
	"os"
	"path/filepath"
)

// Rewrite replaces a file of the repository, named from its root, by what is derived from the file as it is.
func Rewrite(file string, derive func(was []byte) ([]byte, error)) error {
	root, err := Root()
	if err != nil {
		return err
	}
	at := filepath.Join(root, filepath.FromSlash(file))
	was, err := os.ReadFile(at)
	if err != nil {
		return err
	}
	now, err := derive(was)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(at, now, 0o644)
}
