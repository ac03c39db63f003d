package road

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"example.com/controller-course/tests/kit/markdown"
)

// Page is docs/road.md.
func Page() ([]byte, error) {
	record, err := Read()
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	record.write(&page, Controllers())
	return page.Bytes(), nil
}

// WithChart is the README with the chart in its place; as it is, as long as the operator is not on the road.
func WithChart(readme []byte) ([]byte, error) {
	record, err := Read()
	known := record.known(Controllers())
	if err != nil || len(known) == 0 {
		return readme, err
	}
	var chart bytes.Buffer
	record.chart(&chart, known)
	return markdown.WithPart(readme, "road", chart.Bytes())
}

func (r Record) write(out io.Writer, all []Controller) {
	fmt.Fprint(out, "# The road to the operator\n\n"+
		"`make road` writes this page. It runs the solution of each lesson that makes a controller of `SequentialJob`, and the finished operator, "+
		"through the campaign of [reliability](reliability.md). A plan is a run of a scenario with one fault. The scenarios with a Workspace are left out. Each plan is run three times, and is survived "+
		"if the controller survives it each time.\n\n")
	known := r.known(all)
	if len(known) == 0 {
		return
	}
	r.chart(out, known)
	if r.Sample {
		fmt.Fprint(out, "\nA fixed sample of the plans of each controller was run.\n")
	}
	fmt.Fprint(out, "\n## By fault\n\n| fault |")
	for _, c := range known {
		fmt.Fprintf(out, " %s |", c.Name)
	}
	fmt.Fprintf(out, "\n|---|%s\n", strings.Repeat("---|", len(known)))
	for _, row := range faults {
		fmt.Fprintf(out, "| %s |", row.fault)
		for _, c := range known {
			fmt.Fprintf(out, " %s |", r.against(c)[row.fault])
		}
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "| **all** |")
	for _, c := range known {
		fmt.Fprintf(out, " %s |", r.total(c))
	}
	fmt.Fprint(out, "\n\nA controller's plans are its own requests and events, so their number differs. "+
		"Plans whose fault struck nothing are left out.\n\n## Scenarios that are not completed\n\n"+
		"A lesson's solution does what its lesson and the earlier ones teach. In a scenario that needs more, it fails without a fault. "+
		"Then the operator's plans for that scenario count as not survived.\n\n| controller | scenarios |\n|---|---|\n")
	for _, c := range known {
		fmt.Fprintf(out, "| %s | %s |\n", c.Name, cmp.Or(strings.Join(r.Results[c.Name].Unfit, ", "), "none"))
	}
}

// chart draws the shares of plans that controllers survive.
func (r Record) chart(out io.Writer, known []Controller) {
	var names, percents []string
	for _, c := range known {
		names = append(names, fmt.Sprintf("%q", c.Name))
		percents = append(percents, fmt.Sprint(r.total(c).percent()))
	}
	of := "all"
	if r.Sample {
		of = "a fixed sample"
	}
	fmt.Fprintf(out, "```mermaid\nxychart-beta\n  title \"Plans survived, in percent of %s\"\n  x-axis [%s]\n  y-axis 0 --> 100\n  bar [%s]\n```\n",
		of, strings.Join(names, ", "), strings.Join(percents, ", "))
}

// known are the controllers that are on record; none if the operator, with which they are compared, is not.
func (r Record) known(all []Controller) (known []Controller) {
	if _, is := r.Results[Operator.Name]; !is {
		return nil
	}
	for _, c := range all {
		if _, is := r.Results[c.Name]; is {
			known = append(known, c)
		}
	}
	return known
}

func (r Record) against(c Controller) map[Fault]Count {
	return r.Results[c.Name].against(r.Results[Operator.Name])
}

func (r Record) total(c Controller) (total Count) {
	for _, count := range r.against(c) {
		total = total.plus(count)
	}
	return total
}

// String is "9 of 12", or a dash where there is nothing to survive.
func (c Count) String() string {
	if c.Of == 0 {
		return "—"
	}
	return fmt.Sprintf("%d of %d", c.Survived, c.Of)
}
