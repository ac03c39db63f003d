// Package mutationscore has the mutants of the lessons' solutions judged, and writes docs/mutation-score.md.
package mutationscore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutation"
)

// Command returns the command mutation.
func Command() *cobra.Command {
	var flags flags
	command := &cobra.Command{
		Use:   "mutation",
		Short: "Measure how many mutants of the lessons' solutions the checks catch",
		Long: "Changes the solution of each lesson in one place at a time, and has each of these mutants judged by the lesson's\n" +
			"checks. Records the verdicts in tests/mutation/judged, and writes docs/mutation-score.md. Keeps the outcomes in\n" +
			".cache: after an interruption, the same command continues. Fails if a mutant survives that was caught before, or if\n" +
			"an equivalent one is caught.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			run, err := flags.choose(cmd.Context(), cmd.OutOrStdout())
			if err != nil {
				return err
			}
			if _, err := assets.ControlPlane(cmd.Context(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			err = run.judge(cmd.Context())
			if cmd.Context().Err() != nil {
				fmt.Fprintln(cmd.ErrOrStderr(), "The outcomes so far are kept, and the same command continues.")
			}
			return err
		},
	}
	command.Flags().IntVar(&flags.lesson, "lesson", 0, "the mutants of this lesson alone")
	command.Flags().StringVar(&flags.sample, "sample", "", "a part of them, chosen by chance: 1/20")
	command.Flags().Uint64Var(&flags.seed, "seed", 0, "choose the same part as another run that has printed this seed")
	command.Flags().StringVar(&flags.only, "only", "", "one mutant by its ID: show it, and what the checks find")
	command.MarkFlagsMutuallyExclusive("only", "lesson")
	command.MarkFlagsMutuallyExclusive("only", "sample")
	return command
}

type flags struct {
	lesson int
	sample string
	seed   uint64
	only   string
}

// run is what a command judges.
type run struct {
	lessons []chosen
	only    bool
	out     io.Writer
	dir     string // for what is made
}

// chosen are mutants of a lesson.
type chosen struct {
	lesson lesson.Lesson
	all    []mutation.Mutant
	wanted []mutation.Mutant
}

// choose finds the mutants to judge.
func (f flags) choose(ctx context.Context, out io.Writer) (*run, error) {
	lessons := checks.Lessons()
	number := f.lesson
	if f.only != "" {
		_, err := fmt.Sscanf(f.only, "L%d:", &number)
		if err != nil {
			return nil, usage.Errorf("%q is not the ID of a mutant, such as L3:decide.go:decide:drop-case#1", f.only)
		}
	}
	if number != 0 {
		l, err := usage.Find(number)
		if err != nil {
			return nil, err
		}
		lessons = []lesson.Lesson{l.Lesson}
	}
	part, err := f.part()
	if err != nil {
		return nil, err
	}
	if f.only == "" {
		if _, err := mutation.Page(ctx); err != nil { // before hours of work: the list of equivalents may be outdated
			return nil, err
		}
	}
	r := &run{only: f.only != "", out: out}
	seed := cmp.Or(f.seed, rand.Uint64())
	if part > 1 {
		fmt.Fprintf(out, "One mutant in %d; SEED=%d chooses the same ones.\n", part, seed)
	}
	for _, l := range lessons {
		all, err := mutation.Find(ctx, l)
		if err != nil {
			return nil, err
		}
		wanted := slices.DeleteFunc(slices.Clone(all), func(m mutation.Mutant) bool {
			return !m.Compiles || f.only != "" && m.ID != f.only
		})
		r.lessons = append(r.lessons, chosen{l, all, sample(wanted, part, seed)})
	}
	if f.only != "" && len(r.lessons[0].wanted) == 0 {
		return nil, usage.Errorf("there is no mutant %s that can be built", f.only)
	}
	return r, nil
}

// part is n where one in n is wanted.
func (f flags) part() (n int, err error) {
	if f.sample == "" {
		return 1, nil
	}
	if _, err := fmt.Sscanf(f.sample, "1/%d", &n); err != nil || n < 1 {
		return 0, usage.Errorf("%q is no part of all mutants, such as 1/20", f.sample)
	}
	return n, nil
}

// sample chooses one in n, at least one, by chance.
func sample(all []mutation.Mutant, n int, seed uint64) []mutation.Mutant {
	if n == 1 {
		return all
	}
	shuffled := slices.Clone(all)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	return shuffled[:(len(shuffled)+n-1)/n]
}

// judge judges what was chosen, and writes the page.
func (r *run) judge(ctx context.Context) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, ".cache"), 0o755); err != nil {
		return err
	}
	if r.dir, err = os.MkdirTemp(filepath.Join(root, ".cache"), "mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.dir)
	if r.only {
		return r.show(ctx)
	}
	var wrong []string
	for _, c := range r.lessons {
		said, err := r.judgeLesson(ctx, c)
		if err != nil {
			return err
		}
		wrong = append(wrong, said...)
	}
	page, err := mutation.Page(ctx)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "docs", "mutation-score.md"), page, 0o644)
	}
	if len(wrong) > 0 {
		err = errors.Join(err, fmt.Errorf("the checks judge otherwise than before:\n  %s", strings.Join(wrong, "\n  ")))
	}
	return err
}

