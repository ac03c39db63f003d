package repo

import (
	"os"
	"path/filepath"
)

// Replace writes a file, as os.WriteFile does, and its folder. The file is whole whenever the process ends: as it was, or as it is now.
func Replace(file string, text []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	unfinished := file + ".new"
	if err := os.WriteFile(unfinished, text, mode); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}
