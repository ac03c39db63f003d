package repo

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Glob returns the paths of the files in a folder whose names match a pattern, in order. Unlike filepath.Glob it takes the folder as
// it is: a clone may lie below one whose name has a [.
func Glob(folder, pattern string) ([]string, error) {
	files, err := fs.Glob(os.DirFS(folder), pattern)
	for i, name := range files {
		files[i] = filepath.Join(folder, name)
	}
	return files, err
}
