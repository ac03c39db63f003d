// Package generate writes the files in the repository that are derived from others.
package generate

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"example.com/controller-course/tests/concepts"
	"example.com/controller-course/tests/kit/repo"
)

// ConceptsCommand returns the command concepts.
func ConceptsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "concepts",
		Short: "Write docs/concepts.md: what the course teaches, where, and which checks test it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			root, err := repo.Root()
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := concepts.WriteConcepts(&text, root); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(root, "docs", "concepts.md"), text.Bytes(), 0o644)
		},
	}
}
