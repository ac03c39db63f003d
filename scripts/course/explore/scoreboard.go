package explore

import (
	"fmt"
	"time"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/repo"
)

// writeScoreboard writes what was explored into docs/reliability.md.
func (t *tally) writeScoreboard() error {
	section := fmt.Appendf(nil, "%s in %s, from seed %d on, without a finding. What happened in them:\n\n```\n%s```\n",
		scene.Counted(t.runs, "run", "runs"), time.Since(t.began).Round(time.Second), t.first, t.coverage())
	return repo.Rewrite("docs/reliability.md", func(was []byte) ([]byte, error) {
		return markdown.WithPart(was, campaign.Explored, section)
	})
}
