package checks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/checks/internal/crds"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/finding"
)

// UnjudgeableError tells, by its finding, why no check can say anything: the types do not compile, or no
// CRD that an API server accepts can be made of them.
type UnjudgeableError = crds.UnjudgeableError

// APIOptions tell how to judge an API.
type APIOptions struct {
	Source string // the folder with its Go package
	Dir    string // for all that is made on the way

	// Cluster is a control plane that knows no SequentialJob, and knows none afterwards. There is one of
	// its own where it is nil.
	Cluster *cluster.Cluster

	Again func(Check) string // the command that judges a check again; may be nil
	Done  func(Verdict)      // is told of each verdict as soon as it is there; may be nil
}

// JudgeAPI holds an API to checks. The verdicts come in the order of the checks. The error is an
// *UnjudgeableError, the judge's own, or ctx's.
func JudgeAPI(ctx context.Context, lesson Lesson, chosen []Check, options APIOptions) (verdicts []Verdict, err error) {
	c, types, stop, err := options.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	served, err := crds.Serve(ctx, c, types)
	if err != nil {
		return nil, err
	}
	for _, check := range chosen {
		began := time.Now()
		findings, err := (&apiScene{API: served, ctx: ctx}).play(check)
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", check.ID, err)
		}
		for i := range findings {
			f := &findings[i]
			f.Check, f.Title, f.Why, f.Read = finding.Check(check.ID), check.Title, check.Why, lesson.Text()+"#"+check.Section
			if options.Again != nil {
				f.Again = options.Again(check)
			}
		}
		verdict := Verdict{Check: check, Findings: findings, Seconds: time.Since(began).Seconds()}
		verdicts = append(verdicts, verdict)
		if options.Done != nil {
			options.Done(verdict)
		}
	}
	return verdicts, nil
}

// prepare starts a control plane, if none is there, while it makes a CRD of the types.
func (o APIOptions) prepare(ctx context.Context) (c *cluster.Cluster, types *crds.Types, stop func() error, err error) {
	if o.Cluster != nil {
		types, err := crds.Make(ctx, o.Source, o.Dir)
		return o.Cluster, types, func() error { return crds.Remove(context.WithoutCancel(ctx), o.Cluster) }, err
	}
	preparing, both := errgroup.WithContext(ctx)
	preparing.Go(func() (err error) {
		types, err = crds.Make(both, o.Source, o.Dir)
		return err
	})
	starting, abandon := context.WithCancel(ctx)
	forget := context.AfterFunc(both, abandon) // nobody waits for a control plane that has nothing to serve
	preparing.Go(func() (err error) {
		c, err = cluster.Start(starting, cluster.Options{Dir: filepath.Join(o.Dir, "cluster")})
		forget()
		return err
	})
	err = preparing.Wait()
	stop = func() error {
		defer abandon()
		return c.Stop()
	}
	if err != nil && c != nil {
		_ = stop() // what follows from the other error says less
	}
	return c, types, stop, err
}

// apiScene is where a check of an API is played. As with Scene, what ends the check does not return.
type apiScene struct {
	*crds.API
	ctx context.Context
}

func (s *apiScene) play(check Check) (findings []finding.Finding, err error) {
	defer func() {
		switch ended := recover().(type) {
		case nil:
		case over:
			findings, err = ended.findings, ended.err
		default:
			panic(ended)
		}
	}()
	check.api(s)
	return nil, nil
}

func (s *apiScene) must(err error) {
	if err != nil {
		panic(over{err: err})
	}
}

// Find ends the check: this is what is wrong.
func (s *apiScene) Find(format string, args ...any) {
	panic(over{findings: []finding.Finding{{What: fmt.Sprintf(format, args...)}}})
}
