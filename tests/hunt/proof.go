package hunt

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/mutants"
)

// A proof is a line in the file "proven" in a mutant's folder: the mutant's ID, a hash of its edits, and each check by which it was judged, with
// a hash of what decides the outcome, and an exclamation mark if the mutant failed it:
//
//	L6-01 8232ff57 6.1=93a7bf25! 6.2=38b0c6fc
//
// A mutant of the finished operator is judged by the campaign. When its edits change, everything is tried again; when a check changes, that
// check; and when the code that it edits changes, what must catch it. A change of the kit makes no proof stale: it concerns all of them. CI
// notices what the other checks make of such changes, by trying some of all mutants each time.
type proof struct {
	edits  string
	judged map[string]outcome // by the check's ID
}

type outcome struct {
	hash   string
	failed bool
}

// byCampaign is what a mutant of the finished operator is judged by.
const byCampaign = "campaign"

// Trial is a mutant, and what it has to be judged by.
type Trial struct {
	Mutant mutants.Mutant
	Checks []lesson.ID // of its lesson; none for the finished operator's
	Whole  bool        // some checks of earlier lessons judge it too
}

// Whole are trials of mutants by all that can judge them.
func Whole(all []mutants.Mutant) (trials []Trial, err error) {
	for _, mutant := range all {
		trial, err := whole(mutant)
		if err != nil {
			return nil, err
		}
		trials = append(trials, trial)
	}
	return trials, nil
}

func whole(mutant mutants.Mutant) (Trial, error) {
	ids, err := judgedBy(mutant)
	return Trial{Mutant: mutant, Checks: ids, Whole: true}, err
}

// judgedBy are the checks of its lesson by which a mutant is judged. Where it has a world of its own, only the check that must catch it
// there; and those that play generated runs only if they must catch it, because they may fail whatever is wrong.
func judgedBy(mutant mutants.Mutant) (ids []lesson.ID, err error) {
	if mutant.Lesson == 0 {
		return nil, nil
	}
	own, err := checks.Of(mutant.Lesson)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", mutant, err)
	}
	for _, check := range own.Checks {
		named := string(check.ID) == mutant.CaughtBy.Check
		if named || mutant.World == "" && !checks.IsGenerated(check.ID) {
			ids = append(ids, check.ID)
		}
	}
	return ids, nil
}

// Stale returns a trial of each mutant of which it is not proven that it is caught as its file says: by what has changed since, or by
// everything if its edits have changed or if it was not caught like that.
func Stale(all []mutants.Mutant) (trials []Trial, err error) {
	p, err := newProofs()
	if err != nil {
		return nil, err
	}
	for _, mutant := range all {
		known, err := p.read(mutant)
		if err != nil {
			return nil, err
		}
		trial, err := p.stale(mutant, known[mutant.ID])
		if err != nil {
			return nil, err
		}
		if trial != nil {
			trials = append(trials, *trial)
		}
	}
	return trials, nil
}

// stale is the trial that a mutant needs, given what is known of it; nil if it needs none.
func (p proofs) stale(mutant mutants.Mutant, known proof) (*Trial, error) {
	trial, err := whole(mutant)
	if err != nil {
		return nil, err
	}
	if known.edits != hashOfEdits(mutant) {
		return &trial, nil
	}
	if mutant.Lesson == 0 {
		hash, err := p.hashOf(mutant, byCampaign)
		if err == nil && known.judged[byCampaign] == (outcome{hash, true}) {
			return nil, nil
		}
		return &trial, err
	}
	var changed []lesson.ID
	for _, id := range trial.Checks {
		hash, err := p.hashOf(mutant, string(id))
		if err != nil {
			return nil, err
		}
		if known.judged[string(id)].hash != hash {
			changed = append(changed, id)
		}
	}
	var failed []string
	for id, outcome := range known.judged {
		if outcome.failed && !slices.Contains(changed, lesson.ID(id)) {
			failed = append(failed, id)
		}
	}
	if !slices.Contains(changed, lesson.ID(mutant.CaughtBy.Check)) && unlike(mutant, failed) != "" {
		return &trial, nil
	}
	if len(changed) == 0 {
		return nil, nil
	}
	trial.Checks, trial.Whole = changed, false
	return &trial, nil
}

