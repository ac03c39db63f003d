package lessons

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"strings"

	"example.com/controller-course/tests/lesson"
)

// head is the newest commit.
const head = "HEAD"

// git runs git in the repository and returns what it says.
func (c Course) git(ctx context.Context, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "git", append([]string{"-C", c.root}, args...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	said, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return said, nil
}

// committed returns the Go files of a folder as a commit has them; none if it hasn't got the folder.
func (c Course) committed(ctx context.Context, revision, folder string) (Files, error) {
	listed, err := c.git(ctx, "ls-tree", "--name-only", "-z", revision, folder+"/")
	if err != nil {
		return nil, err
	}
	files := Files{}
	for file := range strings.SplitSeq(string(listed), "\x00") {
		if !isCode(file) {
			continue
		}
		if files[path.Base(file)], err = c.git(ctx, "show", revision+":"+file); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// NoteEdited says so when a lesson's solution is not as it was committed: everything works with the
// one that is there. Without git there is nothing to compare it with.
func (c Course) noteEdited(ctx context.Context, out io.Writer, l lesson.Lesson) error {
	was, err := c.committed(ctx, head, l.Solution())
	if err != nil {
		return context.Cause(ctx)
	}
	is, err := read(c.Path(l.Solution()))
	if err != nil {
		return err
	}
	if edited := differing(was, is); len(edited) > 0 {
		fmt.Fprintf(out, "Note: %s is not as it was committed (%s). This works with what is there.\n",
			l.Solution(), strings.Join(edited, ", "))
	}
	return nil
}

// mergeFile merges two versions of a file that was base. It returns whether there are conflicts, which
// the text then shows between marks.
func mergeFile(ctx context.Context, dir string, base, ours, theirs side) (merged []byte, conflict bool, err error) {
	args := []string{"-c", "merge.conflictStyle=merge", "merge-file", "-p"}
	var files []string
	for i, side := range []side{ours, base, theirs} {
		file, err := side.write(dir, i)
		if err != nil {
			return nil, false, err
		}
		args = append(args, "-L", side.label)
		files = append(files, file)
	}
	command := exec.CommandContext(ctx, "git", append(args, files...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	merged, err = command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && 0 < exit.ExitCode() && exit.ExitCode() <= mostConflicts {
		return merged, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("git merge-file: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	return merged, false, nil
}

// mostConflicts is the greatest number of them that git merge-file reports by its exit code.
const mostConflicts = 127
