package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/assets"
	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/mutants"
	"example.com/controller-course/tests/subject"
)

func newMutantsCmd() *cobra.Command {
	var only []string
	command := &cobra.Command{
		Use:   "mutants",
		Short: "See each wrong version of the finished operator caught",
		Long: "Runs each wrong version of the finished operator through the plan that is to catch it, and fails if one is\n" +
			"not caught by the check that is named for it. When all are, it writes docs/kill-matrix.md.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMutants(cmd.Context(), only, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().StringSliceVar(&only, "only", nil, "only these, by their IDs")
	return command
}

func runMutants(ctx context.Context, only []string, out, progress io.Writer) error {
	all, err := mutants.Load()
	if err != nil {
		return err
	}
	wanted, err := chooseMutants(all, only)
	if err != nil {
		return err
	}
	if _, err := assets.ControlPlane(ctx, progress); err != nil {
		return err
	}
	options := campaign.Options{Workers: workers(), Progress: newCampaignProgress(progress)}
	root, pictures, err := campaignFolders(&options)
	if err != nil {
		return err
	}
	defer os.RemoveAll(options.Dir)
	if options.Subject, err = subject.Finished(options.Dir); err != nil {
		return err
	}
	if err := options.Subject.Build(ctx); err != nil {
		return err
	}
	catches, err := campaign.Hunt(ctx, options, wanted, func(catch campaign.Catch) { sayCatch(out, catch) })
	if err != nil {
		return err
	}
	escaped := 0
	for _, catch := range catches {
		if catch.Caught() {
			continue
		}
		escaped++
		if err := drawEscape(filepath.Join(pictures, catch.Mutant.Slug+".html"), out, catch); err != nil {
			return err
		}
	}
	if escaped > 0 {
		return fmt.Errorf("%d of %d wrong versions were not caught as they have to be", escaped, len(catches))
	}
	fmt.Fprintf(out, "All %d wrong versions were caught.\n", len(catches))
	if len(only) > 0 {
		return nil
	}
	var text bytes.Buffer
	if err := mutants.WriteMatrix(&text, all); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "kill-matrix.md"), text.Bytes(), 0o644)
}

func chooseMutants(all []mutants.Mutant, only []string) ([]mutants.Mutant, error) {
	if len(only) == 0 {
		return all, nil
	}
	known := map[string]mutants.Mutant{}
	for _, mutant := range all {
		known[mutant.ID] = mutant
	}
	var chosen []mutants.Mutant
	for _, id := range only {
		mutant, ok := known[id]
		if !ok {
			return nil, fmt.Errorf("there is no mutant %s; there are %s to %s", id, all[0].ID, all[len(all)-1].ID)
		}
		chosen = append(chosen, mutant)
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
