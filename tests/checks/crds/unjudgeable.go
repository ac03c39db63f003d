package crds

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// UnjudgeableError tells that types are such that no check can say anything of them.
type UnjudgeableError struct{ Finding finding.Finding }

func (e *UnjudgeableError) Error() string { return e.Finding.What }

const nothingJudged = "Without a CRD there is nothing to judge, so no check says anything yet."

func notCompiled(err *process.BuildError) error {
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckBuild, Title: "The types compile",
		What: fmt.Sprintf("The package in %s does not compile. The compiler says, with file:line:column:\n%s", err.Dir, Quoted(err.Output)),
		Why:  nothingJudged + " Begin with the first line: the others often follow from it.",
	}}
}

func badMarkers(source, said string) error {
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckMarkers, Title: "controller-gen understands the markers",
		What: fmt.Sprintf("The package in %s compiles, but controller-gen cannot make a CRD of it. It says, with file:line:column:\n%s",
			repo.Short(source), Quoted(said)),
		Why: nothingJudged + " Markers are comments, so the compiler says nothing about them.",
	}}
}

// howToGenerate is what the line that has a CRD made looks like.
const howToGenerate = "//go:generate go tool -modfile=../../scripts/tools/go.mod controller-gen paths=. crd:… output:crd:dir=../../.cache/crd"

func notGenerated(from line) error {
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckMarkers, Title: "The package says how its CRD is made",
		What: fmt.Sprintf("%s is to have controller-gen make a CRD, but it does not:\n%s\nThe line has to look like this, with no space before go:generate, "+
			"and with what the CRD is to be like after \"crd:\":\n%s", from.place, Quoted(from.text), Quoted(howToGenerate)),
		Why: nothingJudged + " It is made by the option in that line.",
	}}
}

func badOptions(from line, said string) error {
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckMarkers, Title: "controller-gen understands its options",
		What: fmt.Sprintf("%s has an option that controller-gen does not understand:\n%s\nIt says:\n%s\nWhich options can follow \"crd:\" is told by\n%s",
			from.place, Quoted(from.text), Quoted(said), Quoted("go tool -modfile=scripts/tools/go.mod controller-gen crd -h")),
		Why: nothingJudged + " It is made by the option in that line.",
	}}
}

func strangers(source string, places []string) error {
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckMarkers, Title: "controller-gen understands the markers",
		What: fmt.Sprintf("In the package in %s are markers that controller-gen does not know:\n%s\n"+
			"All that it knows are listed by\n%s", repo.Short(source), Quoted(strings.Join(places, "\n")),
			Quoted("go tool -modfile=scripts/tools/go.mod controller-gen crd -w")),
		Why: "A marker that is not known is a comment: it changes nothing, and nobody says so. The checks would tell only what " +
			"follows from it, so nothing was judged yet.",
	}}
}

func notMade(source, kinds string) error {
	made := "no CRD at all"
	if kinds != "" {
		made = "CRDs of other kinds only: " + kinds
	}
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckMarkers, Title: "controller-gen understands the markers",
		What: fmt.Sprintf("Of the package in %s controller-gen makes %s. It makes one for each type that embeds both "+
			"metav1.TypeMeta and metav1.ObjectMeta, in a package with the marker +groupName. The kind is the type's name: %s.",
			repo.Short(source), made, Kind),
		Why: nothingJudged,
	}}
}

// What of a path into a CRD's schema says nothing of the API: that of spec.steps is
// spec.validation.openAPIV3Schema.properties[spec].properties[steps].
var (
	schemaRoot  = strings.NewReplacer("spec.validation.openAPIV3Schema.", "", ".items.", "[].")
	schemaField = regexp.MustCompile(`properties\[([^\]]+)\]`)
)

// mostCauses is how many of the API server's objections a finding shows; the others are often the same.
const mostCauses = 3

func refused(source string, refusal Refusal) error {
	causes := refusal.Causes
	if more := len(causes) - mostCauses; more > 0 {
		causes = append(slices.Clone(causes[:mostCauses]), fmt.Sprintf("(and %d more)", more))
	}
	said := schemaField.ReplaceAllString(schemaRoot.Replace(strings.Join(causes, "\n")), "$1")
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckCRD, Title: "The API server accepts the CRD",
		What: fmt.Sprintf("controller-gen makes a CRD of the package in %s, but the API server refuses it:\n%s", repo.Short(source), Quoted(said)),
		Why: "Of a CRD that is refused nothing is served, so no check says anything yet. When a CRD is written, its validation " +
			"rules are compiled, and it is estimated what they may cost at worst; a list or a text without a maximum counts as " +
			"endless. Rules with oldSelf need to know which entry of a list was which before, so they do not stand within plain lists; " +
			"the Job API's own types have such rules.",
	}}
}

// Quoted is what a program or a server said, set off from our own words.
func Quoted(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
