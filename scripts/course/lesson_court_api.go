package main

import (
	"context"
	"errors"
	"path/filepath"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/cluster"
	findings "example.com/controller-course/tests/kit/finding"
)

// An apiCourt judges APIs. Each needs a control plane that knows no other of its kind.
type apiCourt struct {
	ctx    context.Context
	dir    string
	source string

	kept    bool             // the control plane stays up for the next judging
	cluster *cluster.Cluster // nil until then
}

func (c *apiCourt) close() error {
	if c.cluster == nil {
		return nil
	}
	return c.cluster.Stop()
}

func (c *apiCourt) prepare(_ context.Context, judged code, _ *times) (*findings.Finding, error) {
	c.source = judged.folder
	if !c.kept || c.cluster != nil && !c.hasEnded() {
		return nil, nil
	}
	var err error
	c.cluster, err = cluster.Start(c.ctx, cluster.Options{Dir: filepath.Join(c.dir, "cluster")})
	return nil, err
}

func (c *apiCourt) hasEnded() bool {
	select {
	case <-c.cluster.Done():
		return true
	default:
		return false
	}
}

func (c *apiCourt) judge(ctx context.Context, lesson checks.Lesson, chosen []checks.Check, told hearing) (
	[]checks.Verdict, *findings.Finding, error,
) {
	verdicts, err := checks.JudgeAPI(ctx, lesson, chosen, checks.APIOptions{
		Source: c.source, Dir: filepath.Join(c.dir, "api"), Cluster: c.cluster, Again: told.again, Done: told.say,
	})
	var unjudgeable *checks.UnjudgeableError
	if errors.As(err, &unjudgeable) {
		return nil, &unjudgeable.Finding, nil
	}
	return verdicts, nil, err
}