// judgeLesson judges mutants of a lesson, and says what is not as it was before, or as the list of equivalents has it.
func (r *run) judgeLesson(ctx context.Context, c chosen) (wrong []string, err error) {
	cache, err := mutation.NewCache(ctx, c.lesson)
	if err != nil {
		return nil, err
	}
	before, err := mutation.Recorded(c.lesson.Number, c.all)
	if err != nil {
		return nil, err
	}
	listed, err := mutation.Equivalents()
	if err != nil {
		return nil, err
	}
	verdicts := map[string]mutation.Verdict{}
	note := func(o mutation.Outcome) {
		verdicts[o.Mutant.ID] = o.Verdict
		_, equivalent := listed[o.Mutant.ID]
		switch {
		case equivalent && o.Verdict == mutation.Caught:
			wrong = append(wrong, fmt.Sprintf("%s is listed as equivalent, and %s has caught it", o.Mutant, o.CaughtBy))
		case before[o.Mutant.ID] == mutation.Caught && o.Verdict == mutation.Survived:
			wrong = append(wrong, fmt.Sprintf("%s was caught before, and survives", o.Mutant))
		}
	}
	var rest []mutation.Mutant
	for _, m := range c.wanted {
		outcome, known, err := cache.Known(m)
		switch {
		case err != nil:
			return nil, err
		case known:
			note(outcome)
		default:
			rest = append(rest, m)
		}
	}
	// What somebody waits for comes first: what may be caught now, then what is new.
	order := []mutation.Verdict{mutation.Survived, "", mutation.Caught}
	slices.SortStableFunc(rest, func(a, b mutation.Mutant) int {
		return cmp.Compare(slices.Index(order, before[a.ID]), slices.Index(order, before[b.ID]))
	})
	fmt.Fprintf(r.out, "Lesson %d: %d mutants, of which %d have been judged already.\n", c.lesson.Number, len(c.wanted), len(c.wanted)-len(rest))
	n := 0
	err = mutation.Judge(ctx, filepath.Join(r.dir, c.lesson.Slug), c.lesson, rest, func(o mutation.Outcome) error {
		n++
		fmt.Fprintf(r.out, "[%d/%d] %s\n", n, len(rest), line(o))
		if o.Verdict == mutation.Unended {
			return nil
		}
		note(o)
		return cache.Keep(o)
	})
	if err := errors.Join(err, mutation.Record(c.lesson.Number, c.all, verdicts)); err != nil {
		return nil, err
	}
	score, err := mutation.Of(c.lesson, c.all)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(r.out, "Lesson %d: %d caught, %d survivors, %d not judged. The score is %.1f %%.\n",
		c.lesson.Number, score.Caught, len(score.Survivors), len(score.Unknown), score.Percent())
	return wrong, nil
}

// show judges one mutant, whether that was done before or not, and shows all about it.
func (r *run) show(ctx context.Context) error {
	c := r.lessons[0]
	diff, err := c.wanted[0].Diff()
	if err != nil {
		return err
	}
	fmt.Fprintln(r.out, diff)
	return mutation.Judge(ctx, r.dir, c.lesson, c.wanted, func(o mutation.Outcome) error {
		fmt.Fprintln(r.out, line(o))
		if o.Finding != nil {
			fmt.Fprintf(r.out, "\n%s\n%s\n", o.Finding.Title, o.Finding.What)
		}
		return nil
	})
}

func line(o mutation.Outcome) string {
	switch o.Verdict {
	case mutation.Caught:
		return fmt.Sprintf("✓ %s: caught by %s in %.1f s", o.Mutant, o.CaughtBy, o.Seconds)
	case mutation.Survived:
		return fmt.Sprintf("✗ %s: survived, in %.1f s: %s", o.Mutant, o.Seconds, o.Mutant.Change)
	case mutation.Unended:
		return fmt.Sprintf("– %s: not judged: ended after %.0f s", o.Mutant, o.Seconds)
	default:
		return fmt.Sprintf("– %s: can't be built", o.Mutant)
	}
}
