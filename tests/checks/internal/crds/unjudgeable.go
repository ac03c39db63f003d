package crds

import (
	"fmt"
	"path/filepath"
	"strings"

	"example.com/controller-course/scripts/repo"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
)

// UnjudgeableError tells that types are such that no check can say anything of them.
type UnjudgeableError struct{ Finding finding.Finding }

func (e *UnjudgeableError) Error() string { return e.Finding.What }

const nothingJudged = "Without a CRD there is nothing to judge, so no check says anything yet."

func notCompiled(err *process.BuildError) error {
	return &UnjudgeableError{finding.Finding{
		Check: "build", Title: "The types compile",
		What: fmt.Sprintf("The package in %s does not compile. The compiler says, with file:line:column:\n%s", err.Dir, Quoted(err.Output)),
		Why:  nothingJudged + " Begin with the first line: the others often follow from it.",
	}}
}

func badMarkers(source, said string) error {
	return &UnjudgeableError{finding.Finding{
		Check: "markers", Title: "controller-gen understands the markers",
		What: fmt.Sprintf("The package in %s compiles, but controller-gen cannot make a CRD of it. It says, with file:line:column:\n%s",
			short(source), Quoted(said)),
		Why: nothingJudged + " Markers are comments, so the compiler says nothing about them.",
	}}
}

func notMade(source, kinds string) error {
	made := "no CRD at all"
	if kinds != "" {
		made = "CRDs of other kinds only: " + kinds
	}
	return &UnjudgeableError{finding.Finding{
		Check: "markers", Title: "controller-gen understands the markers",
		What: fmt.Sprintf("Of the package in %s controller-gen makes %s. It makes one for each type that embeds both "+
			"metav1.TypeMeta and metav1.ObjectMeta, in a package with the marker +groupName. The kind is the type's name: %s.",
			short(source), made, Kind),
		Why: nothingJudged,
	}}
}

func refused(source string, err error) error {
	return &UnjudgeableError{finding.Finding{
		Check: "crd", Title: "The API server accepts the CRD",
		What: fmt.Sprintf("controller-gen makes a CRD of the package in %s, but the API server refuses it:\n%s", short(source), Quoted(err.Error())),
		Why: "Of a CRD that is refused nothing is served, so no check says anything yet. What it refuses most often are " +
			"validation rules: they are compiled, and what they may cost at worst is estimated, when the CRD is written. A list or a text without a " +
			"maximum counts as endless.",
	}}
}

// Quoted is what a program or a server said, set off from our own words.
func Quoted(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}

// short is a path from the repository's root on; unchanged where it does not lie there.
func short(path string) string {
	root, err := repo.Root()
	if err != nil {
		return path
	}
	if relative, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(relative) {
		return relative
	}
	return path
}
