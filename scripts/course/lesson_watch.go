package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fatih/color"
	"github.com/fsnotify/fsnotify"
	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/kit/assets"
)

func newWatchCmd() *cobra.Command {
	var flags judgeFlags
	command := lessonCmd("watch N", "Judge your code whenever a file is saved", func(cmd *cobra.Command, l lesson) error {
		judged := codeOf(l.Folder, flags.impl, "")
		return runWatch(cmd, judging{lesson: l, code: judged, check: flags.check, command: goal(l.Number) + " test"})
	})
	command.Flags().StringVar(&flags.impl, "impl", "", "folder of another Go package to judge")
	command.Flags().StringVar(&flags.check, "check", "", "judge by this check alone")
	return command
}

// runWatch judges once, and then at every save until it is interrupted. The control plane stays up.
func runWatch(cmd *cobra.Command, what judging) (err error) {
	ctx := cmd.Context()
	if err := what.sensible(); err != nil {
		return err
	}
	if _, err := assets.ControlPlane(ctx, cmd.ErrOrStderr()); err != nil {
		return err
	}
	folder, err := runsFolder(fmt.Sprintf("lesson-%02d", what.lesson.Number))
	if err != nil {
		return err
	}
	work := filepath.Join(folder, "watch")
	alone := flock.New(work + ".lock")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if free, err := alone.TryLock(); err != nil || !free {
		return errors.Join(fmt.Errorf("lesson %d is being watched already, by another command", what.lesson.Number), err)
	}
	defer func() { _ = alone.Unlock() }()
	saved, stop, err := watchFolder(ctx, what.code.folder)
	if err != nil {
		return err
	}
	defer stop()
	what.pictures = folder
	held, err := openCourt(ctx, what.lesson, work, folder, true)
	if err != nil {
		return err
	}
	err = what.judgeEach(ctx, cmd, held, saved)
	closeErr := held.close()
	if ctx.Err() != nil {
		fmt.Fprintln(cmd.OutOrStdout(), "\nStopped.")
		return nil
	}
	return errors.Join(err, closeErr)
}

// judgeEach judges now, and at each save.
func (j judging) judgeEach(ctx context.Context, cmd *cobra.Command, held court, saved <-chan []string) error {
	out := cmd.OutOrStdout()
	for {
		release, err := waitForTurn(ctx, j.pictures, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		came, err := j.judge(ctx, held, out, cmd.ErrOrStderr())
		release()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !isFolder(j.code.folder): // nobody would hear of a save
			return errors.Join(err, fmt.Errorf("there is no folder %s any more", fromHere(j.code.folder)))
		case err != nil: // which the next save may mend
			fmt.Fprintln(cmd.ErrOrStderr(), "Error:", err)
		default:
			if err := j.conclude(came, out); err != nil {
				fmt.Fprintln(out, err)
			}
		}
		fmt.Fprintf(out, "\nWaiting for the next save in %s; Ctrl-C ends this.\n", fromHere(j.code.folder))
		select {
		case files := <-saved:
			fmt.Fprintf(out, "\n%s\n\n", color.New(color.Bold).Sprintf("── %s saved ──", strings.Join(files, ", ")))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// aSave is how long nothing must have changed before a save counts as done: editors write a file in several
// steps, and people several files.
const aSave = 100 * time.Millisecond

// watchFolder tells which Go files below a folder have been saved. What is saved while nobody listens is told
// later, together.
func watchFolder(ctx context.Context, folder string) (saved <-chan []string, stop func(), err error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, nil, fmt.Errorf("watch %s: %w", folder, err)
	}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			return nil
		case path != folder && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		}
		return watcher.Add(path)
	})
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("watch %s: %w", folder, err), watcher.Close())
	}
	told := make(chan []string)
	go tellSaves(ctx, watcher, told)
	return told, func() { _ = watcher.Close() }, nil
}

func tellSaves(ctx context.Context, watcher *fsnotify.Watcher, told chan<- []string) {
	var pending []string
	var settled <-chan time.Time // when the save counts as done
	var listener chan<- []string // told, once there is something to tell
	note := func(file string) {
		if !slices.Contains(pending, file) {
			pending = append(pending, file)
		}
		settled, listener = time.After(aSave), nil
	}
	for {
		select {
		case event, open := <-watcher.Events:
			if !open {
				return
			}
			if file := filepath.Base(event.Name); isSource(file) && event.Op != fsnotify.Chmod {
				note(file)
			}
		case _, open := <-watcher.Errors: // events were lost
			if !open {
				return
			}
			note("something")
		case <-settled:
			settled, listener = nil, told
		case listener <- pending:
			pending, listener = nil, nil
		case <-ctx.Done():
			return
		}
	}
}

// isSource leaves out what editors put beside a file that is being edited.
func isSource(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasPrefix(file, ".") && !strings.HasPrefix(file, "#")
}
