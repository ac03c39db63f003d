package report

import (
	"context"
	"errors"
	"io"

	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/subject"
)

// Build builds code into a folder. If that is not possible, it writes the finding that says why.
func Build(ctx context.Context, code judge.Code, dir string, out io.Writer) (subject.Subject, error) {
	built, blocked, err := code.Build(ctx, dir)
	if blocked != nil {
		err = errors.Join(Finding(out, *blocked), errors.New("there is nothing to run"))
	}
	return built, err
}
