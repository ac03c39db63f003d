package clusters

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/kit/kind"
)

// KindCommand returns the command kind.
func KindCommand() *cobra.Command {
	verbs := map[string]func(context.Context, io.Writer) error{"up": kindUp, "down": kind.Down}
	return &cobra.Command{
		Use:       "kind up|down",
		Short:     "Create or remove the course's cluster in Docker",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: slices.Collect(maps.Keys(verbs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return verbs[args[0]](cmd.Context(), cmd.OutOrStdout())
		},
	}
}

func kindUp(ctx context.Context, out io.Writer) error {
	cluster, err := kind.Up(ctx, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, `The cluster %s is up. To use it:

    export KUBECONFIG=%q
    kubectl get nodes

To remove it: make cluster-down
`, kind.Name, cluster.Kubeconfig())
	return nil
}
