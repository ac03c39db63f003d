package campaigns

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/fatih/color"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/campaign"
	findings "example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/kit/repo"
)

// A tally counts the plans that are done, and shows the count.
type tally struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil unless out is a terminal
	plans int
	done  int
	said  time.Time
	began time.Time
	fails int
}

func (t *tally) Learning(scenarios int) {
	fmt.Fprintf(t.out, "Running %d scenarios three times each without faults, to learn the controller's requests and events\n", scenarios)
}

func (t *tally) Learned(scenario string, plans int) {
	fmt.Fprintf(t.out, "  %-12s %d plans\n", scenario, plans)
}

func (t *tally) Running(plans int) {
	t.plans, t.began, t.said = plans, time.Now(), time.Now()
	fmt.Fprintf(t.out, "Running %d plans\n", plans)
	if file, ok := t.out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		t.bar = progressbar.NewOptions(plans, progressbar.OptionSetWriter(file), progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
	}
}

func (t *tally) Done(result campaign.Result) {
	t.done++
	if len(result.Findings) > 0 {
		t.fails++
	}
	if t.bar != nil {
		_ = t.bar.Add(1)
		return
	}
	const every = 15 * time.Second
	if time.Since(t.said) >= every {
		t.said = time.Now()
		fmt.Fprintf(t.out, "  %d of %d plans after %s, %d with findings\n", t.done, t.plans, time.Since(t.began).Round(time.Second), t.fails)
	}
}

// writeFindings shows one finding of each check in full, with a picture, and names the other plans
// that have one. Again is the command that runs a plan again. If there are findings it returns an error.
func writeFindings(out io.Writer, dir string, report campaign.Report, again func(campaign.Plan) string) error {
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
		if err := writeCheck(out, filepath.Join(dir, check+".html"), failed[check], again); err != nil {
			return err
		}
	}
	return fmt.Errorf("the controller did not survive %d of %d plans", plans, len(report.Results))
}

// writeVerdict names the plans of which a fault struck nothing, and says that the others survived. Some plans are for requests and
// events that do not occur in each run. The error says that there are no others.
func writeVerdict(out io.Writer, report campaign.Report, again func(campaign.Plan) string) error {
	var unjudged []campaign.Result
	for _, result := range report.Results {
		if len(result.Missed) > 0 {
			unjudged = append(unjudged, result)
		}
	}
	if len(unjudged) == 0 {
		fmt.Fprintf(out, "All %d plans survived.\n", len(report.Results))
		return nil
	}
	fmt.Fprintln(out, "Not judged, because the request or event of the fault did not occur:")
	for _, result := range unjudged {
		fmt.Fprintf(out, "  %s\n", again(result.Plan))
	}
	judged := len(report.Results) - len(unjudged)
	if judged == 0 {
		return usage.NotJudgedf("no plan could be judged")
	}
	fmt.Fprintf(out, "The other %d plans survived.\n", judged)
	return nil
}

// mostNamed is how many plans are named at most for each finding that is shown.
const mostNamed = 5

func writeCheck(out io.Writer, file string, failed []campaign.Result, again func(campaign.Plan) string) error {
	shown := failed[0]
	for i := range shown.Findings {
		shown.Findings[i].Picture = repo.Short(file)
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
