package main

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/assets"
)

func newAssetsCmd() *cobra.Command {
	var controlPlane bool
	cmd := &cobra.Command{
		Use:   "assets",
		Short: "Build the control plane's binaries, unless they are cached",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			provide := assets.Full
			if controlPlane {
				provide = assets.ControlPlane
			}
			_, err := provide(cmd.Context(), cmd.OutOrStdout())
			return err
		},
	}
	cmd.Flags().BoolVar(&controlPlane, "control-plane", false, "only etcd and kube-apiserver")
	return cmd
}