// Record notes by what a mutant was judged as the repository is now, and whether it failed there.
func Record(mutant mutants.Mutant, failed map[string]bool) error {
	p, err := newProofs()
	if err != nil {
		return err
	}
	all, err := p.read(mutant)
	if err != nil {
		return err
	}
	known, edits := all[mutant.ID], hashOfEdits(mutant)
	if known.edits != edits {
		known = proof{edits, map[string]outcome{}}
	}
	for id, failed := range failed {
		hash, err := p.hashOf(mutant, id)
		if err != nil {
			return err
		}
		known.judged[id] = outcome{hash, failed}
	}
	all[mutant.ID] = known
	return p.write(mutant, all)
}

// proofs reads and writes proofs. It remembers the hashes of what mutants are judged by.
type proofs struct {
	root   string
	hashes map[string]string // by the check's ID
}

func newProofs() (proofs, error) {
	root, err := repo.Root()
	return proofs{root: root, hashes: map[string]string{}}, err
}

func (p proofs) file(mutant mutants.Mutant) string {
	return filepath.Join(p.root, mutant.Folder(), "proven")
}

// read returns what is known of the mutants in a mutant's folder, by their IDs.
func (p proofs) read(mutant mutants.Mutant) (map[string]proof, error) {
	all := map[string]proof{}
	text, err := os.Open(p.file(mutant))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	defer text.Close()
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 2 {
			continue
		}
		known := proof{words[1], map[string]outcome{}}
		for _, word := range words[2:] {
			id, hash, _ := strings.Cut(word, "=")
			hash, failed := strings.CutSuffix(hash, "!")
			known.judged[id] = outcome{hash, failed}
		}
		all[words[0]] = known
	}
	return all, lines.Err()
}

func (p proofs) write(mutant mutants.Mutant, all map[string]proof) error {
	var text strings.Builder
	for _, id := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&text, "%s %s", id, all[id].edits)
		for _, judge := range slices.Sorted(maps.Keys(all[id].judged)) {
			mark := map[bool]string{true: "!"}[all[id].judged[judge].failed]
			fmt.Fprintf(&text, " %s=%s%s", judge, all[id].judged[judge].hash, mark)
		}
		fmt.Fprintln(&text)
	}
	return os.WriteFile(p.file(mutant), []byte(text.String()), 0o644)
}

// hashOf is the hash of what decides whether a mutant fails a check or the campaign. If that is what must catch it, the mutant's whole code is
// part of it.
func (p proofs) hashOf(mutant mutants.Mutant, judge string) (string, error) {
	of, err := p.hashOfJudge(judge)
	if err != nil || judge != byCampaign && judge != mutant.CaughtBy.Check {
		return of, err
	}
	edited, err := mutant.Edited()
	if err != nil {
		return "", err
	}
	text, err := p.code(mutant.Source(), edited)
	return hash(of + "\n" + text), err
}

// hashOfJudge is the hash of what a check, or the campaign, does.
func (p proofs) hashOfJudge(judge string) (string, error) {
	if _, is := p.hashes[judge]; is {
		return p.hashes[judge], nil
	}
	if judge == byCampaign {
		text, err := p.code("tests/campaign", nil)
		p.hashes[judge] = hash(text)
		return p.hashes[judge], err
	}
	l, err := checks.Of(lesson.ID(judge).Lesson())
	if err != nil {
		return "", err
	}
	of, err := checkHashes(p.root, l)
	maps.Copy(p.hashes, of)
	return p.hashes[judge], err
}

// hashOfEdits is the hash of what a mutant does wrong, and of what it says must catch it where.
func hashOfEdits(mutant mutants.Mutant) string {
	return hash(fmt.Sprintln(mutant.CaughtBy, mutant.World, mutant.Edits))
}

// comment is a line that has only a comment, or a mark of an exercise, from which the starter is made. Other comments are read by programs.
var comment = regexp.MustCompile(`(?m)^\s*//( [^+]|exercise:).*\n`)

// code is the text of the Go files in a folder, and below it, as a mutant has them. Tests, comments and exercises' marks decide nothing.
func (p proofs) code(folder string, edited map[string][]byte) (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(filepath.Join(p.root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name, err := filepath.Rel(p.root, path)
		if err != nil {
			return err
		}
		text, changed := edited[filepath.ToSlash(name)]
		if !changed {
			if text, err = os.ReadFile(path); err != nil {
				return err
			}
		}
		text = comment.ReplaceAll(text, nil)
		_, err = fmt.Fprintf(&all, "%s %d\n%s\n", name, len(text), text)
		return err
	})
	return all.String(), err
}
