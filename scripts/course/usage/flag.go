package usage

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError says in the words of make what is wrong with a flag. Make passes SEED=7 as --seed 7, and to the command about a lesson
// every option that the user has set.
func FlagError(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		kind := map[string]string{"int": "a number", "uint64": "a number", "duration": "a duration such as 5m"}[wrong.GetFlag().Value.Type()]
		if kind != "" {
			return Errorf("%s=%s can't be understood: it takes %s", strings.ToUpper(wrong.GetFlag().Name), wrong.GetValue(), kind)
		}
	}
	path := strings.Fields(cmd.CommandPath())[1:]
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || len(path) == 0 || path[0] != "lesson" && path[0] != "solution" {
		return err
	}
	number := "N"
	if cmd.Flags().NArg() > 0 {
		number = cmd.Flags().Arg(0)
	}
	path[0] += "-" + number
	says := fmt.Sprintf("make %s takes no %s", strings.Join(path, " "), strings.ToUpper(unknown.GetSpecifiedName()))
	var takes []string
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		if flag.Name != "help" {
			takes = append(takes, strings.ToUpper(flag.Name))
		}
	})
	if len(takes) > 0 {
		says += "; it takes " + strings.Join(takes, ", ")
	}
	return Errorf("%s", says)
}
