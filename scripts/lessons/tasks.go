package lessons

import (
	"path/filepath"
	"strings"
)

// withoutDoneTasks returns a learner's files without the tasks that the starter describes there, as
// far as it has been done: the next lesson has tasks of its own. A task is done when something else
// follows it than in the starter.
func withoutDoneTasks(where string, solution, starter, learners Files) (Files, error) {
	left := Files{}
	for name, text := range learners {
		pieces, err := parse(filepath.Join(where, name), solution[name])
		if err != nil {
			return nil, err
		}
		left[name] = withoutLines(text, doneTasks(pieces, lines(starter[name]), lines(text)))
	}
	return left, nil
}

// doneTasks returns the numbers of the lines with tasks that are done.
func doneTasks(pieces []piece, starter, learners []string) map[int]bool {
	done := map[int]bool{}
	for _, piece := range pieces {
		if piece.exercise == nil {
			continue
		}
		task := piece.exercise.asStarter()[:len(piece.exercise.task)]
		before, now := find(task, starter), find(task, learners)
		if before < 0 || now < 0 || following(starter, before+len(task)) == following(learners, now+len(task)) {
			continue
		}
		end := now + len(task)
		if piece.exercise.apart && end < len(learners) && learners[end] == "" {
			end++
		}
		for i := now; i < end; i++ {
			done[i] = true
		}
	}
	return done
}

// find returns where some lines are, or -1. How far they are indented does not matter.
func find(wanted, all []string) int {
	for i := 0; i+len(wanted) <= len(all); i++ {
		if sameLines(wanted, all[i:i+len(wanted)]) {
			return i
		}
	}
	return -1
}

func sameLines(a, b []string) bool {
	for i := range a {
		if strings.TrimSpace(a[i]) != strings.TrimSpace(b[i]) {
			return false
		}
	}
	return true
}

// following returns the first line from there on that isn't blank.
func following(all []string, from int) string {
	for _, line := range all[from:] {
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			return trimmed
		}
	}
	return ""
}

func withoutLines(text []byte, unwanted map[int]bool) []byte {
	var kept strings.Builder
	for i, line := range strings.SplitAfter(string(text), "\n") {
		if !unwanted[i] {
			kept.WriteString(line)
		}
	}
	return []byte(kept.String())
}
