package lessons

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// A side is one version of a file in a merge.
type side struct {
	label string // what conflict marks call it
	text  []byte
}

func (s side) write(dir string, number int) (file string, err error) {
	file = filepath.Join(dir, strconv.Itoa(number))
	return file, os.WriteFile(file, s.text, 0o600)
}

// A merge brings together what two sides have made of the files in base.
type merge struct {
	base, ours, theirs    Files
	oursLabel, theirLabel string // what conflict marks and conflicts call the two
}

// A Conflict is a file that two sides have changed in ways that you have to resolve.
type Conflict struct {
	File string
	What string // a sentence about it
}

// run returns the merged files and the conflicts.
func (m merge) run(ctx context.Context) (Files, []Conflict, error) {
	dir, err := os.MkdirTemp("", "merge-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	merged := Files{}
	var conflicts []Conflict
	for _, name := range names(m.base, m.ours, m.theirs) {
		text, what, err := m.file(ctx, dir, name)
		if err != nil {
			return nil, nil, fmt.Errorf("merge %s: %w", name, err)
		}
		if text != nil {
			merged[name] = text
		}
		if what != "" {
			conflicts = append(conflicts, Conflict{File: name, What: what})
		}
	}
	return merged, conflicts, nil
}

// file merges one file: nil if it goes. What is wrong, if anything, is a sentence.
func (m merge) file(ctx context.Context, dir, name string) (text []byte, what string, err error) {
	ours, inOurs := m.ours[name]
	theirs, inTheirs := m.theirs[name]
	switch {
	case same(m.base, m.ours, name):
		return theirs, "", nil
	case same(m.base, m.theirs, name), same(m.ours, m.theirs, name):
		return ours, "", nil
	case !inOurs:
		return theirs, fmt.Sprintf("%s does not have it any more, %s has changed it: it is there as the latter has it", m.oursLabel, m.theirLabel), nil
	case !inTheirs:
		return ours, fmt.Sprintf("%s does not have it any more, %s has changed it: it is there as the latter has it", m.theirLabel, m.oursLabel), nil
	}
	text, conflict, err := mergeFile(ctx, dir, side{"before", m.base[name]}, side{m.oursLabel, ours}, side{m.theirLabel, theirs})
	if conflict {
		what = "both have changed the same lines: they stand between <<<<<<< and >>>>>>>"
	}
	return text, what, err
}
