package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/lessons"
)

// newLessonFilesCmds returns what a learner can do with the files of a lesson.
func newLessonFilesCmds() []*cobra.Command {
	return []*cobra.Command{
		newLessonFilesCmd("diff", "Show what leads from your files to the solution", lessons.Diff),
		newLessonFilesCmd("reset", "Begin the lesson again; what you had is kept", lessons.Reset),
		newLessonFilesCmd("carry", "Take your code of the lesson before into this one", lessons.Carry),
	}
}

func newLessonFilesCmd(verb, short string, act func(context.Context, int, io.Writer) error) *cobra.Command {
	return lessonCmd(verb+" N", short, func(cmd *cobra.Command, of lesson) error {
		before, err := of.Code()
		if err != nil {
			return err
		}
		err = act(cmd.Context(), of.Number, cmd.OutOrStdout())
		after, readErr := of.Code()
		if readErr != nil || maps.EqualFunc(before, after, bytes.Equal) {
			return errors.Join(err, readErr)
		}
		kept, noteErr := openProgress(cmd.ErrOrStderr())
		if noteErr == nil {
			noteErr = kept.change(cmd.Context(), func(p *progress) { p.lesson(of.Number).replaced() })
		}
		return errors.Join(err, noteErr)
	})
}
