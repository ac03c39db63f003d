package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/diagnosis"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// A problem is what is wrong, in the order in which a learner reads about it.
type problem struct {
	root         judge.Verdict
	finding      finding.Finding // of root
	consequences []judge.Verdict
	others       []judge.Verdict
	unfinished   bool // then others come after root
}

// problem diagnoses the checks that failed, of which there is at least one. A check that explains what the role does
// not allow comes first, then a finding about the program itself: each may make any other check fail.
func (r Result) problem() (problem, error) {
	bad := r.failing()
	if i := slices.IndexFunc(bad, func(v judge.Verdict) bool { return v.Explains }); i >= 0 {
		return problem{root: bad[i], finding: bad[i].Findings[0], consequences: slices.Delete(slices.Clone(bad), i, i+1)}, nil
	}
	for i, verdict := range bad {
		n := slices.IndexFunc(verdict.Findings, func(f finding.Finding) bool { return f.Check.OfProgram() })
		if n >= 0 {
			return problem{root: verdict, finding: verdict.Findings[n], consequences: slices.Delete(slices.Clone(bad), i, i+1)}, nil
		}
	}
	l, err := checks.Of(bad[0].Check.ID.Lesson())
	if err != nil {
		return problem{}, err
	}
	known, err := diagnosis.Known(l.Number)
	if err != nil {
		return problem{}, err
	}
	var failed []diagnosis.Failure
	for _, verdict := range bad {
		general := checks.IsGenerated(verdict.Check.ID) && len(bad) > 1 // it may fail whatever is wrong
		if verdict.Check.ID.Lesson() == l.Number && !general {
			failed = append(failed, diagnosis.Failure{Check: verdict.Check.ID, Waited: verdict.Findings[0].Waited})
		}
	}
	diagnosed := diagnosis.Of(failed, diagnosis.Checks(l), known)
	p := problem{unfinished: diagnosed.Unfinished}
	for _, verdict := range bad {
		switch id := verdict.Check.ID; {
		case id == diagnosed.Root:
			p.root, p.finding = verdict, verdict.Findings[0]
		case slices.Contains(diagnosed.Consequences, id):
			p.consequences = append(p.consequences, verdict)
		default:
			p.others = append(p.others, verdict)
		}
	}
	return p, nil
}

// failing are the checks that failed: the lesson's own or, if these pass, those of earlier lessons.
func (r Result) failing() []judge.Verdict {
	if bad := Failing(r.Own); len(bad) > 0 {
		return bad
	}
	return Failing(r.Earlier)
}

// Root is the check of the lesson to start with; empty if none of the lesson's own failed.
func (r Result) Root() (lesson.ID, error) {
	if r.Blocked != nil || len(Failing(r.Own)) == 0 {
		return "", nil
	}
	p, err := r.problem()
	return p.root.Check.ID, err
}

// WriteProblem writes what is wrong, if anything is: the checks that failed, and the finding to start with.
func (r Result) WriteProblem(out io.Writer) error {
	if r.Blocked != nil {
		return r.writeBlocked(out)
	}
	if len(r.failing()) == 0 {
		return nil
	}
	p, err := r.problem()
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	rest := slices.Concat(p.consequences, p.others)
	if len(rest) > 0 {
		fmt.Fprintf(out, "Start with: %s\n", p.finding.Check)
		writeList(out, "May be consequences of it", p.consequences)
		if p.unfinished {
			writeList(out, "After that", p.others)
		} else {
			writeList(out, "Perhaps other mistakes", p.others)
		}
		fmt.Fprintln(out)
	}
	if err := Finding(out, p.finding); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if len(rest) > 0 {
		fmt.Fprintf(out, "Another finding: %s\n", r.another(rest[0]))
	}
	if r.Code.Own { // hints are for the author of the code
		fmt.Fprintf(out, "A hint: %s\n", r.hint(p.root.Check.ID))
	}
	return nil
}

// writeList writes a heading and the numbers of failed checks. Their titles are above, among those of all checks.
func writeList(out io.Writer, heading string, failed []judge.Verdict) {
	if len(failed) > 0 {
		fmt.Fprintln(out, strings.Join(finding.Wrap(heading+": "+IDs(failed), finding.Width), "\n"))
	}
}

func (r Result) writeBlocked(out io.Writer) error {
	if r.Lines > 0 {
		fmt.Fprintln(out)
	}
	if err := Finding(out, *r.Blocked); err != nil {
		return err
	}
	fmt.Fprintln(out, "\nNothing was judged.")
	return nil
}

// another is the command that shows the finding of a check: of the last run or, for code that is not the learner's own,
// which no command about the last run is for, by judging again.
func (r Result) another(failed judge.Verdict) string {
	if !r.Code.Own {
		return r.Again(failed.Check, failed.World)
	}
	return usage.Goal(r.Lesson.Number) + " finding" + usage.Check(failed.Check.ID)
}

// hint is the command that helps with a check. Without CHECK it helps with the check of the lesson to start with.
func (r Result) hint(id lesson.ID) string {
	if !r.Single && len(Failing(r.Own)) > 0 {
		return usage.Goal(r.Lesson.Number) + " hint"
	}
	return usage.Hint(id)
}

// ShowProblem writes what is wrong or, if nothing is, why there is no finding.
func (r Result) ShowProblem(out io.Writer) error {
	if r.Failed() {
		return r.WriteProblem(out)
	}
	unjudged := slices.Concat(Unjudged(r.Own), Unjudged(r.Earlier))
	if len(unjudged) == 0 {
		fmt.Fprintln(out, "Everything passed that was judged in the last run, so there is no finding.")
		return nil
	}
	fmt.Fprintln(out, "Nothing failed in the last run, so there is no finding. Not judged:")
	for _, verdict := range unjudged {
		fmt.Fprintf(out, "  %s %s: %s\n", verdict.Check.ID, verdict.Check.Title, verdict.NotJudged)
	}
	return nil
}

// Show writes what one check found.
func (r Result) Show(out io.Writer, id lesson.ID) error {
	judged := slices.Concat(r.Own, r.Earlier)
	i := slices.IndexFunc(judged, func(v judge.Verdict) bool { return v.Check.ID == id })
	this := usage.Goal(r.Lesson.Number)
	switch {
	case r.Blocked != nil:
		return usage.Errorf("the last run could not judge anything: %s finding says why", this)
	case i < 0:
		if _, err := r.Lesson.Check(id, usage.Finding); err != nil {
			return err
		}
		return usage.Errorf("check %s was not judged in the last run: %s test judges by all checks", id, this)
	case len(judged[i].Findings) > 0:
		return writeAll(out, judged[i].Findings)
	}
	if why := judged[i].NotJudged; why != "" {
		return usage.Errorf("check %s could not be judged in the last run, so there is no finding of it: %s", id, why)
	}
	failed := "no check failed"
	if bad := r.failing(); len(bad) > 0 {
		failed = "there is one of " + IDs(bad)
	}
	return usage.Errorf("check %s passed in the last run, so there is no finding of it; %s", id, failed)
}

func writeAll(out io.Writer, findings []finding.Finding) error {
	for i, found := range findings {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if err := Finding(out, found); err != nil {
			return err
		}
	}
	return nil
}
