package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/repo"
)

// writeScoreboard writes what was explored into docs/reliability.md.
func (t *tally) writeScoreboard() error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	page := filepath.Join(root, "docs", "reliability.md")
	was, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	section := fmt.Appendf(nil, "%s in %s, from seed %d on, without a finding. What happened in them:\n\n```\n%s```\n",
		counted(t.runs, "run"), time.Since(t.began).Round(time.Second), t.first, t.coverage())
	now, err := markdown.WithPart(was, campaign.Explored, section)
	if err != nil {
		return fmt.Errorf("docs/reliability.md: %w", err)
	}
	return os.WriteFile(page, now, 0o644)
}
