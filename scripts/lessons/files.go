package lessons

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Files are the texts of a folder's Go files, by name.
type Files map[string][]byte

// read returns the Go files of a folder; none if there is no such folder.
func read(folder string) (Files, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := Files{}
	for _, entry := range entries {
		file := filepath.Join(folder, entry.Name())
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() || !isCode(entry.Name()) { // a link to a file is one
			continue
		}
		if files[entry.Name()], err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// isCode leaves out what editors put next to a file that is being edited.
func isCode(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, ".")
}

// withoutTests leaves out the tests, which starters do not have.
func (f Files) withoutTests() Files {
	kept := maps.Clone(f)
	maps.DeleteFunc(kept, func(name string, _ []byte) bool { return strings.HasSuffix(name, "_test.go") })
	return kept
}

// put makes the folder's Go files these, and touches none that is so already.
func (f Files) put(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	before, err := read(folder)
	if err != nil {
		return err
	}
	for _, name := range names(before, f) {
		file := filepath.Join(folder, name)
		text, wanted := f[name]
		switch {
		case !wanted:
			err = os.Remove(file)
		case !same(before, f, name):
			err = os.WriteFile(file, text, 0o644)
		}
		if err != nil {
			return fmt.Errorf("write the files of %s: %w", folder, err)
		}
	}
	return nil
}

func (f Files) equal(other Files) bool { return len(differing(f, other)) == 0 }

// differing returns the names of the files that are not the same on both sides.
func differing(a, b Files) []string {
	return slices.DeleteFunc(names(a, b), func(name string) bool { return same(a, b, name) })
}

// same says whether a file has the same text on both sides, or is missing on both.
func same(a, b Files, name string) bool {
	textA, inA := a[name]
	textB, inB := b[name]
	return inA == inB && bytes.Equal(textA, textB)
}

// names returns the names of all files on any side, in order.
func names(sides ...Files) []string {
	all := Files{}
	for _, side := range sides {
		maps.Copy(all, side)
	}
	return slices.Sorted(maps.Keys(all))
}
