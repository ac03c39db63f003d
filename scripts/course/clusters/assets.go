// Package clusters provides clusters, their binaries and their images.
package clusters

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/kit/assets"
)

// AssetsCommand returns the command assets.
func AssetsCommand() *cobra.Command {
	var controlPlane, printFolder, printNATS bool
	cmd := &cobra.Command{
		Use:   "assets",
		Short: "Build the binaries of the control plane and of NATS, unless they are cached",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			provide := assets.Full
			if controlPlane {
				provide = assets.ControlPlane
			}
			dir, err := provide(cmd.Context(), cmd.ErrOrStderr())
			if err == nil && printFolder {
				fmt.Fprintln(cmd.OutOrStdout(), filepath.Dir(dir.Path(assets.APIServer)))
			}
			if err != nil || controlPlane {
				return err
			}
			nats, err := assets.NATS(cmd.Context(), cmd.ErrOrStderr())
			if err == nil && printNATS {
				fmt.Fprintln(cmd.OutOrStdout(), nats)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&controlPlane, "control-plane", false, "only etcd and kube-apiserver")
	cmd.Flags().BoolVar(&printFolder, "print-folder", false, "print the folder with these two, for KUBEBUILDER_ASSETS")
	cmd.Flags().BoolVar(&printNATS, "print-nats", false, "print the path of the NATS server, for NATS_SERVER")
	cmd.MarkFlagsMutuallyExclusive("control-plane", "print-nats")
	return cmd
}
