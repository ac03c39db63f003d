package lessons

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const decideFile = "lessons/03-reconcile/decide.go"

func TestResetKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	untouched := readAll(t, c.Path("lessons/03-reconcile"))
	c.edit(t, decideFile, `return ""`, `return "mine"`)
	c.write(t, "lessons/03-reconcile/own.go", "package main\n")
	if err := os.Remove(c.Path("lessons/03-reconcile/main.go")); err != nil {
		t.Fatal(err)
	}
	mine := readAll(t, c.Path("lessons/03-reconcile"))

	said := c.mustReset(t, 3)
	if diff := cmp.Diff(untouched, readAll(t, c.Path("lessons/03-reconcile"))); diff != "" {
		t.Errorf("not the starter (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(mine, readAll(t, c.Path(".cache/backup/lesson-03/1"))); diff != "" {
		t.Errorf("the backup is not what was there (-want +got):\n%s", diff)
	}
	wants(t, said, "What was in lessons/03-reconcile is kept in .cache/backup/lesson-03/1.", "lessons/03-reconcile is the starter again.")

	_, after, _ := strings.Cut(said, "To get it back:\n\n")
	command, _, _ := strings.Cut(after, "\n")
	restore := exec.Command("sh", "-c", command)
	restore.Dir = c.root
	if output, err := restore.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, output)
	}
	if diff := cmp.Diff(mine, readAll(t, c.Path("lessons/03-reconcile"))); diff != "" {
		t.Errorf("the printed command does not get it back (-want +got):\n%s", diff)
	}
}

func TestResetBacksUpALinkedFile(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.write(t, "mine.go", "package main\n\nconst mine = true\n")
	if err := os.Remove(c.Path(decideFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(c.Path("mine.go"), c.Path(decideFile)); err != nil {
		t.Fatal(err)
	}
	c.mustReset(t, 3)
	wants(t, c.text(t, ".cache/backup/lesson-03/1/decide.go"), "const mine = true")
}

func TestEachBackupHasANumberOfItsOwn(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.write(t, ".cache/backup/lesson-03/unfinished/half.go", "package main\n") // of a run that was killed
	for _, text := range []string{"first", "second"} {
		c.edit(t, decideFile, `return ""`, `return "`+text+`"`)
		c.mustReset(t, 3)
	}
	for number, text := range map[string]string{"1": "first", "2": "second"} {
		wants(t, c.text(t, ".cache/backup/lesson-03/"+number+"/decide.go"), text)
	}
	if _, err := os.Stat(c.Path(".cache/backup/lesson-03/2/half.go")); err == nil {
		t.Error("a backup has what an unfinished one has left")
	}
}

func TestResetOfAStarterDoesNothing(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	wants(t, c.mustReset(t, 3), "lessons/03-reconcile is the starter already; there is nothing to reset.")
	if _, err := os.Stat(c.Path(".cache/backup")); err == nil {
		t.Error("there is a backup of nothing")
	}
}

func TestResetOfAnEmptyFolder(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	want := readAll(t, c.Path("lessons/03-reconcile"))
	if err := os.RemoveAll(c.Path("lessons/03-reconcile")); err != nil {
		t.Fatal(err)
	}
	if said := c.mustReset(t, 3); strings.Contains(said, "kept") {
		t.Errorf("it keeps what wasn't there: %s", said)
	}
	if diff := cmp.Diff(want, readAll(t, c.Path("lessons/03-reconcile"))); diff != "" {
		t.Errorf("not the starter (-want +got):\n%s", diff)
	}
}

func TestResetGoesByTheSolutionThatIsThere(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, "solutions/03-reconcile/main.go", "limit = 3", "limit = 4")
	wants(t, c.mustReset(t, 3), "Note: solutions/03-reconcile is not as it was committed (main.go). This works with what is there.")
	wants(t, c.text(t, "lessons/03-reconcile/main.go"), "limit = 4")
}

func TestResetWithoutASolution(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, decideFile, `return ""`, `return "mine"`)
	if err := os.RemoveAll(c.Path("solutions")); err != nil {
		t.Fatal(err)
	}
	err := c.Reset(t.Context(), c.lesson(t, 3), &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "there is no solution in solutions/03-reconcile") {
		t.Errorf("reset: %v; want that there is no solution", err)
	}
	wants(t, c.text(t, decideFile), "mine")
}

func TestConcurrentResetsTakeTurns(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	c.edit(t, decideFile, `return ""`, `return "mine"`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := c.Reset(t.Context(), c.lesson(t, 3), &bytes.Buffer{}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	backups, err := os.ReadDir(c.Path(".cache/backup/lesson-03"))
	if err != nil || len(backups) != 1 {
		t.Errorf("%d backups, %v; want one", len(backups), err)
	}
}

func TestACommandWaitsForAnother(t *testing.T) {
	t.Parallel()
	c := newSmallCourse(t)
	unlock, err := c.lock(t.Context(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	waiting, waits := newSignal()
	done := make(chan error)
	go func() { done <- c.Reset(t.Context(), c.lesson(t, 3), waiting) }()
	<-waits
	select {
	case err := <-done:
		t.Fatalf("reset has not waited: %v", err)
	default:
	}
	unlock()
	if err := <-done; err != nil {
		t.Error(err)
	}
	wants(t, waiting.said.String(), "waiting for another command that writes the lessons' files ...")
}

// A signal is a writer that signals the first write.
type signal struct {
	said  bytes.Buffer
	first func()
}

func newSignal() (*signal, <-chan struct{}) {
	written := make(chan struct{})
	return &signal{first: sync.OnceFunc(func() { close(written) })}, written
}

func (s *signal) Write(text []byte) (int, error) {
	defer s.first()
	return s.said.Write(text)
}

func (c Course) mustReset(t *testing.T, number int) string {
	t.Helper()
	var out bytes.Buffer
	if err := c.Reset(t.Context(), c.lesson(t, number), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func readAll(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := read(folder)
	if err != nil {
		t.Fatal(err)
	}
	return texts(files)
}

func wants(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}
