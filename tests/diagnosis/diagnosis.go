// Package diagnosis determines which of several failed checks explains a learner's mistake best. Its evidence is the kill
// matrix: for each wrong version of a lesson's solution, the check that is named for it and all that may fail.
package diagnosis

import (
	"cmp"
	"slices"

	"example.com/controller-course/tests/lesson"
)

// A Failure is a check that failed.
type Failure struct {
	Check  lesson.ID
	Waited bool // it saw nothing wrong: what has to happen did not happen
}

// A Mistake is one that is known.
type Mistake struct {
	ID    string      // of the wrong version that has it: "L4-21"
	Named lesson.ID   // the check that was made for it
	Fails []lesson.ID // all checks of the lesson that may fail because of it, Named among them
}

// A Diagnosis puts failed checks in the order in which a learner reads about them.
type Diagnosis struct {
	Root         lesson.ID   // explains the mistake best
	Consequences []lesson.ID // may fail because of a known mistake that Root is named for
	Others       []lesson.ID
	Unfinished   bool // about everything fails: Root comes first, and the others after it
}

// alike is how much the failed checks of two mistakes have to have in common for one to explain the other: the
// share of those that both fail in those that either fails.
const alike = 2.0 / 3

// Of diagnoses failed checks of one lesson, given in the lesson's order, of which there is at least one. The lesson
// has all checks, and known are the mistakes that others have made in it.
//
// A known mistake that fails about the same checks is explained by the check that is named for it. Code in which
// about everything fails, and which no known mistake explains better, is unfinished: the learner starts with the
// first check. Otherwise the check that the fewest mistakes fail is the most specific. A check that saw something
// wrong says more than one that timed out.
func Of(failed []Failure, all int, known []Mistake) Diagnosis {
	var d Diagnosis
	d.Root, d.Unfinished = root(failed, all, known)
	for _, failure := range failed {
		switch {
		case failure.Check == d.Root:
		case !d.Unfinished && slices.ContainsFunc(known, func(m Mistake) bool { return m.Named == d.Root && slices.Contains(m.Fails, failure.Check) }):
			d.Consequences = append(d.Consequences, failure.Check)
		default:
			d.Others = append(d.Others, failure.Check)
		}
	}
	return d
}

func root(failed []Failure, all int, known []Mistake) (check lesson.ID, unfinished bool) {
	likeness := map[lesson.ID]float64{} // of the most similar mistake that a failed check is named for
	best := 0.0
	for _, mistake := range known {
		if slices.ContainsFunc(failed, func(f Failure) bool { return f.Check == mistake.Named }) {
			likeness[mistake.Named] = max(likeness[mistake.Named], inCommon(failed, mistake.Fails))
			best = max(best, likeness[mistake.Named])
		}
	}
	share := float64(len(failed)) / float64(all)
	nothingSeen := !slices.ContainsFunc(failed, func(f Failure) bool { return !f.Waited })
	switch {
	case len(failed) > 1 && share >= alike && (share > best || share == best && nothingSeen):
		return failed[0].Check, true
	case best >= alike:
		return slices.MinFunc(failed, func(a, b Failure) int {
			return cmp.Or(cmp.Compare(likeness[b.Check], likeness[a.Check]), seenFirst(a, b))
		}).Check, false
	}
	return slices.MinFunc(failed, func(a, b Failure) int {
		return cmp.Or(seenFirst(a, b), cmp.Compare(often(a.Check, known), often(b.Check, known)))
	}).Check, false
}

// seenFirst puts a check that saw something wrong before one that timed out.
func seenFirst(a, b Failure) int {
	switch {
	case a.Waited == b.Waited:
		return 0
	case b.Waited:
		return -1
	}
	return 1
}

// inCommon is the share of the checks that both fail in those that either fails.
func inCommon(failed []Failure, fails []lesson.ID) float64 {
	both := 0
	for _, failure := range failed {
		if slices.Contains(fails, failure.Check) {
			both++
		}
	}
	return float64(both) / float64(len(failed)+len(fails)-both)
}

// often is how many mistakes a check may fail with.
func often(check lesson.ID, known []Mistake) int {
	n := 0
	for _, mistake := range known {
		if slices.Contains(mistake.Fails, check) {
			n++
		}
	}
	return n
}
