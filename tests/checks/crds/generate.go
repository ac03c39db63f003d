package crds

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/repo"
)

// usualOption has controller-gen make the CRD as it does for the finished operator.
const usualOption = "crd:maxDescLen=0,generateEmbeddedObjectMeta=true"

// generate has controller-gen make CRDs in the folder dir.
func (t *Types) generate(ctx context.Context, dir string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	var said line
	if t.Option, said, err = optionOf(t.Source); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	generate, err := t.controllerGen(ctx, "paths=.", t.Option, "output:crd:dir="+dir)
	if err != nil {
		return err
	}
	output, err := generate.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("run controller-gen on %s: %w", t.Source, context.Cause(ctx))
	case errors.As(err, &exit) && place.Match(output):
		return badMarkers(t.Source, complaints(string(output), root))
	case errors.As(err, &exit) && badOption.Match(output):
		return badOptions(said, string(badOption.FindSubmatch(output)[1]))
	case err != nil:
		return fmt.Errorf("run controller-gen on %s: %w\n%s", t.Source, err, strings.TrimSpace(string(output)))
	}
	return t.choose(dir)
}

// controllerGen is a command that runs controller-gen in the types' folder.
func (t *Types) controllerGen(ctx context.Context, args ...string) (*exec.Cmd, error) {
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	tool := []string{"tool", "-modfile=" + filepath.Join(root, "scripts", "tools", "go.mod"), "controller-gen"}
	command := exec.CommandContext(ctx, "go", append(tool, args...)...)
	command.Dir = t.Source
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 10 * time.Second
	return command, nil
}

// line is a line of somebody's code.
type line struct{ place, text string }

var (
	// generateLine is the line by which "go generate" runs controller-gen.
	generateLine = regexp.MustCompile(`^//go:generate[ \t](.*\bcontroller-gen(?:@\S+)?[ \t].*)$`)
	// meantLine is a line that is meant to have a CRD made, whether "go generate" sees it or not.
	meantLine = regexp.MustCompile(`(?i)^[ \t]*//[ \t+]*go:[ \t]*generate\b.*\bcontroller-gen\b.*\bcrd`)
)

// optionOf is the option by which a package itself has its CRD made, and the line that says so. One that does
// not say it gets the usual one. It returns an *UnjudgeableError where the package seems to say it and does not.
func optionOf(source string) (option string, from line, err error) {
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return "", line{}, err
	}
	var meant *line
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", line{}, err
		}
		for i, one := range strings.Split(string(text), "\n") {
			one = strings.TrimRight(one, "\r")
			here := line{fmt.Sprintf("%s:%d", repo.Short(file), i+1), one}
			if command := generateLine.FindStringSubmatch(one); command != nil {
				for word := range strings.FieldsSeq(command[1]) {
					if word = strings.Trim(word, `"`); word == "crd" || strings.HasPrefix(word, "crd:") {
						return word, here, nil
					}
				}
			}
			if meant == nil && meantLine.MatchString(one) {
				meant = &here
			}
		}
	}
	if meant != nil {
		return "", line{}, notGenerated(*meant)
	}
	return usualOption, line{}, nil
}

// badOption is what controller-gen says of an option that it cannot read, before it explains its usage.
var badOption = regexp.MustCompile(`(?m)^(?:Error: )?((?:unable to parse|unknown) option .*)$`)

// place is where controller-gen says that something is wrong.
var place = regexp.MustCompile(`(?m)^.*\.go:\d+:\d+: .*$`)

// mostLines is how much controller-gen may say; what it says first is what counts.
const mostLines = 20

// complaints are the lines of controller-gen that name a place, with paths from the repository's root on. What
// it says of its own usage helps nobody here.
func complaints(output, root string) string {
	lines := slices.Compact(place.FindAllString(output, -1))
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("(and %d more lines)", more))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), root+string(filepath.Separator), "")
}
