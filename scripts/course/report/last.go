package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
)

// last is a result as it is kept for commands that show it again.
type last struct {
	Command string           `json:"command"`
	Code    usage.Code       `json:"code"`
	Single  bool             `json:"single,omitempty"`
	Blocked *finding.Finding `json:"blocked,omitempty"`
	Own     []kept           `json:"own,omitempty"`
	Earlier []kept           `json:"earlier,omitempty"`
}

// kept is a verdict. The check itself is code.
type kept struct {
	Check     lesson.ID         `json:"check"`
	Findings  []finding.Finding `json:"findings,omitempty"`
	NotJudged string            `json:"notJudged,omitempty"`
	Explains  bool              `json:"explains,omitempty"`
}

func fileIn(folder string) string { return filepath.Join(folder, "last.json") }

// Keep keeps the result for Last, in place of the one before.
func (r Result) Keep(folder string) error {
	text, err := json.MarshalIndent(last{r.Command, r.Code, r.Single, r.Blocked, keep(r.Own), keep(r.Earlier)}, "", "  ")
	if err != nil {
		return err
	}
	if err := repo.Replace(fileIn(folder), text, 0o644); err != nil {
		return fmt.Errorf("keep the findings: %w", err)
	}
	return nil
}

// Last returns the result of the last run in a folder.
func Last(l usage.Lesson, folder string) (Result, error) {
	test := usage.Goal(l.Number) + " test"
	text, err := os.ReadFile(fileIn(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return Result{}, usage.Errorf("lesson %d has no finding, as nothing has been judged yet: %s judges your code", l.Number, test)
	}
	if err != nil {
		return Result{}, err
	}
	var of last
	if err := json.Unmarshal(text, &of); err != nil {
		return Result{}, fmt.Errorf("read the findings of the last run (%s judges again): %w", test, err)
	}
	r := Result{Lesson: l, Command: of.Command, Code: of.Code, Single: of.Single, Blocked: of.Blocked}
	if r.Own, err = verdicts(of.Own); err != nil {
		return Result{}, err
	}
	r.Earlier, err = verdicts(of.Earlier)
	return r, err
}

func keep(verdicts []judge.Verdict) []kept {
	var all []kept
	for _, v := range verdicts {
		all = append(all, kept{v.Check.ID, v.Findings, v.NotJudged, v.Explains})
	}
	return all
}

func verdicts(all []kept) ([]judge.Verdict, error) {
	var verdicts []judge.Verdict
	for _, one := range all {
		l, err := checks.Of(one.Check.Lesson())
		if err != nil {
			return nil, err
		}
		chosen, err := l.Choose(one.Check)
		if err != nil {
			return nil, fmt.Errorf("the checks have changed since the last run: %w", err)
		}
		verdicts = append(verdicts, judge.Verdict{Check: chosen[0], Findings: one.Findings, NotJudged: one.NotJudged, Explains: one.Explains})
	}
	return verdicts, nil
}
