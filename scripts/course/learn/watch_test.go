package learn

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/repo"
)

// bound is how long may take what usually takes a fraction of a second.
const bound = 2 * time.Minute

func save(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, []byte("package main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// awaitSaved returns the files of the next saves, until all of these have been saved.
func awaitSaved(t *testing.T, saved <-chan []string, files ...string) []string {
	t.Helper()
	var all []string
	for late := time.After(bound); ; {
		select {
		case some := <-saved:
			all = append(all, some...)
		case <-late:
			t.Fatalf("only %v were reported", all)
		}
		if !slices.ContainsFunc(files, func(file string) bool { return !slices.Contains(all, file) }) {
			return all
		}
	}
}

func TestSavesAreReported(t *testing.T) {
	folder := t.TempDir()
	below, hidden := filepath.Join(folder, "below"), filepath.Join(folder, ".git")
	for _, dir := range []string{below, hidden} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	saved, stop, err := watchFolder(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()

	// While nothing receives, and with a file between them that is no source.
	save(t, filepath.Join(folder, "a.go"))
	save(t, filepath.Join(folder, ".a.go.swp"))
	save(t, filepath.Join(folder, ".#a.go"))
	save(t, filepath.Join(folder, "a.go~"))
	save(t, filepath.Join(hidden, "hidden.go"))
	save(t, filepath.Join(below, "b.go"))
	got := awaitSaved(t, saved, "a.go", "b.go")
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, []string{"a.go", "b.go"}) {
		t.Errorf("reported %v", got)
	}

	// As editors do that write a new file and put it in the place of the old one.
	save(t, filepath.Join(folder, "c.tmp"))
	if err := os.Rename(filepath.Join(folder, "c.tmp"), filepath.Join(folder, "c.go")); err != nil {
		t.Fatal(err)
	}
	awaitSaved(t, saved, "c.go")
}

func TestAFolderThatIsNotThereCannotBeWatched(t *testing.T) {
	if _, _, err := watchFolder(t.Context(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("no error")
	}
}

// A brokenBench can't judge, and ends the watch at the second try.
type brokenBench struct {
	tries int
	end   func()
}

func (b *brokenBench) Admit(context.Context, judge.Code, string) (judge.Candidate, judge.Took, *finding.Finding, error) {
	if b.tries++; b.tries == 2 {
		b.end()
	}
	return nil, judge.Took{}, nil, errors.New("no room left")
}

func (*brokenBench) Close() error { return nil }

func TestWatchContinuesWhenAJudgingFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	saved := make(chan []string, 1)
	saved <- []string{"main.go"}
	var out, stderr bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	cmd.SetErr(&stderr)
	bench := &brokenBench{end: cancel}
	j := judging{bench: bench, pictures: t.TempDir()}
	j.code.Folder = t.TempDir()
	err := j.judgeEach(ctx, cmd, saved)
	if !errors.Is(err, context.Canceled) || bench.tries != 2 {
		t.Errorf("after %d tries it ends with %v; want 2 tries and %v", bench.tries, err, context.Canceled)
	}
	if said := stderr.String(); !strings.Contains(said, "\nError: no room left\n") {
		t.Errorf("it complains %q", said)
	}
	if !bytes.Contains(out.Bytes(), []byte("Waiting for the next save")) || !bytes.Contains(out.Bytes(), []byte("main.go saved")) {
		t.Errorf("it says %q", out.String())
	}

	j.bench, j.code.Folder = &brokenBench{}, filepath.Join(j.code.Folder, "gone")
	err = j.judgeEach(t.Context(), cmd, saved)
	if err == nil || !strings.Contains(err.Error(), "there is no folder "+repo.Short(j.code.Folder)+" any more") {
		t.Errorf("without its folder it ends with %v", err)
	}
}
