package main

import (
	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/load"
)

func newLoadCmd() *cobra.Command {
	var average float64
	cmd := &cobra.Command{
		Use:   "load [--average n] -- command [argument]...",
		Short: "Run a command while busy processes keep the machine's load average at n",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := load.Run(cmd.Context(), load.Options{
				Average: average, Command: args, Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
			})
			if err == nil && code != 0 {
				return exitError(code)
			}
			return err
		},
	}
	cmd.Flags().Float64Var(&average, "average", 8, "the load average, over one minute")
	return cmd
}
