package clusters

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/tests/kit/kind"
)

// NodeImageCommand returns the command node-image.
func NodeImageCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "node-image",
		Short: "Build the image of a kind node from Debian packages and Go modules, unless Docker has it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return kind.ProvideNodeImage(cmd.Context(), cmd.ErrOrStderr())
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "save FILE",
		Short: "Write the image to a file, for another machine",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return kind.SaveNodeImage(cmd.Context(), args[0], cmd.ErrOrStderr())
		},
	}, &cobra.Command{
		Use:   "load FILE",
		Short: "Load the image from such a file",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return kind.LoadNodeImage(cmd.Context(), args[0], cmd.ErrOrStderr())
		},
	})
	return cmd
}
