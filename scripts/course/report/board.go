package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/fatih/color"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// A Board writes a line about each check in the order of the checks, whichever ends first. When that takes long, it
// says which check it waits for, and what that check waits for.
type Board struct {
	out, progress io.Writer
	checks        []lesson.Check

	mu      sync.Mutex
	done    map[lesson.ID]judge.Verdict
	written int             // checks that have their line
	said    map[string]bool // of waiting
	told    string          // what was told last of the checks that are still being played
	last    time.Time       // when something was written last
}

// NewBoard returns a board for checks that are about to be played. What it waits for goes to progress.
func NewBoard(out, progress io.Writer, checks []lesson.Check) *Board {
	return &Board{out: out, progress: progress, checks: checks, done: map[lesson.ID]judge.Verdict{}, said: map[string]bool{}, last: time.Now()}
}

// Done receives a verdict.
func (b *Board) Done(verdict judge.Verdict) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done[verdict.Check.ID] = verdict
	for b.written < len(b.checks) {
		next, is := b.done[b.checks[b.written].ID]
		if !is {
			return
		}
		Verdict(b.out, next)
		b.written++
		b.last = time.Now()
	}
}

// Waiting receives what a check waits for. The same is said once.
func (b *Board) Waiting(check lesson.Check, missing string) {
	const silence = 2 * time.Second
	b.mu.Lock()
	defer b.mu.Unlock()
	missing, _, _ = strings.Cut(missing, "\n")
	said := fmt.Sprintf("%s is waiting, and has not failed: so far, %s", check.ID, missing)
	isNext := b.written < len(b.checks) && b.checks[b.written].ID == check.ID
	if !isNext || b.said[said] || time.Since(b.last) < silence {
		return
	}
	b.say(fmt.Sprintf("%s (%d of %d done)", said, len(b.done), len(b.checks)))
	b.said[said] = true
}

// KeepTelling says which checks are still being played whenever nothing has been written for a while, until stop is
// called. If it would say the same again, it waits longer.
func (b *Board) KeepTelling() (stop func()) {
	stopping := make(chan struct{})
	go func() {
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				b.tell()
			case <-stopping:
				return
			}
		}
	}()
	return func() { close(stopping) }
}

func (b *Board) tell() {
	const silence, unchanged = 5 * time.Second, 20 * time.Second
	const few = 5 // whose IDs say more than their number
	b.mu.Lock()
	defer b.mu.Unlock()
	since := time.Since(b.last)
	if since < silence {
		return
	}
	var playing []string
	for _, check := range b.checks {
		if _, is := b.done[check.ID]; !is {
			playing = append(playing, string(check.ID))
		}
	}
	which := fmt.Sprintf("%d checks", len(playing))
	if len(playing) <= few {
		which = strings.Join(playing, ", ")
	}
	text := fmt.Sprintf("still playing %s (%d of %d done)", which, len(b.done), len(b.checks))
	if text == b.told && since < unchanged {
		return
	}
	b.say(text)
	b.told = text
}

// say writes a line of progress, broken between words where it is too long.
func (b *Board) say(text string) {
	const indent = "  "
	lines := finding.Wrap(text, finding.Width-2*len(indent))
	fmt.Fprintln(b.progress, color.New(color.Faint).Sprint(indent+strings.Join(lines, "\n"+indent+indent)))
	b.last = time.Now()
}

// Lines is how many checks have their line.
func (b *Board) Lines() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.written
}
