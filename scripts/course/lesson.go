package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
)

// A lesson is a lesson's files, and what its code is judged by.
type lesson struct {
	lessons.Lesson
	judged checks.Lesson
}

// firstController is the first lesson whose code is a controller of SequentialJobs. What it asks for, the
// code of all later lessons has to do as well.
const firstController = 3

// apiLesson is the lesson whose code is an API, and no program.
const apiLesson = 2

func (l lesson) isController() bool { return l.Number != apiLesson }

func findLesson(number int) (lesson, error) {
	files, err := lessons.Find(number)
	if err != nil {
		return lesson{}, usageError{err}
	}
	judged, err := checks.Of(number)
	if err != nil {
		return lesson{}, usageError{err}
	}
	return lesson{files, judged}, nil
}

// name is what a lesson is called.
func (l lesson) name() string {
	if l.Title == "" {
		return l.Slug
	}
	return l.Title
}

// folder is the learner's folder as somebody in the repository would type it.
func (l lesson) folder() string { return filepath.Join("lessons", l.Slug) }

// has says what to do if the code that is to be judged isn't there.
func (l lesson) has(judged code) error {
	err := judged.exists()
	switch {
	case err == nil:
		return nil
	case judged.own:
		return usageError{fmt.Errorf("%w; %s reset gets what the lesson begins with", err, goal(l.Number))}
	}
	return usageError{err}
}

// hasCode says what to do if the learner has no code.
func (l lesson) hasCode() error { return l.has(codeOf(l.Folder, "", "")) }

// runsSequences says, for a lesson that makes no controller of SequentialJobs, what follows from that.
func (l lesson) runsSequences(so string) error {
	if l.Number >= firstController {
		return nil
	}
	return usageError{fmt.Errorf("lesson %d makes no controller of SequentialJobs, %s; lesson %d is the first that does",
		l.Number, so, firstController)}
}

// earlier are the lessons that the code of this one has to pass too.
func (l lesson) earlier() []checks.Lesson {
	var before []checks.Lesson
	for _, one := range checks.Lessons() {
		if firstController <= one.Number && one.Number < l.Number {
			before = append(before, one)
		}
	}
	return before
}

// choose returns the check with an ID. For one of another lesson the error tells what to type instead.
func (l lesson) choose(id string, instead func(id string) string) ([]checks.Check, error) {
	chosen, err := l.judged.Choose(id)
	if err == nil {
		return chosen, nil
	}
	for _, other := range checks.Lessons() {
		if _, none := other.Choose(id); none == nil {
			return nil, fmt.Errorf("check %s is one of lesson %d: %s", id, other.Number, instead(id))
		}
	}
	return nil, err
}

// goal is the beginning of every command about a lesson.
func goal(number int) string { return fmt.Sprintf("make lesson-%d", number) }

func newLessonCmd() *cobra.Command {
	command := lessonCmd("lesson N", "Show where you are in a lesson, and what to do next", runWhere)
	command.AddCommand(
		newJudgeCmd(),
		newWatchCmd(),
		newHintCmd(),
		newTextCmd(),
		newRunCmd(),
		newLessonCampaignCmd(),
		newLessonE2ECmd(),
	)
	command.AddCommand(newLessonFilesCmds()...)
	return command
}

func newSolutionCmd() *cobra.Command {
	command := &cobra.Command{
		Use:   "solution",
		Short: "Judge the solution of a lesson",
		Args:  cobra.ArbitraryArgs, // make solution-3
		RunE: func(*cobra.Command, []string) error {
			return usageError{errors.New("a solution can be tested: make solution-3 test")}
		},
	}
	command.AddCommand(newJudgeSolutionCmd())
	return command
}

// lessonCmd is a command about the lesson whose number is its only argument.
func lessonCmd(use, short string, act func(*cobra.Command, lesson) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.MatchAll(cobra.ExactArgs(1), isNumber),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			found, err := findLesson(number)
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

// runsFolder is where a lesson's runs leave what is looked at later.
func runsFolder(of string) (string, error) {
	root, err := repo.Root()
	return filepath.Join(root, ".cache", "runs", of), err
}
