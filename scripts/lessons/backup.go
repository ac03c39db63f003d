package lessons

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"example.com/controller-course/tests/lesson"
)

// backUp copies a learner's files to a new folder, which it returns.
func (c Course) backUp(l lesson.Lesson, files Files) (string, error) {
	all := c.Path(cache, "backup", fmt.Sprintf("lesson-%02d", l.Number))
	folder, err := c.nextBackup(all)
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", l.Folder(), err)
	}
	// It gets its name once it is whole.
	unfinished := filepath.Join(all, "unfinished")
	err = errors.Join(os.RemoveAll(unfinished), files.put(unfinished))
	if err == nil {
		err = os.Rename(unfinished, folder)
	}
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", l.Folder(), err)
	}
	return folder, nil
}

// nextBackup returns the folder with the lowest number that is higher than those of all backups.
func (c Course) nextBackup(folder string) (string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	last := 0
	for _, entry := range entries {
		if number, err := strconv.Atoi(entry.Name()); err == nil {
			last = max(last, number)
		}
	}
	return filepath.Join(folder, strconv.Itoa(last+1)), nil
}

// replace puts files in the place of a learner's, which it backs up unless they are the starter's, and
// says where they are and how to get them back.
func (c Course) replace(l lesson.Lesson, before, after, starter Files, out io.Writer) error {
	worthKeeping := len(before) > 0 && !before.equal(starter)
	if worthKeeping {
		backup, err := c.backUp(l, before)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "What was in %s is kept in %s. To get it back:\n\n    rm -f %s/*.go && cp %s/*.go %s/\n\n",
			l.Folder(), c.short(backup), l.Folder(), c.short(backup), l.Folder())
	}
	return after.put(c.Path(l.Folder()))
}
