// Package campaigns runs a controller through every scenario under every fault.
package campaigns

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/subject"
)

// flags are what a user chooses.
type flags struct {
	impl      string // folder of a Go main package to judge
	bin       string // a program to judge; the finished operator if there is neither
	plan      string
	scenarios []string
	smoke     bool
	repeat    int
}

// addTo adds the flags by which a user chooses plans.
func (f *flags) addTo(command *cobra.Command) {
	command.Flags().StringVar(&f.plan, "plan", "", "run only this plan, named as in a finding")
	command.Flags().StringSliceVar(&f.scenarios, "scenario", nil, "run only these scenarios")
	command.Flags().BoolVar(&f.smoke, "smoke", false, "run a fixed sample of the plans")
	command.MarkFlagsMutuallyExclusive("plan", "smoke")
	command.MarkFlagsMutuallyExclusive("plan", "scenario")
}

// Command returns the command campaign.
func Command() *cobra.Command {
	var flags flags
	command := &cobra.Command{
		Use:   "campaign",
		Short: "Run a controller through every scenario under every fault",
		Long: "Runs the finished operator, or another controller, through every scenario, once for each legal fault at each\n" +
			"request that it makes and at each event that it receives. For the finished operator it writes docs/reliability.md.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return run(cmd.Context(), flags, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	flags.addTo(command)
	command.Flags().StringVar(&flags.impl, "impl", "", "folder of another Go main package to judge")
	command.Flags().StringVar(&flags.bin, "bin", "", "another program to judge")
	command.Flags().IntVar(&flags.repeat, "repeat", 1, "how often to run each plan")
	command.MarkFlagsMutuallyExclusive("impl", "bin")
	return command
}

// run runs a campaign and reports what it found. The error says that the controller did not survive.
func run(ctx context.Context, flags flags, out, stderr io.Writer) error {
	plan, err := flags.validate()
	if err != nil {
		return err
	}
	if _, err := assets.ControlPlane(ctx, stderr); err != nil {
		return err
	}
	options, pictures, err := Prepare(stderr)
	if err != nil {
		return err
	}
	defer os.RemoveAll(options.Dir)
	options.Scenarios, options.Smoke, options.Repeat = flags.scenarios, flags.smoke, max(1, flags.repeat)
	if plan != nil {
		options.Plan, options.Workers = plan, 1
	}
	if options.Subject, err = flags.build(ctx, options.Dir, out); err != nil {
		return err
	}
	began := time.Now()
	result, err := campaign.Run(ctx, options)
	if err != nil {
		return err
	}
	if err := writeFindings(out, pictures, result, flags.again); err != nil {
		return err
	}
	took := time.Since(began)
	median, late := result.Seconds()
	err = writeVerdict(out, result, flags.again)
	fmt.Fprintf(out, "It took %s; half of the plans took at most %.1f s, 95 %% at most %.1f s.\n", took.Round(time.Second), median, late)
	if flags.whole() {
		err = errors.Join(err, writeScoreboard(result, took, options.Workers))
	}
	return err
}

// validate says what is wrong with what the user typed, before anything is started for it. It returns the only plan to run, if
// the user has named one.
func (f flags) validate() (only *campaign.Plan, err error) {
	if f.plan != "" {
		plan, err := campaign.ParsePlan(f.plan)
		if err != nil {
			return nil, usage.Errorf("PLAN: %w", err)
		}
		only = &plan
	}
	for _, name := range f.scenarios {
		if _, err := campaign.ParsePlan(name + ": " + campaign.NoFault); err != nil {
			return nil, usage.Errorf("SCENARIO: %w", err)
		}
	}
	code, err := f.code()
	if err != nil {
		return nil, err
	}
	if err := code.Exists(); err != nil {
		return nil, usage.Errorf("%w", err)
	}
	return only, nil
}

// Prepare returns the options for a campaign, with a folder of its own so that two campaigns can run at the
// same time, and the folder for pictures, which stay.
func Prepare(stderr io.Writer) (options campaign.Options, pictures string, err error) {
	root, err := repo.Root()
	if err != nil {
		return options, "", err
	}
	pictures = filepath.Join(root, ".cache", "campaign")
	if err = os.MkdirAll(pictures, 0o755); err != nil {
		return options, "", err
	}
	options.Workers, options.Tally = workers(), &tally{out: stderr}
	options.Dir, err = os.MkdirTemp(pictures, "run-")
	return options, pictures, err
}

// again is the command that runs a plan again with the same controller.
func (f flags) again(plan campaign.Plan) string {
	which := ""
	switch {
	case f.impl != "":
		which = fmt.Sprintf("IMPL='%s' ", f.impl)
	case f.bin != "":
		which = fmt.Sprintf("BIN='%s' ", f.bin)
	}
	return fmt.Sprintf("make campaign %sPLAN='%s'", which, plan)
}

// code is the controller to judge.
func (f flags) code() (judge.Code, error) {
	if f.bin != "" || f.impl != "" {
		return judge.Code{Folder: f.impl, Program: f.bin}, nil
	}
	root, err := repo.Root()
	return judge.Code{Folder: filepath.Join(root, "sequentialjob")}, err
}

// build builds the controller to judge. Code that can't be built has a finding, which it writes.
func (f flags) build(ctx context.Context, dir string, out io.Writer) (subject.Subject, error) {
	code, err := f.code()
	if err != nil {
		return subject.Subject{}, err
	}
	built, err := report.Build(ctx, code, dir, out)
	if f.bin != "" {
		built.WorkspaceRoles = "" // what it would need there is unknown
	}
	return built, err
}

// whole says whether this is the full campaign with the finished operator.
func (f flags) whole() bool {
	return f.impl == "" && f.bin == "" && f.plan == "" && len(f.scenarios) == 0 && !f.smoke && f.repeat == 1
}

func writeScoreboard(report campaign.Report, took time.Duration, workers int) error {
	return repo.Rewrite("docs/reliability.md", func(was []byte) ([]byte, error) {
		explored, err := markdown.Part(was, campaign.Explored)
		if err != nil {
			return nil, err
		}
		var text bytes.Buffer
		campaign.WriteScoreboard(&text, report, took, workers)
		return markdown.WithPart(text.Bytes(), campaign.Explored, explored)
	})
}

// workers is how many control planes run at the same time. A plan waits most of the time, so there are
// more of them than processors. Each takes about 300 MB.
func workers() int { return 3 * runtime.NumCPU() }
