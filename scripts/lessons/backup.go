package lessons

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// backUp copies a learner's files to a new folder, which it returns.
func (c course) backUp(lesson Lesson, files Files) (string, error) {
	all := c.path(cache, "backup", fmt.Sprintf("lesson-%02d", lesson.Number))
	folder, err := c.nextBackup(all)
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", c.short(lesson.Folder), err)
	}
	// It gets its name once it is whole.
	unfinished := filepath.Join(all, "unfinished")
	err = errors.Join(os.RemoveAll(unfinished), files.put(unfinished))
	if err == nil {
		err = os.Rename(unfinished, folder)
	}
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", c.short(lesson.Folder), err)
	}
	return folder, nil
}

// nextBackup returns the folder with the lowest number that is higher than those of all backups.
func (c course) nextBackup(folder string) (string, error) {
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
func (c course) replace(lesson Lesson, before, after, starter Files, out io.Writer) error {
	worthKeeping := len(before) > 0 && !before.equal(starter)
	if worthKeeping {
		backup, err := c.backUp(lesson, before)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "What was in %s is kept in %s. To get it back:\n\n    rm -f %s/*.go && cp %s/*.go %s/\n\n",
			c.short(lesson.Folder), c.short(backup), c.short(lesson.Folder), c.short(backup), c.short(lesson.Folder))
	}
	return after.put(lesson.Folder)
}
