package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/subject"
)

// campaignFlags are what make passes on.
type campaignFlags struct {
	impl, bin, plan string
	scenarios       []string
	smoke           bool
	repeat          int
}

func newCampaignCmd() *cobra.Command {
	var flags campaignFlags
	command := &cobra.Command{
		Use:   "campaign",
		Short: "Run a controller through every scenario under every fault",
		Long: "Runs the finished operator, or another controller, through every scenario, once for each legal fault at each\n" +
			"request it makes and at each event it is told of. On the finished operator it writes docs/reliability.md.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runCampaign(cmd.Context(), flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	command.Flags().StringVar(&flags.impl, "impl", "", "folder of another Go main package to judge")
	command.Flags().StringVar(&flags.bin, "bin", "", "another program to judge")
	command.Flags().StringVar(&flags.plan, "plan", "", "run only this plan, as a finding names it")
	command.Flags().StringSliceVar(&flags.scenarios, "scenario", nil, "run only these scenarios")
	command.Flags().BoolVar(&flags.smoke, "smoke", false, "run a fixed sample of the plans")
	command.Flags().IntVar(&flags.repeat, "repeat", 1, "run each plan so often")
	command.MarkFlagsMutuallyExclusive("impl", "bin")
	command.MarkFlagsMutuallyExclusive("plan", "smoke")
	command.MarkFlagsMutuallyExclusive("plan", "scenario")
	return command
}

func runCampaign(ctx context.Context, flags campaignFlags, out, progress io.Writer) error {
	options := campaign.Options{
		Workers: workers(), Scenarios: flags.scenarios,
		Smoke: flags.smoke, Repeat: flags.repeat, Progress: newCampaignProgress(progress),
	}
	if flags.plan != "" {
		plan, err := campaign.ParsePlan(flags.plan)
		if err != nil {
			return err
		}
		options.Plan = &plan
		options.Workers = 1
	}
	if _, err := assets.ControlPlane(ctx, progress); err != nil {
		return err
	}
	root, pictures, err := campaignFolders(&options)
	if err != nil {
		return err
	}
	defer os.RemoveAll(options.Dir)
	if options.Subject, err = chooseSubject(ctx, flags, options.Dir); err != nil {
		return err
	}
	began := time.Now()
	report, err := campaign.Run(ctx, options)
	if err != nil {
		return err
	}
	if err := reportFindings(out, pictures, report, flags.again); err != nil {
		return err
	}
	took := time.Since(began)
	median, late := report.Seconds()
	fmt.Fprintf(out, "All %d plans survived, in %s; half of them took at most %.1f s, 95 %% at most %.1f s.\n",
		len(report.Results), took.Round(time.Second), median, late)
	if flags.whole() {
		return writeScoreboard(filepath.Join(root, "docs", "reliability.md"), report, took, options.Workers)
	}
	return nil
}

// again is the command that plays a plan again on the same controller.
func (f campaignFlags) again(plan campaign.Plan) string {
	which := ""
	switch {
	case f.impl != "":
		which = fmt.Sprintf("IMPL='%s' ", f.impl)
	case f.bin != "":
		which = fmt.Sprintf("BIN='%s' ", f.bin)
	}
	return fmt.Sprintf("make campaign %sPLAN='%s'", which, plan)
}

// campaignFolders gives a run a folder of its own, so that two at once don't meet, and returns the
// repository's root and the folder in which pictures stay.
func campaignFolders(options *campaign.Options) (root, pictures string, err error) {
	if root, err = repo.Root(); err != nil {
		return "", "", err
	}
	pictures = filepath.Join(root, ".cache", "campaign")
	if err = os.MkdirAll(pictures, 0o755); err != nil {
		return "", "", err
	}
	options.Dir, err = os.MkdirTemp(pictures, "run-")
	return root, pictures, err
}

// chooseSubject returns the controller to judge, built.
func chooseSubject(ctx context.Context, flags campaignFlags, dir string) (chosen subject.Subject, err error) {
	switch {
	case flags.bin != "":
		return subject.Program(flags.bin)
	case flags.impl != "":
		chosen, err = subject.Other(flags.impl, dir)
	default:
		chosen, err = subject.Finished(dir)
	}
	if err != nil {
		return chosen, err
	}
	return chosen, chosen.Build(ctx)
}

// whole says that it is the full campaign on the finished operator.
func (f campaignFlags) whole() bool {
	return f.impl == "" && f.bin == "" && f.plan == "" && len(f.scenarios) == 0 && !f.smoke && f.repeat == 1
}

func writeScoreboard(path string, report campaign.Report, took time.Duration, workers int) error {
	var text bytes.Buffer
	campaign.WriteScoreboard(&text, report, took, workers)
	return os.WriteFile(path, text.Bytes(), 0o644)
}

// workers is how many control planes there are at once. A plan waits most of the time, so there are
// more than processors; each takes some 300 MB.
func workers() int { return 3 * runtime.NumCPU() }
