package load

import (
	"fmt"

	"github.com/spf13/cobra"
)

// Command returns the command load.
func Command() *cobra.Command {
	var average float64
	cmd := &cobra.Command{
		Use:   "load [--average n] -- command [argument]...",
		Short: "Run a command while busy processes keep the machine's load average at n",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := Run(cmd.Context(), Options{
				Average: average, Command: args, Stdin: cmd.InOrStdin(), Stdout: cmd.OutOrStdout(), Stderr: cmd.ErrOrStderr(),
			})
			if err == nil && code != 0 {
				return ExitError(code)
			}
			return err
		},
	}
	cmd.Flags().Float64Var(&average, "average", 8, "the load average, over one minute")
	return cmd
}

// ExitError is the exit code of a command that ran and has said itself why it failed.
type ExitError int

func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }
