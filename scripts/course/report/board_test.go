package report

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/tests/lesson"
)

func TestTheBoardKeepsTheOrderOfTheChecks(t *testing.T) {
	var out, progress strings.Builder
	board := NewBoard(&out, &progress, []lesson.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}})
	board.Done(verdict("3.2", record.Failed))
	if out.Len() > 0 {
		t.Errorf("before the first check has ended: %q", &out)
	}
	board.Done(verdict("3.1", record.Passed))
	if want := "✓ 3.1   Rule 3.1\n✗ 3.2   Rule 3.2\n"; out.String() != want || board.Lines() != 2 {
		t.Errorf("%d lines, %q; want %q", board.Lines(), &out, want)
	}
	board.Done(verdict("3.3", record.Passed))
	if !strings.HasSuffix(out.String(), "✓ 3.3   Rule 3.3\n") || progress.Len() > 0 {
		t.Errorf("%q, and of waiting %q", &out, &progress)
	}
}

func TestTheBoardIsNeverSilentForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, progress strings.Builder
		board := NewBoard(&out, &progress, []lesson.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}})
		stop := board.KeepTelling()
		defer stop()
		board.Done(verdict("3.2", record.Passed))
		time.Sleep(17 * time.Second)
		synctest.Wait()
		want := "  still playing 3.1, 3.3 (1 of 3 done)\n"
		if progress.String() != want {
			t.Errorf("got %q, want %q", &progress, want)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if want += want; progress.String() != want {
			t.Errorf("got %q, want %q", &progress, want)
		}
	})
}

func TestTheBoardCountsManyChecks(t *testing.T) {
	var out, progress strings.Builder
	board := NewBoard(&out, &progress, []lesson.Check{{ID: "3.1"}, {ID: "3.2"}, {ID: "3.3"}, {ID: "3.4"}, {ID: "3.5"}, {ID: "3.6"}, {ID: "3.7"}})
	board.Done(verdict("3.2", record.Passed))
	board.last = time.Time{}
	board.tell()
	if want := "  still playing 6 checks (1 of 7 done)\n"; progress.String() != want {
		t.Errorf("got %q, want %q", &progress, want)
	}
}

func TestTheBoardSaysWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, progress strings.Builder
		board := NewBoard(&out, &progress, []lesson.Check{{ID: "3.1"}, {ID: "3.2"}})
		board.Waiting(lesson.Check{ID: "3.1"}, "web has no Job") // too early
		time.Sleep(3 * time.Second)
		board.Waiting(lesson.Check{ID: "3.2"}, "its line is not the next one")
		board.Waiting(lesson.Check{ID: "3.1"}, "web has no Job\nand more")
		time.Sleep(3 * time.Second)
		board.Waiting(lesson.Check{ID: "3.1"}, "web has no Job")
		board.Done(verdict("3.1", record.Failed))
		time.Sleep(3 * time.Second)
		board.Waiting(lesson.Check{ID: "3.2"}, "web has two")
		want := "  3.1 is waiting, and has not failed: so far, web has no Job (0 of 2 done)\n" +
			"  3.2 is waiting, and has not failed: so far, web has two (1 of 2 done)\n"
		if progress.String() != want {
			t.Errorf("got\n%swant\n%s", &progress, want)
		}
	})
}
