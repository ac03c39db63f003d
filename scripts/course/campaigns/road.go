package campaigns

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/road"
)

// RoadCommand returns the command road.
func RoadCommand() *cobra.Command {
	var smoke bool
	command := &cobra.Command{
		Use:   "road",
		Short: "Run each solution and the finished operator through the campaign, and show how far they come",
		Long: "Runs the finished operator, and the solution of each lesson that makes a controller of SequentialJobs, through every scenario\n" +
			"under every fault. A controller that does not survive takes time, so this takes hours. The result of each controller is kept\n" +
			"as soon as it is known: after an interruption, or a change of one controller, the next run does what is missing. A change of\n" +
			"the campaign makes all results old. It writes docs/road.md and the chart in README.md.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return walk(cmd.Context(), smoke, cmd.ErrOrStderr())
		},
	}
	command.Flags().BoolVar(&smoke, "smoke", false, "run a fixed sample of the plans")
	return command
}

// walk runs a campaign for each controller whose result is missing, or older than its code or the campaign's.
func walk(ctx context.Context, smoke bool, stderr io.Writer) error {
	if _, err := assets.ControlPlane(ctx, stderr); err != nil {
		return err
	}
	record, err := road.Read()
	if err != nil {
		return err
	}
	if record.Sample != smoke {
		record = road.Record{Sample: smoke, Results: map[string]road.Result{}}
	}
	for _, controller := range slices.Backward(road.Controllers()) { // the operator first: all others are compared with it
		code, err := controller.Hash()
		if err != nil {
			return err
		}
		if record.Results[controller.Name].Code == code {
			fmt.Fprintf(stderr, "%s: its result is known\n", controller.Name)
			continue
		}
		fmt.Fprintf(stderr, "\n%s, %s\n", controller.Name, controller.Folder)
		report, err := campaignOf(ctx, controller, smoke, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", controller.Folder, err)
		}
		if record.Results[controller.Name], err = road.ResultOf(code, report); err != nil {
			return err
		}
		if err := record.Write(); err != nil {
			return err
		}
	}
	return writeRoad()
}

func campaignOf(ctx context.Context, controller road.Controller, smoke bool, stderr io.Writer) (report campaign.Report, err error) {
	options, _, err := Prepare(stderr)
	if err != nil {
		return report, err
	}
	defer os.RemoveAll(options.Dir)
	options.Smoke, options.Repeat = smoke, 3
	if options.Subject, err = (flags{impl: controller.Folder}).build(ctx, options.Dir, stderr); err != nil {
		return report, err
	}
	options.Subject.WorkspaceRoles = "" // all get the same plans, and the lessons' controllers know no Workspaces
	return campaign.Run(ctx, options)
}

func writeRoad() error {
	page, err := road.Page()
	if err != nil {
		return err
	}
	if err := repo.Rewrite("docs/road.md", func([]byte) ([]byte, error) { return page, nil }); err != nil {
		return err
	}
	return repo.Rewrite("README.md", road.WithChart)
}
