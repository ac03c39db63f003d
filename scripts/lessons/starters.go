package lessons

import (
	"context"
	"fmt"
	"io"
	"strings"

	"example.com/controller-course/tests/lesson"
)

// A derivation is what can be derived for a lesson, and what exists.
type derivation struct {
	lesson.Lesson
	starter, there Files
}

// stale returns the names of the files that are not what they should be.
func (d derivation) stale() []string { return differing(d.starter, d.there) }

// derivations derives everything for the lessons that have a solution.
func (c Course) derivations() ([]derivation, error) {
	var derived []derivation
	for _, l := range c.lessons {
		files, err := read(c.Path(l.Solution()))
		if err != nil {
			return nil, err
		}
		if len(files) == 0 { // a lesson that is being written
			continue
		}
		next := derivation{Lesson: l}
		if next.starter, err = c.starter(l); err != nil {
			return nil, err
		}
		if next.there, err = read(c.Path(l.Folder())); err != nil {
			return nil, err
		}
		derived = append(derived, next)
	}
	return derived, nil
}

// CheckStarters fails if something is not what WriteStarters would write, and says what.
func (c Course) CheckStarters() error {
	all, err := c.derivations()
	if err != nil {
		return err
	}
	var stale []string
	for _, derived := range all {
		for _, name := range derived.stale() {
			stale = append(stale, "  "+derived.Folder()+"/"+name)
		}
	}
	if len(stale) == 0 {
		return nil
	}
	return fmt.Errorf("these files are not what the solutions give; run make starters, or make lesson-N reset if it was you who changed them:\n%s",
		strings.Join(stale, "\n"))
}

// WriteStarters derives every lesson's starter. It refuses to overwrite changes by hand, unless it
// is forced to.
func (c Course) WriteStarters(ctx context.Context, force bool, out io.Writer) error {
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	all, err := c.derivations()
	if err != nil {
		return err
	}
	if !force {
		if err := c.refuse(ctx, all); err != nil {
			return err
		}
	}
	written := 0
	for _, derived := range all {
		for _, name := range derived.stale() {
			fmt.Fprintln(out, derived.Folder()+"/"+name)
			written++
		}
		if err := c.writeDerived(derived); err != nil {
			return err
		}
	}
	if written == 0 {
		fmt.Fprintln(out, "Everything is as the solutions give it.")
	}
	return nil
}

func (c Course) writeDerived(derived derivation) error {
	for _, folder := range []string{c.Path(derived.Folder()), c.remembered(derived.Lesson)} {
		if err := derived.starter.put(folder); err != nil {
			return err
		}
	}
	return nil
}

// remembered is the folder with the starter that was written last. With its help a contributor may derive
// twice between two commits.
func (c Course) remembered(l lesson.Lesson) string { return c.Path(cache, "starters", l.Slug) }

// refuse fails if a file that would be written over was never derived: not from the committed solution,
// and not when starters were written last.
func (c Course) refuse(ctx context.Context, all []derivation) error {
	var own []string
	for _, derived := range all {
		earlier, err := c.earlierStarters(ctx, derived.Lesson)
		if err != nil {
			return err
		}
		for _, name := range differing(derived.starter, derived.there) {
			if _, isThere := derived.there[name]; isThere && !sameAsAny(derived.there, earlier, name) {
				own = append(own, "  "+derived.Folder()+"/"+name)
			}
		}
	}
	if len(own) == 0 {
		return nil
	}
	return fmt.Errorf("nothing was written, because these files were changed by hand:\n%s\n"+
		"Starters are changed in solutions/. 'make lesson-N reset' keeps what was changed and then restores a starter; "+
		"make starters FORCE=1 writes over it", strings.Join(own, "\n"))
}

func (c Course) earlierStarters(ctx context.Context, l lesson.Lesson) ([]Files, error) {
	remembered, err := read(c.remembered(l))
	if err != nil {
		return nil, err
	}
	committed, err := c.committed(ctx, head, l.Solution())
	if err != nil { // no git here, or no commit yet
		return []Files{remembered}, context.Cause(ctx)
	}
	old, err := starter(head+":"+l.Solution(), committed.withoutTests())
	if err != nil { // it was committed with a mistake, so nothing was derived from it
		return []Files{remembered}, nil
	}
	return []Files{remembered, old}, nil
}

func sameAsAny(there Files, earlier []Files, name string) bool {
	for _, files := range earlier {
		if same(there, files, name) {
			return true
		}
	}
	return false
}
