package bench

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// reportProgress says every few seconds how far the load has come.
func (s *stamps) reportProgress(ctx context.Context, sequences int, out io.Writer) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.mu.Lock()
			created, completed := len(s.jobs), len(s.completed)
			s.mu.Unlock()
			fmt.Fprintf(out, "  of %d Jobs, %d were created and %d are complete\n", sequences*steps, created, completed)
		case <-ctx.Done():
			return
		}
	}
}

// percentile returns the value that p percent of the values do not exceed; 0 without values.
func percentile(values []time.Duration, p int) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, len(sorted)*p/100)]
}

// WriteLoads writes the loads as a Markdown table, a column each.
func WriteLoads(out io.Writer, loads []Load) {
	row := func(title string, cell func(Load) string) {
		cells := []string{title}
		for _, load := range loads {
			cells = append(cells, cell(load))
		}
		fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
	row("concurrent sequences of three steps", func(l Load) string { return fmt.Sprint(l.Sequences) })
	row("---", func(Load) string { return "---:" })
	row("seconds to the last end", func(l Load) string { return fmt.Sprintf("%.1f", l.Total.Seconds()) })
	row("sequences a second", func(l Load) string { return fmt.Sprintf("%.1f", l.Rate()) })
	row("ms from a step's completion to the next creation: median", func(l Load) string { return milliseconds(percentile(l.Gaps, 50)) })
	row("… 95th percentile", func(l Load) string { return milliseconds(percentile(l.Gaps, 95)) })
	row("ms from a sequence's creation to its first Job: median", func(l Load) string { return milliseconds(percentile(l.FirstJobs, 50)) })
	row("… 95th percentile", func(l Load) string { return milliseconds(percentile(l.FirstJobs, 95)) })
	row("peak memory, MB", func(l Load) string { return fmt.Sprintf("%.0f", float64(l.PeakBytes)/1e6) })
	for _, kind := range kinds(loads) {
		row("requests: "+kind, func(l Load) string { return fmt.Sprint(l.Requests.ByKind[kind]) })
	}
	row("failed requests", func(l Load) string { return describe(l.Requests.Failed) })
}

// WriteGrowth writes by which factor the figures of one load exceed those of another.
func WriteGrowth(out io.Writer, from, to Load) {
	times := func(a, b float64) string {
		if a == 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f×", b/a)
	}
	fmt.Fprintf(out, "From %d to %d sequences (%s): time %s, median gap %s, 95th percentile of the gap %s, median time to the first Job %s, peak memory %s.\n",
		from.Sequences, to.Sequences, times(float64(from.Sequences), float64(to.Sequences)),
		times(from.Total.Seconds(), to.Total.Seconds()),
		times(percentile(from.Gaps, 50).Seconds(), percentile(to.Gaps, 50).Seconds()),
		times(percentile(from.Gaps, 95).Seconds(), percentile(to.Gaps, 95).Seconds()),
		times(percentile(from.FirstJobs, 50).Seconds(), percentile(to.FirstJobs, 50).Seconds()),
		times(float64(from.PeakBytes), float64(to.PeakBytes)))
}

// WriteRest writes what a controller does at rest.
func WriteRest(out io.Writer, rest Rest) {
	fmt.Fprintf(out, "Started on %d finished SequentialJobs: %s; memory %.0f MB, %.0f MB without them, so %.1f KB each.\n",
		rest.Objects, describe(rest.Requests.ByKind), rest.Bytes/1e6, rest.EmptyBytes/1e6, rest.BytesPerObject()/1e3)
}

func milliseconds(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

func kinds(loads []Load) []string {
	all := map[string]bool{}
	for _, load := range loads {
		for kind := range load.Requests.ByKind {
			all[kind] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func describe(counts map[string]int) string {
	if len(counts) == 0 {
		return "none"
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[kind], kind))
	}
	return strings.Join(parts, ", ")
}
