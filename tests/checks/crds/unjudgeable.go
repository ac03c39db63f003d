package crds

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// UnjudgeableError says that no check can judge some types.
type UnjudgeableError struct{ Finding finding.Finding }

func (e *UnjudgeableError) Error() string { return e.Finding.What }

func unjudgeable(check finding.Check, title, why, what string, args ...any) error {
	return &UnjudgeableError{finding.Finding{Check: check, Title: title, Why: why, What: fmt.Sprintf(what, args...)}}
}

const (
	nothingJudged = "Without a CRD there is nothing to judge, so no check has run yet."
	byTheOption   = nothingJudged + " The option in that line decides how the CRD is made."
	understood    = "controller-gen understands the markers"
	tool          = "go tool -modfile=scripts/tools/go.mod controller-gen "
)

func notCompiled(err *process.BuildError) error {
	return unjudgeable(finding.CheckBuild, "The types compile",
		nothingJudged+" Start with the first error: the others often follow from it.",
		"The package in %s does not compile. The compiler reports, with file:line:column:\n%s", err.Dir, Quoted(err.Output))
}

func badMarkers(source, said string) error {
	return unjudgeable(finding.CheckMarkers, understood,
		nothingJudged+" Markers are comments, so the compiler does not check them.",
		"The package in %s compiles, but controller-gen can't make a CRD from it. It reports, with file:line:column:\n%s",
		repo.Short(source), Quoted(said))
}

// howToGenerate is the form of the line that makes a CRD.
const howToGenerate = "//go:generate go tool -modfile=../../scripts/tools/go.mod controller-gen paths=. crd:… output:crd:dir=../../.cache/crd"

func notGenerated(from line) error {
	return unjudgeable(finding.CheckMarkers, "The package says how its CRD is made", byTheOption,
		"%s should have controller-gen make a CRD, but it does not:\n%s\nThe line needs this form, with no space before go:generate, "+
			"and with the options for the CRD after \"crd:\":\n%s", from.place, Quoted(from.text), Quoted(howToGenerate))
}

func badOptions(from line, said string) error {
	return unjudgeable(finding.CheckMarkers, "controller-gen understands its options", byTheOption,
		"%s has an option that controller-gen does not understand:\n%s\nIt reports:\n%s\nThis lists the options that can follow \"crd:\":\n%s",
		from.place, Quoted(from.text), Quoted(said), Quoted(tool+"crd -hh"))
}

func unknownMarkers(source string, places []string) error {
	return unjudgeable(finding.CheckMarkers, understood,
		"To controller-gen an unknown marker is a comment: it has no effect, and nothing reports it. The checks would only show "+
			"the consequences, so nothing was judged yet.",
		"controller-gen does not know these markers of the package in %s:\n%s\nThis lists all that it knows:\n%s",
		repo.Short(source), Quoted(strings.Join(places, "\n")), Quoted(tool+"crd -ww"))
}

func notMade(source, kinds string) error {
	made := "no CRD"
	if kinds != "" {
		made = "only CRDs of other kinds: " + kinds
	}
	return unjudgeable(finding.CheckMarkers, understood, nothingJudged,
		"From the package in %s controller-gen makes %s. It makes a CRD for each type that embeds both metav1.TypeMeta and "+
			"metav1.ObjectMeta, in a package with the marker +groupName. The name of the type is the kind: %s.", repo.Short(source), made, Kind)
}

// The parts of a path into a CRD's schema that say nothing about the API: that of spec.steps is
// spec.validation.openAPIV3Schema.properties[spec].properties[steps].
var (
	schemaRoot  = strings.NewReplacer("spec.validation.openAPIV3Schema.", "", ".items.", "[].")
	schemaField = regexp.MustCompile(`properties\[([^\]]+)\]`)
)

// mostCauses is how many of the API server's objections a finding shows; the others are often the same.
const mostCauses = 3

func refused(source string, refusal Refusal) error {
	causes := slices.Clone(refusal.Causes)
	more := len(causes) - mostCauses
	causes = causes[:min(len(causes), mostCauses)]
	for i, cause := range causes {
		causes[i] = plainly(schemaField.ReplaceAllString(schemaRoot.Replace(cause), "$1"))
	}
	if more > 0 {
		causes = append(causes, fmt.Sprintf("(and %d more)", more))
	}
	said := strings.Join(causes, "\n")
	why := "Without its CRD the kind is not served, so no check has run yet. When you create a CRD, the API server compiles its validation rules."
	read := text + "#writing-rules"
	switch {
	case strings.Contains(said, "rule cost"):
		why += " It also estimates their worst-case cost. Lists and strings without a maximum count as unlimited."
		read = "docs/cel-cost.md"
	case strings.Contains(said, "oldSelf cannot be used"):
		why += " A rule with oldSelf must be able to match old and new list entries, so it can't be inside a plain list. The Job API's own " +
			"types have such rules."
		read = text + "#embed-what-is-there"
	}
	return &UnjudgeableError{finding.Finding{
		Check: finding.CheckCRD, Title: "The API server accepts the CRD", Why: why, Read: read,
		What: fmt.Sprintf("controller-gen makes a CRD from the package in %s, but the API server refuses it:\n%s", repo.Short(source), Quoted(said)),
	}}
}

// text is the lesson's text, which explains rules.
const text = "lessons/02-api/README.md"

var (
	// pointers are the lines in which CEL repeats a rule and points into it. They mean nothing once they are wrapped.
	pointers = regexp.MustCompile(`\n \| [^\n]*`)
	atColumn = regexp.MustCompile(`ERROR: <input>:1:(\d+): `)
)

// plainly is what the API server says of a rule, for people: the rule itself instead of its JSON, and then what is wrong,
// each in a line of its own.
func plainly(cause string) string {
	cause = atColumn.ReplaceAllString(pointers.ReplaceAllString(cause, ""), "character $1: ")
	const value = "Invalid value: "
	field, quoted, is := strings.Cut(cause, value+"{")
	if !is {
		return cause
	}
	quoted = "{" + quoted
	var refused struct{ Rule string }
	decoder := json.NewDecoder(strings.NewReader(quoted))
	if decoder.Decode(&refused) != nil || refused.Rule == "" {
		return cause
	}
	wrong := strings.TrimPrefix(quoted[decoder.InputOffset():], ": ")
	return strings.TrimSpace(field) + "\n" + Quoted(refused.Rule+"\n"+wrong)
}

// Quoted indents what a program or a server said.
func Quoted(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ")
}
