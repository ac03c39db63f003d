package usage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/mutants"
)

// Code is what a user has chosen to have judged.
type Code struct {
	judge.Code
	Own   bool   // the learner's own, so their record keeps what comes of it
	Typed string // how the user chose it, for a command that chooses it again; empty if they did not have to
}

// Flags say which code to judge, and by which check.
type Flags struct{ Impl, Bin, Wrong, Check, World string }

// AddTo adds those of the flags to a command that it reads.
func (f *Flags) AddTo(command *cobra.Command, names ...string) {
	var code []string // of which a user can choose one
	for _, flag := range []struct {
		name, help string
		value      *string
		isCode     bool
	}{
		{"impl", "folder of another Go package", &f.Impl, true},
		{"bin", "a program, in place of code", &f.Bin, true},
		{"wrong", "a wrong version of the solution: L5-18", &f.Wrong, true},
		{"check", "judge by this check alone", &f.Check, false},
		{"world", "judge in this world alone, or in all of them", &f.World, false},
	} {
		if !slices.Contains(names, flag.name) {
			continue
		}
		command.Flags().StringVar(flag.value, flag.name, "", flag.help)
		if flag.isCode {
			code = append(code, flag.name)
		}
	}
	command.MarkFlagsMutuallyExclusive(code...)
}

// Code is the code that these flags choose: the learner's own, unless they name another. A wrong version of the
// solution is written to a folder first.
func (f Flags) Code(l Lesson) (Code, error) {
	switch {
	case f.Bin != "":
		return Code{Code: judge.Code{Program: f.Bin}, Typed: " BIN='" + f.Bin + "'"}, nil
	case f.Impl != "":
		return Code{Code: judge.Code{Folder: f.Impl}, Typed: " IMPL='" + f.Impl + "'"}, nil
	case f.Wrong != "":
		folder, err := l.writeWrong(f.Wrong)
		return Code{Code: judge.Code{Folder: folder}, Typed: " WRONG=" + f.Wrong}, err
	default:
		return l.OwnCode(), nil
	}
}

// OwnCode is the learner's own.
func (l Lesson) OwnCode() Code {
	return Code{Code: judge.Code{Folder: l.Course.Path(l.Folder())}, Own: true}
}

// writeWrong writes a wrong version of the lesson's solution to a folder, and returns the folder.
func (l Lesson) writeWrong(id string) (folder string, err error) {
	if _, err := os.Stat(l.Course.Path(l.Solution())); err != nil {
		return "", Errorf("a wrong version is an edit of the solution, and there is no folder %s", l.Solution())
	}
	all, err := mutants.LoadLesson(l.Number)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(all, func(m mutants.Mutant) bool { return m.ID == id })
	if i < 0 {
		return "", Errorf("lesson %d has no wrong version %s; docs/kill-matrix.md lists them, %s to %s",
			l.Number, id, all[0].ID, all[len(all)-1].ID)
	}
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	folder = filepath.Join(root, ".cache", "wrong", id)
	if err := os.RemoveAll(folder); err != nil {
		return "", fmt.Errorf("replace the last copy of %s: %w", id, err)
	}
	return folder, all[i].Copy(folder)
}

// SolutionCode is the solution of the lesson.
func (l Lesson) SolutionCode() Code {
	return Code{Code: judge.Code{Folder: l.Course.Path(l.Solution())}}
}

// Again is what chooses the code in another command about the same lesson.
func (c Code) Again(l Lesson) string {
	if c.Own || c.Typed != "" {
		return c.Typed
	}
	return " IMPL=" + l.Solution()
}

// Elsewhere is what chooses the code of a lesson in a command about another lesson.
func (c Code) Elsewhere(l Lesson) string {
	if c.Own {
		return " IMPL=" + l.Folder()
	}
	return c.Again(l)
}
