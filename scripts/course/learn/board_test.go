package learn

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/scripts/course/record"
	"example.com/controller-course/tests/lesson"
)

func at(minute int) time.Time { return time.Date(2030, 1, 1, 12, minute, 0, 0, time.UTC) }

func TestBoard(t *testing.T) {
	titled := func(number int, title string, ids ...lesson.ID) lesson.Lesson {
		l := lesson.Lesson{Number: number, Title: title}
		for _, id := range ids {
			l.Checks = append(l.Checks, lesson.Check{ID: id})
		}
		return l
	}
	known := record.Record{Lessons: map[int]*record.Lesson{
		1: {Begun: at(0), Finished: at(0).Add(75 * time.Minute), Checks: map[lesson.ID]*record.Check{"1.1": {Result: record.Passed, Hints: 2}}},
		2: {Begun: at(0), Checks: map[lesson.ID]*record.Check{"2.1": {Result: record.Passed}, "2.2": {Result: record.Failed, Hints: 3}}},
	}}
	var got bytes.Buffer
	err := writeBoard(&got, []lesson.Lesson{titled(1, "The control loop", "1.1"), titled(2, "The API", "2.1", "2.2"), titled(3, "Reconcile", "3.1")}, known, at(40))
	if err != nil {
		t.Fatal(err)
	}
	want := `LESSON                CHECKS   HINTS   PROGRESS
1  The control loop   1 of 1   2       finished 1 h 15 min after the first test
2  The API            1 of 2   3       first test 40 min ago
3  Reconcile          0 of 1   0       not tested yet
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("writeBoard (-want +got):\n%s", diff)
	}
}
