package explore

import (
	"fmt"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/markdown"
	"example.com/controller-course/tests/kit/repo"
)

// writeScoreboard writes what was explored into docs/reliability.md.
func (t *tally) writeScoreboard() error {
	section := fmt.Appendf(nil, "%s, without a finding. What happened in them:\n\n```\n%s```\n", t.judged(), t.coverage())
	return repo.Rewrite("docs/reliability.md", func(was []byte) ([]byte, error) {
		return markdown.WithPart(was, campaign.Explored, section)
	})
}
