package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fatih/color"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"example.com/controller-course/tests/campaign"
	findings "example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/picture"
)

// campaignProgress shows how far a campaign is.
type campaignProgress struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil where out is no terminal
	plans int
	done  int
	said  time.Time
	began time.Time
	fails int
}

func newCampaignProgress(out io.Writer) *campaignProgress { return &campaignProgress{out: out} }

func (p *campaignProgress) Learning(scenarios int) {
	fmt.Fprintf(p.out, "Running %d scenarios three times each without faults, to learn the controller's requests and events\n", scenarios)
}

func (p *campaignProgress) Learned(scenario string, plans int) {
	fmt.Fprintf(p.out, "  %-12s %d plans\n", scenario, plans)
}

func (p *campaignProgress) Running(plans int) {
	p.plans, p.began, p.said = plans, time.Now(), time.Now()
	fmt.Fprintf(p.out, "Running %d plans\n", plans)
	if file, ok := p.out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.bar = progressbar.NewOptions(plans, progressbar.OptionSetWriter(file), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	}
}

func (p *campaignProgress) Done(result campaign.Result) {
	p.done++
	if len(result.Findings) > 0 {
		p.fails++
	}
	if p.bar != nil {
		_ = p.bar.Add(1)
		return
	}
	const every = 15 * time.Second
	if time.Since(p.said) >= every {
		p.said = time.Now()
		fmt.Fprintf(p.out, "  %d of %d plans after %s, %d with findings\n", p.done, p.plans, time.Since(p.began).Round(time.Second), p.fails)
	}
}

// reportFindings shows one finding of each check in full, with a picture, and names the other plans
// that have one. Again is the command that plays a plan again. It returns an error when there was any.
func reportFindings(out io.Writer, dir string, report campaign.Report, again func(campaign.Plan) string) error {
	var order []string
	failed := map[string][]campaign.Result{}
	plans := 0
	for _, result := range report.Results {
		if len(result.Findings) == 0 {
			continue
		}
		plans++
		check := string(result.Findings[0].Check)
		if failed[check] == nil {
			order = append(order, check)
		}
		failed[check] = append(failed[check], result)
	}
	if plans == 0 {
		return nil
	}
	for _, check := range order {
		if err := reportCheck(out, filepath.Join(dir, check+".html"), failed[check], again); err != nil {
			return err
		}
	}
	return fmt.Errorf("the controller did not survive %d of %d plans", plans, len(report.Results))
}

// mostNamed is how many plans are named that have a finding like one that was shown.
const mostNamed = 5

func reportCheck(out io.Writer, file string, failed []campaign.Result, again func(campaign.Plan) string) error {
	shown := failed[0]
	for i := range shown.Findings {
		shown.Findings[i].Picture = fromHere(file)
		shown.Findings[i].Again = again(shown.Plan)
	}
	if err := picture.Write(file, shown.Run, shown.Findings, shown.Plan.String()); err != nil {
		return err
	}
	if err := findings.Write(out, shown.Findings[0], !color.NoColor); err != nil {
		return err
	}
	others := failed[1:]
	if len(others) == 0 {
		return nil
	}
	fmt.Fprintf(out, "\n   The same in %d more:\n", len(others))
	for _, other := range others[:min(mostNamed, len(others))] {
		fmt.Fprintf(out, "     %s\n", again(other.Plan))
	}
	if len(others) > mostNamed {
		fmt.Fprintf(out, "     and %d others\n", len(others)-mostNamed)
	}
	fmt.Fprintln(out)
	return nil
}

// fromHere is a path as somebody in the working directory would type it.
func fromHere(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	short, err := filepath.Rel(here, path)
	if err != nil {
		return path
	}
	return short
}
