package mutation

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// Cache keeps the outcomes of a lesson's mutants in .cache/mutation, so that what was interrupted continues. An outcome
// is found again only if nothing has changed that it depends on: the mutant's package, all the code of this repository by
// which it is built and judged, the versions of what is imported, and Go.
type Cache struct {
	root  string
	judge []byte // stands for everything but the mutant
}

// NewCache returns the cache of a lesson's outcomes.
func NewCache(ctx context.Context, l lesson.Lesson) (Cache, error) {
	root, err := repo.Root()
	if err != nil {
		return Cache{}, err
	}
	patterns := []string{"./tests/judge", "./" + l.Solution()}
	for _, one := range l.AndEarlier() {
		patterns = append(patterns, fmt.Sprintf("./tests/checks/lesson%02d", one.Number))
	}
	folders, err := depended(ctx, root, patterns)
	if err != nil {
		return Cache{}, err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	for _, folder := range append(folders, filepath.Join(root, "go.sum"), filepath.Join(root, "sequentialjob", "config")) {
		if folder == filepath.Join(root, l.Solution()) {
			continue // each mutant has its own
		}
		if err := addFiles(sum, folder); err != nil {
			return Cache{}, fmt.Errorf("look what the outcomes of lesson %d depend on: %w", l.Number, err)
		}
	}
	return Cache{root: root, judge: sum.Sum(nil)}, nil
}

// depended are the folders of the packages of this module on which some of them depend.
func depended(ctx context.Context, root string, patterns []string) ([]string, error) {
	const ours = "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}"
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-f", ours}, patterns...)...)
	list.Dir = root
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages on which %s depend: %w", strings.Join(patterns, ", "), err)
	}
	return strings.Fields(string(output)), nil
}

// addFiles adds the files in a folder and below it, or one file. Tests decide nothing.
func addFiles(to io.Writer, folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "testdata":
			return filepath.SkipDir
		case entry.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(to, "%s %x\n", entry.Name(), sha256.Sum256(text))
		return err
	})
}

// Known returns the outcome of a mutant, if it is known.
func (c Cache) Known(m Mutant) (outcome Outcome, known bool, err error) {
	file, err := c.file(m)
	if err != nil {
		return outcome, false, err
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return outcome, false, nil
	}
	if err != nil {
		return outcome, false, err
	}
	err = json.Unmarshal(text, &outcome)
	outcome.Mutant = m
	return outcome, err == nil, err
}

// Keep keeps an outcome.
func (c Cache) Keep(outcome Outcome) error {
	file, err := c.file(outcome.Mutant)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(outcome, "", "  ")
	if err != nil {
		return err
	}
	return repo.Replace(file, text, 0o644)
}

func (c Cache) file(m Mutant) (string, error) {
	files, err := m.files(c.root)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%x\n", c.judge)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(sum, "%s %d\n%s\n", name, len(files[name]), files[name])
	}
	return filepath.Join(c.root, ".cache", "mutation", fmt.Sprintf("%x.json", sum.Sum(nil)[:16])), nil
}
