// Package repo finds this repository on disk.
package repo

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/mod/modfile"
)

// Module is the path of the repository's root module.
const Module = "example.com/controller-course"

// Root returns the folder of the repository that the working directory is in:
// the nearest one upwards whose go.mod is that of Module.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		goMod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && modfile.ModulePath(goMod) == Module:
			return dir, nil
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return "", fmt.Errorf("find the repository: %w", err)
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("%s is not inside the repository of %s: change into your clone and try again", start, Module)
		}
	}
}
