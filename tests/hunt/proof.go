package hunt

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/mutants"
)

// A proof is a line in the file "proven" in a mutant's folder: its ID, and a fingerprint of what the result depended
// on. When that changes, the proof is stale, and the mutant must be tried again. A change of the kit makes no proof
// stale: it concerns all of them. CI notices such changes by trying some of all mutants each time.

// Stale returns those mutants that have not been caught since something changed that the result depends on.
func Stale(all []mutants.Mutant) ([]mutants.Mutant, error) {
	p, err := newProofs()
	if err != nil {
		return nil, err
	}
	var stale []mutants.Mutant
	for _, mutant := range all {
		known, err := p.read(mutant)
		if err != nil {
			return nil, err
		}
		now, err := p.fingerprint(mutant)
		if err != nil {
			return nil, err
		}
		if known[mutant.ID] != now {
			stale = append(stale, mutant)
		}
	}
	return stale, nil
}

// Record notes whether a mutant was caught as the repository is now.
func Record(mutant mutants.Mutant, caught bool) error {
	p, err := newProofs()
	if err != nil {
		return err
	}
	known, err := p.read(mutant)
	if err != nil {
		return err
	}
	delete(known, mutant.ID)
	if caught {
		if known[mutant.ID], err = p.fingerprint(mutant); err != nil {
			return err
		}
	}
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(&text, "%s %s\n", id, known[id])
	}
	return os.WriteFile(p.file(mutant), []byte(text.String()), 0o644)
}

type proofs struct{ root string }

func newProofs() (proofs, error) {
	root, err := repo.Root()
	return proofs{root}, err
}

func (p proofs) file(mutant mutants.Mutant) string {
	return filepath.Join(p.root, mutant.Folder(), "proven")
}

// read returns the fingerprints of the mutants in a mutant's folder, by their IDs.
func (p proofs) read(mutant mutants.Mutant) (map[string]string, error) {
	known := map[string]string{}
	text, err := os.Open(p.file(mutant))
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	if err != nil {
		return nil, err
	}
	defer text.Close()
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		id, fingerprint, _ := strings.Cut(lines.Text(), " ")
		known[id] = fingerprint
	}
	return known, lines.Err()
}

// fingerprint is a hash of what decides whether a mutant is caught: its code, what it says must catch it, and the
// checks of its lesson or, for the finished operator's, the campaign's scenarios.
func (p proofs) fingerprint(mutant mutants.Mutant) (string, error) {
	all := sha256.New()
	fmt.Fprintf(all, "%v %v %v\n%s", mutant.CaughtBy, mutant.AlsoBy, mutant.Earlier, mutant.World)
	edited, err := mutant.Edited()
	if err != nil {
		return "", err
	}
	judges := "tests/campaign"
	if mutant.Lesson > 0 {
		judges = fmt.Sprintf("tests/checks/lesson%02d", mutant.Lesson)
	}
	for _, folder := range []string{mutant.Source(), judges} {
		if err := p.addFolder(all, folder, edited); err != nil {
			return "", fmt.Errorf("look what %s depends on: %w", mutant, err)
		}
	}
	return fmt.Sprintf("%x", all.Sum(nil)[:8]), nil
}

// addFolder adds the Go files in a folder, and below it, as the mutant has them. Tests decide nothing.
func (p proofs) addFolder(to io.Writer, folder string, edited map[string][]byte) error {
	return filepath.WalkDir(filepath.Join(p.root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(p.root, path)
		if err != nil {
			return err
		}
		text, changed := edited[filepath.ToSlash(name)]
		if !changed {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		_, err = fmt.Fprintf(to, "%s %d\n%s\n", name, len(text), text)
		return err
	})
}
