package usage

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"
)

// A Lesson is one that a user has named.
type Lesson struct {
	lesson.Lesson
	Course lessons.Course // the files of all lessons
}

// Find returns the lesson with a number.
func Find(number int) (Lesson, error) {
	found, err := checks.Of(number)
	if err != nil {
		return Lesson{}, Errorf("%w", err)
	}
	course, err := lessons.Of(checks.Lessons())
	return Lesson{found, course}, err
}

// Command is a command about the lesson whose number is its only argument.
func Command(use, short string, act func(*cobra.Command, Lesson) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.MatchAll(cobra.ExactArgs(1), isNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			found, err := Find(number)
			if err != nil {
				return err
			}
			return act(cmd, found)
		},
	}
}

func isNumber(_ *cobra.Command, args []string) error {
	if _, err := strconv.Atoi(args[0]); err != nil {
		return fmt.Errorf("%q is not the number of a lesson: they are called lesson-1, lesson-2 and so on", args[0])
	}
	return nil
}

// MustHave says what to do if the code that a user chose does not exist.
func (l Lesson) MustHave(code Code) error {
	err := code.Exists()
	switch {
	case err == nil:
		return nil
	case code.Own:
		return Errorf("%w; %s reset gets what the lesson begins with", err, Goal(l.Number))
	}
	return Errorf("%w", err)
}

// MustRunSequences says, about a lesson that makes no controller of SequentialJobs, what follows from that.
func (l Lesson) MustRunSequences(so string) error {
	if l.Kind == lesson.Controller {
		return nil
	}
	all := checks.Lessons()
	first := slices.IndexFunc(all, func(other lesson.Lesson) bool { return other.Kind == lesson.Controller })
	return Errorf("lesson %d makes no controller of SequentialJobs, %s; lesson %d is the first that does", l.Number, so, all[first].Number)
}

// Check returns the lesson's check with an ID. For a check of another lesson the error says what to type
// instead.
func (l Lesson) Check(id lesson.ID, instead func(lesson.ID) string) (lesson.Check, error) {
	chosen, err := l.Choose(id)
	if err == nil {
		return chosen[0], nil
	}
	if other, none := checks.Of(id.Lesson()); none == nil {
		if _, none := other.Choose(id); none == nil {
			err = fmt.Errorf("check %s is one of lesson %d: %s", id, other.Number, instead(id))
		}
	}
	return lesson.Check{}, Errorf("%w", err)
}
