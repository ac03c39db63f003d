package learn

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

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

func watchCommand() *cobra.Command {
	var flags usage.Flags
	command := usage.Command("watch N", "Judge your code whenever a file is saved", func(cmd *cobra.Command, l usage.Lesson) error {
		code, err := flags.Code(l)
		if err != nil {
			return err
		}
		return watchCode(cmd, request{l, code, lesson.ID(flags.Check), "", usage.Goal(l.Number) + " test"})
	})
	flags.AddTo(command, "impl", "check")
	return command
}

// watchCode judges once, and then at every save until the user interrupts it. The control plane stays up.
func watchCode(cmd *cobra.Command, wanted request) error {
	ctx := cmd.Context()
	if err := wanted.validate(); err != nil {
		return err
	}
	if _, err := assets.ControlPlane(ctx, cmd.ErrOrStderr()); err != nil {
		return err
	}
	folder, err := runs.Folder(wanted.runs(asLesson))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	alone := flock.New(filepath.Join(folder, "watch.lock"))
	if free, err := alone.TryLock(); err != nil || !free {
		return errors.Join(fmt.Errorf("lesson %d is being watched already, by another command", wanted.lesson.Number), err)
	}
	defer func() { _ = alone.Unlock() }()
	saved, stop, err := watchFolder(ctx, wanted.code.Folder)
	if err != nil {
		return err
	}
	defer stop()
	j := openJudge(ctx, wanted, folder, "watch")
	err = j.judgeEach(ctx, cmd, saved)
	closeErr := j.bench.Close()
	if ctx.Err() != nil {
		fmt.Fprintln(cmd.OutOrStdout(), "\nStopped.")
		return nil
	}
	return errors.Join(err, closeErr)
}

// judgeEach judges now, and at each save. As long as a check that failed fails again, no other check is played: that is
// what the user waits for.
func (j judging) judgeEach(ctx context.Context, cmd *cobra.Command, saved <-chan []string) error {
	out := cmd.OutOrStdout()
	began := commandStarted()
	for {
		release, err := runs.WaitForTurn(ctx, j.pictures, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		came, err := j.judge(ctx, began, out, cmd.ErrOrStderr())
		release()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if info, gone := os.Stat(j.code.Folder); gone != nil || !info.IsDir() { // no save would be noticed
			return errors.Join(err, fmt.Errorf("there is no folder %s any more", repo.Short(j.code.Folder)))
		}
		if err != nil { // the next save may fix it
			fmt.Fprintln(cmd.ErrOrStderr(), "Error:", err)
		} else if err := j.conclude(came, out); err != nil {
			fmt.Fprintln(out, err)
		}
		if err == nil && came.Blocked == nil {
			j.up, j.failed = true, report.Failing(slices.Concat(came.Own, came.Earlier))
		}
		fmt.Fprintf(out, "\nWaiting for the next save in %s; Ctrl-C ends this.\n", repo.Short(j.code.Folder))
		select {
		case files := <-saved:
			began = time.Now()
			fmt.Fprintf(out, "\n%s\n\n", color.New(color.Bold).Sprintf("── %s saved ──", strings.Join(files, ", ")))
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// aSave is how long nothing may change before a save counts as complete: editors write a file in several
// steps, and users save several files.
const aSave = 100 * time.Millisecond

// watchFolder sends which Go files below a folder have been saved. Saves that
// have not been received yet are sent later, together.
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
	saves := make(chan []string)
	go sendSaves(ctx, watcher, saves)
	return saves, func() { _ = watcher.Close() }, nil
}

func sendSaves(ctx context.Context, watcher *fsnotify.Watcher, saves chan<- []string) {
	var pending []string
	var settled <-chan time.Time // when the save counts as complete
	var listener chan<- []string // saves, once there is something to send
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
			settled, listener = nil, saves
		case listener <- pending:
			pending, listener = nil, nil
		case <-ctx.Done():
			return
		}
	}
}

// isSource leaves out the files that editors create next to the one that is edited.
func isSource(file string) bool {
	return strings.HasSuffix(file, ".go") && !strings.HasPrefix(file, ".") && !strings.HasPrefix(file, "#")
}
