// Package killmatrix tries wrong versions of the finished operator and of the lessons' solutions, each of which
// something has to catch, and writes docs/kill-matrix.md.
package killmatrix

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/campaigns"
	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/hunt"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/mutants"
	"example.com/controller-course/tests/subject"
)

// Command returns the command mutants.
func Command() *cobra.Command {
	var flags flags
	command := &cobra.Command{
		Use:   "mutants",
		Short: "See wrong versions of the finished operator and of the lessons' solutions caught",
		Long: "Runs each wrong version of the finished operator through the plan that must catch it. Judges each wrong version\n" +
			"of a lesson's solution by the lesson's checks and by earlier ones. Fails if one is not caught by what is named\n" +
			"for it. Tries the wrong versions that have changed since they were last caught, and the others by those checks\n" +
			"that have changed. If a solution has changed, tries its wrong versions by the checks that must catch them.\n" +
			"Records the outcomes as proofs. When no proof is stale, it writes docs/kill-matrix.md.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := mutants.All()
			if err != nil {
				return err
			}
			if flags.check {
				return check(all)
			}
			flags.sharing = cmd.Flags().Changed("share")
			wanted, err := flags.choose(cmd.Context(), all)
			if err != nil {
				return err
			}
			if flags.onCluster {
				return tryOnCluster(cmd.Context(), wanted, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			trials, err := flags.trials(wanted)
			if err != nil {
				return err
			}
			if err := try(cmd.Context(), trials, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			if stale, err := hunt.Stale(all); err != nil || len(stale) > 0 {
				return err
			}
			return writeMatrix(all)
		},
	}
	command.Flags().StringSliceVar(&flags.only, "only", nil, "only these, by their IDs: M01, L3-02; L3 for all of a lesson, M for all of the operator")
	command.Flags().BoolVar(&flags.all, "all", false, "all of them")
	command.Flags().IntVar(&flags.share, "share", 0, "one in this many; the current commit decides which ones")
	command.Flags().BoolVar(&flags.check, "check", false, "try nothing; fail if a proof is stale")
	command.Flags().BoolVar(&flags.onCluster, "on-cluster", false, "try those that a rule (K1, K2, ...) catches, on the cluster with real containers")
	command.MarkFlagsMutuallyExclusive("only", "all", "share", "check")
	return command
}

type flags struct {
	only      []string
	all       bool
	share     int
	sharing   bool
	check     bool
	onCluster bool
}

// choose chooses mutants: all where nothing is said.
func (f flags) choose(ctx context.Context, all []mutants.Mutant) ([]mutants.Mutant, error) {
	switch {
	case len(f.only) > 0:
		return choose(all, f.only)
	case f.sharing:
		return usage.Share(ctx, all, f.share)
	default:
		return all, nil
	}
}

// trials are what has to be tried of the mutants that were chosen: everything that can judge them, if they were chosen by the user.
func (f flags) trials(chosen []mutants.Mutant) ([]hunt.Trial, error) {
	if f.all || f.sharing || len(f.only) > 0 {
		return hunt.Whole(chosen)
	}
	return hunt.Stale(chosen)
}

// check fails if a mutant has changed since it was last caught, or what has to catch it.
func check(all []mutants.Mutant) error {
	stale, err := hunt.Stale(all)
	if err != nil || len(stale) == 0 {
		return err
	}
	var ids []string
	for _, trial := range stale {
		ids = append(ids, trial.Mutant.ID)
	}
	return fmt.Errorf("the proofs of %d of %d wrong versions are missing or stale, because their code or their checks changed: "+
		"%s: run make mutants", len(stale), len(all), strings.Join(ids, ", "))
}

// choose chooses by IDs, or by what the IDs of a lesson, or of the operator, begin with.
func choose(all []mutants.Mutant, only []string) ([]mutants.Mutant, error) {
	var chosen []mutants.Mutant
	for _, id := range only {
		matching := filter(all, func(m mutants.Mutant) bool {
			group := strings.TrimSuffix(strings.TrimRight(m.ID, "0123456789"), "-")
			return id == m.ID || id == group
		})
		if len(matching) == 0 {
			return nil, usage.Errorf("there is no mutant %s; docs/kill-matrix.md lists those there are", id)
		}
		chosen = append(chosen, matching...)
	}
	return chosen, nil
}

func filter(all []mutants.Mutant, keep func(mutants.Mutant) bool) []mutants.Mutant {
	var kept []mutants.Mutant
	for _, mutant := range all {
		if keep(mutant) {
			kept = append(kept, mutant)
		}
	}
	return kept
}

// try tries wrong versions, and fails if one is not caught.
func try(ctx context.Context, wanted []hunt.Trial, out, stderr io.Writer) error {
	if len(wanted) == 0 {
		return conclude(0, 0, out)
	}
	if _, err := assets.ControlPlane(ctx, stderr); err != nil {
		return err
	}
	ofOperator, ofLessons := []mutants.Mutant(nil), []hunt.Trial(nil)
	for _, trial := range wanted {
		if trial.Mutant.Lesson == 0 {
			ofOperator = append(ofOperator, trial.Mutant)
		} else {
			ofLessons = append(ofLessons, trial)
		}
	}
	escaped, err := tryOperators(ctx, ofOperator, out, stderr)
	if err != nil {
		return err
	}
	more, err := tryLessons(ctx, ofLessons, out)
	if err != nil {
		return err
	}
	return conclude(escaped+more, len(wanted), out)
}

// conclude fails if wrong versions were not caught.
func conclude(escaped, of int, out io.Writer) error {
	if escaped > 0 {
		return fmt.Errorf("%d of %d wrong versions were not caught as their files say", escaped, of)
	}
	if of == 0 {
		fmt.Fprintln(out, "No proof is stale: every wrong version was caught as it is now. make mutants ALL=1 tries them all again.")
		return nil
	}
	fmt.Fprintf(out, "Caught: all %d that were tried.\n", of)
	return nil
}

// tryOperators tries wrong versions of the finished operator, and returns how many were not caught.
func tryOperators(ctx context.Context, wanted []mutants.Mutant, out, stderr io.Writer) (escaped int, err error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	options, pictures, err := campaigns.Prepare(stderr)
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(options.Dir)
	if options.Subject, err = subject.Finished(options.Dir); err != nil {
		return 0, err
	}
	if err := options.Subject.Build(ctx); err != nil {
		return 0, err
	}
	var missed []hunt.OperatorCatch
	var recorded error
	err = hunt.Operator(ctx, options, wanted, func(catch hunt.OperatorCatch) {
		if !catch.Caught() {
			missed = append(missed, catch)
		}
		recorded = errors.Join(recorded, hunt.Record(catch.Mutant, catch.Outcomes()))
		writeLine(out, catch.Caught(), catch.Mutant, catch.Found(), fmt.Sprintf(" in %4.1f s", catch.Result.Seconds))
	})
	for _, catch := range missed {
		err = errors.Join(err, draw(filepath.Join(pictures, catch.Mutant.Slug+".html"), out, catch))
	}
	return len(missed), errors.Join(err, recorded)
}

// tryLessons tries wrong versions of the lessons' solutions, and returns how many were not caught as their
// descriptions say.
func tryLessons(ctx context.Context, wanted []hunt.Trial, out io.Writer) (escaped int, err error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	dir, remove, err := makeFolder()
	if err != nil {
		return 0, err
	}
	defer remove()
	var recorded error
	err = hunt.Lessons(ctx, dir, wanted, func(catch hunt.Catch) {
		wrong := catch.Wrong()
		writeLine(out, wrong == "", catch.Mutant, catch.Failed(), "")
		recorded = errors.Join(recorded, hunt.Record(catch.Mutant, catch.Outcomes()))
		if wrong != "" {
			escaped++
			fmt.Fprintf(out, "  %s: %s\n", catch.Mutant, wrong)
		}
		for _, found := range catch.Unnamed() { // it may be a mistake of the check
			recorded = errors.Join(recorded, report.Finding(out, found))
		}
	})
	return escaped, errors.Join(err, recorded)
}

func writeLine(out io.Writer, caught bool, mutant mutants.Mutant, by []string, details string) {
	mark := "✓"
	if !caught {
		mark = "✗"
	}
	fmt.Fprintf(out, "%s %s %-28s caught by %-20s%s: %s\n", mark, mutant.ID, mutant.Slug,
		cmp.Or(strings.Join(by, ", "), "nothing"), details, mutant.Title)
}

// makeFolder makes a folder in the repository for copies with wrong versions.
func makeFolder() (dir string, remove func(), err error) {
	root, err := repo.Root()
	if err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(filepath.Join(root, ".cache"), "mutants-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// draw shows the run in which a mutant was not caught.
func draw(file string, out io.Writer, catch hunt.OperatorCatch) error {
	fmt.Fprintf(out, "\n✗ %s must be caught by %s in\n  %s\n  Picture: %s\n", catch.Mutant, catch.Mutant.CaughtBy.Finding, catch.Result.Plan, repo.Short(file))
	return picture.Write(file, catch.Result.Run, catch.Result.Findings, catch.Mutant.String())
}

func writeMatrix(all []mutants.Mutant) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := mutants.WriteMatrix(&text, all); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "kill-matrix.md"), text.Bytes(), 0o644)
}
