package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/campaigns"
	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/mutants"
	"example.com/controller-course/tests/subject"
)

func newMutantsCmd() *cobra.Command {
	var only []string
	var onCluster bool
	command := &cobra.Command{
		Use:   "mutants",
		Short: "See each wrong version of the finished operator and of the lessons' solutions caught",
		Long: "Runs each wrong version of the finished operator through the plan that is to catch it, and holds each wrong\n" +
			"version of a lesson's solution to the lesson's checks and to earlier ones. Fails if one is not caught by what\n" +
			"is named for it. When all are, it writes docs/kill-matrix.md.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := mutants.All()
			if err != nil {
				return err
			}
			wanted, err := chooseMutants(all, only)
			if err != nil {
				return usageError{err}
			}
			if onCluster {
				return huntOnCluster(cmd.Context(), wanted, cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			if err := huntMutants(cmd.Context(), wanted, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil || len(only) > 0 {
				return err
			}
			return writeKillMatrix(all)
		},
	}
	command.Flags().StringSliceVar(&only, "only", nil, "only these, by their IDs: M01, L3-02; L3 for a whole lesson's")
	command.Flags().BoolVar(&onCluster, "on-cluster", false, "on the cluster with real containers, those that are caught there")
	return command
}

// huntMutants hunts wrong versions, and fails if one is not caught.
func huntMutants(ctx context.Context, wanted []mutants.Mutant, out, progress io.Writer) error {
	if _, err := assets.ControlPlane(ctx, progress); err != nil {
		return err
	}
	ofOperator := slices.DeleteFunc(slices.Clone(wanted), func(m mutants.Mutant) bool { return m.Lesson > 0 })
	ofLessons := slices.DeleteFunc(slices.Clone(wanted), func(m mutants.Mutant) bool { return m.Lesson == 0 })
	escaped := 0
	for _, hunt := range []func() (int, error){
		func() (int, error) { return huntOperators(ctx, ofOperator, out, progress) },
		func() (int, error) { return huntLessons(ctx, ofLessons, out) },
	} {
		n, err := hunt()
		if err != nil {
			return err
		}
		escaped += n
	}
	return concludeHunt(escaped, len(wanted), out)
}

// concludeHunt says how a hunt ended, and fails if a wrong version was not caught.
func concludeHunt(escaped, of int, out io.Writer) error {
	if escaped > 0 {
		return fmt.Errorf("%d of %d wrong versions were not caught as they have to be", escaped, of)
	}
	fmt.Fprintf(out, "All %d wrong versions were caught.\n", of)
	return nil
}

// folderForMutants makes a folder in the repository for copies with wrong versions, which is gone once it is
// released.
func folderForMutants() (dir string, release func(), err error) {
	root, err := repo.Root()
	if err != nil {
		return "", nil, err
	}
	dir, err = os.MkdirTemp(filepath.Join(root, ".cache"), "mutants-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

// huntOperators hunts wrong versions of the finished operator, and returns how many were not caught.
func huntOperators(ctx context.Context, wanted []mutants.Mutant, out, progress io.Writer) (escaped int, err error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	options, pictures, err := campaigns.Prepare(progress)
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
	catches, err := campaign.Hunt(ctx, options, wanted, func(catch campaign.Catch) { sayCatch(out, catch) })
	if err != nil {
		return 0, err
	}
	for _, catch := range catches {
		if catch.Caught() {
			continue
		}
		escaped++
		if err := drawEscape(filepath.Join(pictures, catch.Mutant.Slug+".html"), out, catch); err != nil {
			return escaped, err
		}
	}
	return escaped, nil
}

// huntLessons hunts wrong versions of the lessons' solutions, and returns how many were not caught as they
// say.
func huntLessons(ctx context.Context, wanted []mutants.Mutant, out io.Writer) (escaped int, err error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	dir, release, err := folderForMutants()
	if err != nil {
		return 0, err
	}
	defer release()
	_, err = checks.Hunt(ctx, dir, wanted, func(catch checks.Catch) {
		mark, found := "✓", strings.Join(catch.Failed(), ", ")
		if found == "" {
			found = "nothing"
		}
		if catch.Wrong() != "" {
			mark = "✗"
			escaped++
		}
		fmt.Fprintf(out, "%s %s %-28s caught by %-20s: %s\n", mark, catch.Mutant.ID, catch.Mutant.Slug, found, catch.Mutant.Title)
		if catch.Wrong() != "" {
			fmt.Fprintf(out, "  %s: %s\n", catch.Mutant, catch.Wrong())
		}
	})
	return escaped, err
}

func writeKillMatrix(all []mutants.Mutant) error {
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

// chooseMutants chooses by IDs, or by the beginnings of those of a lesson.
func chooseMutants(all []mutants.Mutant, only []string) ([]mutants.Mutant, error) {
	if len(only) == 0 {
		return all, nil
	}
	var chosen []mutants.Mutant
	for _, id := range only {
		before := len(chosen)
		for _, mutant := range all {
			if mutant.ID == id || strings.HasPrefix(mutant.ID, id+"-") {
				chosen = append(chosen, mutant)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("there is no mutant %s; docs/kill-matrix.md lists those there are", id)
		}
	}
	return chosen, nil
}

func sayCatch(out io.Writer, catch campaign.Catch) {
	mark, found := "✓", strings.Join(catch.Found(), ", ")
	if !catch.Caught() {
		mark = "✗"
	}
	if found == "" {
		found = "nothing"
	}
	fmt.Fprintf(out, "%s %s %-28s caught by %-20s in %4.1f s: %s\n", mark, catch.Mutant.ID, catch.Mutant.Slug, found, catch.Result.Seconds, catch.Mutant.Title)
}

// drawEscape shows the run in which a mutant was not caught.
func drawEscape(file string, out io.Writer, catch campaign.Catch) error {
	fmt.Fprintf(out, "\n✗ %s is to be caught by %s in\n  %s\n  Picture: %s\n", catch.Mutant, catch.Mutant.CaughtBy.Finding, catch.Result.Plan, fromHere(file))
	return picture.Write(file, catch.Result.Run, catch.Result.Findings, catch.Mutant.String())
}
