package learn

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/scripts/lessons"
	"example.com/controller-course/tests/lesson"
)

// fileCommands return what a learner can do with the files of a lesson.
func fileCommands() []*cobra.Command {
	return []*cobra.Command{
		fileCommand("diff", "Show the difference from your files to the solution", lessons.Course.Diff),
		fileCommand("reset", "Start the lesson again; your code is backed up first", lessons.Course.Reset),
		fileCommand("carry", "Take your code of the lesson before into this one", lessons.Course.Carry),
	}
}

func fileCommand(verb, short string, act func(lessons.Course, context.Context, lesson.Lesson, io.Writer) error) *cobra.Command {
	return usage.Command(verb+" N", short, func(cmd *cobra.Command, of usage.Lesson) error {
		before, err := of.Course.Code(of.Lesson)
		if err != nil {
			return err
		}
		err = act(of.Course, cmd.Context(), of.Lesson, cmd.OutOrStdout())
		after, readErr := of.Course.Code(of.Lesson)
		if readErr != nil || maps.EqualFunc(before, after, bytes.Equal) {
			return errors.Join(err, readErr)
		}
		return errors.Join(err, record.Change(cmd.Context(), cmd.ErrOrStderr(), func(r *record.Record) { r.Lesson(of.Number).Replace() }))
	})
}
