package mutation

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/lesson"
)

// Score is the recorded result for the mutants of a lesson.
type Score struct {
	Lesson      lesson.Lesson
	Mutants     []Mutant
	Unbuilt     int
	Caught      int
	Equivalents []Mutant
	Survivors   []Mutant
	Unknown     []Mutant // not judged as they are now
}

// Percent is how many of the mutants that are wrong were caught, of 100.
func (s Score) Percent() float64 {
	wrong := s.Caught + len(s.Survivors)
	if wrong == 0 {
		return 0
	}
	return 100 * float64(s.Caught) / float64(wrong)
}

// Of returns the score of a lesson with these mutants, as it is recorded.
func Of(l lesson.Lesson, mutants []Mutant) (Score, error) {
	s := Score{Lesson: l, Mutants: mutants}
	listed, err := Equivalents()
	if err != nil {
		return s, err
	}
	verdicts, err := Recorded(l.Number, mutants)
	if err != nil {
		return s, err
	}
	for _, m := range mutants {
		verdict := verdicts[m.ID]
		_, equivalent := listed[m.ID]
		switch {
		case !m.Compiles || verdict == Unbuilt:
			s.Unbuilt++
		case equivalent:
			s.Equivalents = append(s.Equivalents, m)
		case verdict == Caught:
			s.Caught++
		case verdict == Survived:
			s.Survivors = append(s.Survivors, m)
		default:
			s.Unknown = append(s.Unknown, m)
		}
	}
	return s, nil
}

// Page is docs/mutation-score.md. It is derived from the solutions, the list of equivalents and the recorded verdicts.
func Page(ctx context.Context) ([]byte, error) {
	lessons := checks.Lessons()
	scores := make([]Score, len(lessons))
	group, ctx := errgroup.WithContext(ctx)
	for i, l := range lessons {
		group.Go(func() error {
			mutants, err := Find(ctx, l)
			if err == nil {
				scores[i], err = Of(l, mutants)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	listed, err := Equivalents()
	if err != nil {
		return nil, err
	}
	var all []Mutant
	for _, s := range scores {
		all = append(all, s.Mutants...)
	}
	if err := outdated(listed, all); err != nil {
		return nil, err
	}
	var page bytes.Buffer
	write(&page, scores, listed)
	return page.Bytes(), nil
}

func write(out io.Writer, scores []Score, listed map[string]Equivalent) {
	fmt.Fprint(out, "# Mutation score\n\n"+
		"The [kill matrix](kill-matrix.md) shows that the checks catch the mistakes that somebody has thought of. "+
		"This page measures what they do with mistakes that nobody has chosen. "+
		"Operators change the solution of each lesson in one place at a time. "+
		"The checks of the lesson, and those of earlier lessons that it must pass too, judge each of these [mutants](glossary.md#mutant), "+
		"as they judge a learner's code: in the plain world and then in others. "+
		"The score is the share of mutants that they catch, without mutants that can't be built, and without [equivalent mutants](glossary.md#equivalent-mutant).\n\n"+
		"`make mutation LESSON=3` judges the mutants of a lesson and writes this page. `make mutation ONLY=` with an ID shows one of them. "+
		"A mutant counts as not judged if its function has changed since it was judged. "+
		"See [contributing](contributing.md#the-mutation-score).\n\n"+
		"| lesson | mutants | can't be built | caught | equivalent | survivors | not judged | score |\n|---|---|---|---|---|---|---|---|\n")
	for _, s := range scores {
		percent := "—"
		if s.Caught > 0 {
			percent = fmt.Sprintf("%.1f %% of %d", s.Percent(), s.Caught+len(s.Survivors))
		}
		fmt.Fprintf(out, "| [%d](../%s) | %d | %d | %d | %d | %d | %d | %s |\n", s.Lesson.Number, s.Lesson.Text(),
			len(s.Mutants), s.Unbuilt, s.Caught, len(s.Equivalents), len(s.Survivors), len(s.Unknown), percent)
	}
	fmt.Fprint(out, "\n## Operators\n\n| operator | what it does |\n|---|---|\n")
	for _, operator := range Operators() {
		fmt.Fprintf(out, "| %s | %s |\n", operator.Name, strings.ReplaceAll(operator.Does, "|", `\|`))
	}
	for _, s := range scores {
		if len(s.Survivors)+len(s.Equivalents) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n## Lesson %d\n", s.Lesson.Number)
		if len(s.Survivors) > 0 {
			fmt.Fprint(out, "\nThese mutants survive:\n\n")
		}
		for _, m := range s.Survivors {
			fmt.Fprintf(out, "- %s: %s\n", quoted(m.ID), m.Change)
		}
		if len(s.Equivalents) > 0 {
			fmt.Fprint(out, "\nThese mutants are equivalent:\n\n")
		}
		for _, m := range s.Equivalents {
			fmt.Fprintf(out, "- %s: %s. %s\n", quoted(m.ID), m.Change, listed[m.ID].Why)
		}
	}
}
