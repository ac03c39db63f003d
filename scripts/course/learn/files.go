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
)

// fileCommands return what a learner can do with the files of a lesson.
func fileCommands() []*cobra.Command {
	return []*cobra.Command{
		fileCommand("diff", "Show the difference from your files to the solution", lessons.Diff),
		fileCommand("reset", "Start the lesson again; what you had is kept", lessons.Reset),
		fileCommand("carry", "Take your code of the lesson before into this one", lessons.Carry),
	}
}

func fileCommand(verb, short string, act func(context.Context, int, io.Writer) error) *cobra.Command {
	return usage.Command(verb+" N", short, func(cmd *cobra.Command, of usage.Lesson) error {
		before, err := of.Files.Code()
		if err != nil {
			return err
		}
		err = act(cmd.Context(), of.Number, cmd.OutOrStdout())
		after, readErr := of.Files.Code()
		if readErr != nil || maps.EqualFunc(before, after, bytes.Equal) {
			return errors.Join(err, readErr)
		}
		file, noteErr := record.Open(cmd.ErrOrStderr())
		if noteErr == nil {
			noteErr = file.Change(cmd.Context(), func(r *record.Record) { r.Lesson(of.Number).Replace() })
		}
		return errors.Join(err, noteErr)
	})
}
