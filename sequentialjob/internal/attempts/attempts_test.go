package attempts

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func TestEachWaitIsTwiceAsLongUpToTheLongest(t *testing.T) {
	pace := Pace{Free: 2, First: time.Second, Longest: 5 * time.Second}
	var made Attempts
	for i, want := range []time.Duration{0, 0, 0, time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
		at := noon.Add(time.Duration(i) * time.Minute)
		if i > 0 {
			made.Record(at)
		}
		next := made.Next(pace)
		if want == 0 && !next.IsZero() {
			t.Errorf("after %d attempts, the next one is at %s, want now: %d are free", i, next, pace.Free)
		}
		if want != 0 && !next.Equal(at.Add(want)) {
			t.Errorf("after %d attempts, the next one is after %s, want %s", i, next.Sub(at), want)
		}
	}
}

func TestAfterACalmWhileTheNextAttemptIsTheFirst(t *testing.T) {
	pace := Pace{First: time.Second, Longest: time.Minute}
	var made Attempts
	for range 10 {
		made.Record(noon)
	}
	late := noon.Add(calm + 1)
	made.Record(late)
	if got := made.Next(pace).Sub(late); got != pace.First {
		t.Errorf("after %s without an attempt, the next wait is %s, want %s", calm, got, pace.First)
	}
}

func TestManyAttemptsDoNotOverflow(t *testing.T) {
	pace := Pace{First: time.Second, Longest: time.Minute}
	var made Attempts
	for range 1000 {
		made.Record(noon)
	}
	if got := made.Next(pace).Sub(noon); got != pace.Longest {
		t.Errorf("after a thousand attempts, the wait is %s, want %s", got, pace.Longest)
	}
}
