// Package performance measures what docs/performance.md shows.
package performance

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/bench"
	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/subject"
)

// BenchCommand returns the command bench.
func BenchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "bench",
		Short: "Measure the finished operator under load",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runBench(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
}

// runBench writes the figures to out, as docs/performance.md shows them, and what it is doing to stderr.
func runBench(ctx context.Context, out, stderr io.Writer) error {
	if _, err := assets.Full(ctx, stderr); err != nil {
		return err
	}
	root, err := repo.Root()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, ".cache", "bench")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	operator, err := subject.Finished(dir)
	if err != nil {
		return err
	}
	if err := operator.Build(ctx); err != nil {
		return err
	}

	var loads []bench.Load
	for _, sequences := range []int{1, 200, 1000} {
		fmt.Fprintf(stderr, "%d concurrent sequences\n", sequences)
		load, err := bench.MeasureLoad(ctx, operator, sequences, filepath.Join(dir, fmt.Sprint("load-", sequences)), stderr)
		if err != nil {
			return fmt.Errorf("measure %d sequences: %w", sequences, err)
		}
		loads = append(loads, load)
	}
	fmt.Fprintln(stderr, "the Job controller alone on 3000 Jobs")
	floor, err := bench.MeasureFloor(ctx, operator, 1000, filepath.Join(dir, "floor"))
	if err != nil {
		return fmt.Errorf("measure the floor: %w", err)
	}
	var rests []bench.Rest
	for _, objects := range []int{500, 10_000} {
		fmt.Fprintf(stderr, "a start on %d finished objects\n", objects)
		rest, err := bench.MeasureRest(ctx, operator, objects, filepath.Join(dir, fmt.Sprint("rest-", objects)))
		if err != nil {
			return fmt.Errorf("measure %d objects at rest: %w", objects, err)
		}
		rests = append(rests, rest)
	}

	fmt.Fprintln(out)
	bench.WriteLoads(out, loads)
	fmt.Fprintln(out)
	bench.WriteGrowth(out, loads[1], loads[2])
	fmt.Fprintf(out, "\nThe Job controller alone takes %.1f s for 3000 concurrent Jobs: as if %.1f sequences a second.\n\n", floor.Seconds(), 1000/floor.Seconds())
	for _, rest := range rests {
		bench.WriteRest(out, rest)
	}
	return nil
}
