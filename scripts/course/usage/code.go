package usage

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/judge"
)

// Code is what a user has chosen to have judged.
type Code struct {
	judge.Code
	Own   bool   // the learner's own, so their record keeps what comes of it
	Typed string // how the user chose it, for a command that chooses it again; empty if they did not have to
}

// Flags say which code to judge, and by which check.
type Flags struct{ Impl, Bin, Check string }

// AddTo adds the flags to a command.
func (f *Flags) AddTo(command *cobra.Command) {
	command.Flags().StringVar(&f.Impl, "impl", "", "folder of another Go package to judge")
	command.Flags().StringVar(&f.Bin, "bin", "", "a program to judge")
	command.Flags().StringVar(&f.Check, "check", "", "judge by this check alone")
	command.MarkFlagsMutuallyExclusive("impl", "bin")
}

// Code is the code that these flags choose: the learner's own, unless they name another.
func (f Flags) Code(l Lesson) Code {
	switch {
	case f.Bin != "":
		return Code{Code: judge.Code{Program: f.Bin}, Typed: " BIN='" + f.Bin + "'"}
	case f.Impl != "":
		return Code{Code: judge.Code{Folder: f.Impl}, Typed: " IMPL='" + f.Impl + "'"}
	default:
		return Code{Code: judge.Code{Folder: l.Course.Path(l.Folder())}, Own: true}
	}
}

// Solution is the solution of a lesson.
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
