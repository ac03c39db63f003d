package mutation

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// The record of a lesson is the file tests/mutation/judged/NN, from which the page is written: a line for each mutant that
// was judged, with its ID, its mark and the verdict. A mutant whose declaration has changed since counts as not judged. A
// change of the checks makes no line stale: the next run does.

// Recorded returns the verdicts of mutants, by their IDs. Those that have not been judged as they are now are missing.
func Recorded(number int, mutants []Mutant) (map[string]Verdict, error) {
	verdicts := map[string]Verdict{}
	file, err := record(number)
	if err != nil {
		return nil, err
	}
	text, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return verdicts, nil
	}
	if err != nil {
		return nil, err
	}
	defer text.Close()
	marks := map[string]string{}
	for _, m := range mutants {
		marks[m.ID] = m.mark
	}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		var id, mark, verdict string
		if _, err := fmt.Sscan(lines.Text(), &id, &mark, &verdict); err != nil {
			return nil, fmt.Errorf("read %s: %q: %w", repo.Short(file), lines.Text(), err)
		}
		if marks[id] == mark {
			verdicts[id] = Verdict(verdict)
		}
	}
	return verdicts, lines.Err()
}

// Record records the verdicts on mutants of a lesson, of which all are given.
func Record(number int, all []Mutant, verdicts map[string]Verdict) error {
	known, err := Recorded(number, all)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, m := range all {
		verdict := known[m.ID]
		if now, judged := verdicts[m.ID]; judged {
			verdict = now
		}
		if verdict != "" {
			fmt.Fprintln(&text, m.ID, m.mark, verdict)
		}
	}
	file, err := record(number)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text.String()), 0o644)
}

func record(number int) (string, error) {
	root, err := repo.Root()
	return filepath.Join(root, "tests", "mutation", "judged", fmt.Sprintf("%02d", number)), err
}
