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

	"example.com/controller-course/scripts/repo"
)

// usualOption has controller-gen make the CRD as it does for the finished operator.
const usualOption = "crd:maxDescLen=0,generateEmbeddedObjectMeta=true"

// generate has controller-gen make CRDs in the folder dir.
func (t *Types) generate(ctx context.Context, dir string) error {
	root, err := repo.Root()
	if err != nil {
		return err
	}
	if t.Option, err = optionOf(t.Source); err != nil {
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
		return badMarkers(t.Source, said(string(output), root))
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

// generateLine is the line by which "go generate" runs controller-gen.
var generateLine = regexp.MustCompile(`(?m)^//go:generate\s(.*\bcontroller-gen\s.*)$`)

// optionOf is the option by which a package itself has its CRD made. One that does not say it gets the
// usual one.
func optionOf(source string) (string, error) {
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		for _, line := range generateLine.FindAllSubmatch(text, -1) {
			for word := range strings.FieldsSeq(string(line[1])) {
				if word = strings.Trim(word, `"`); word == "crd" || strings.HasPrefix(word, "crd:") {
					return word, nil
				}
			}
		}
	}
	return usualOption, nil
}

// place is where controller-gen says that something is wrong.
var place = regexp.MustCompile(`(?m)^.*\.go:\d+:\d+: .*$`)

// mostLines is how much controller-gen may say; what it says first is what counts.
const mostLines = 20

// said are the lines of controller-gen that name a place, with paths from the repository's root on. What it
// says of its own usage helps nobody here.
func said(output, root string) string {
	lines := slices.Compact(place.FindAllString(output, -1))
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("(and %d more lines)", more))
	}
	return strings.ReplaceAll(strings.Join(lines, "\n"), root+string(filepath.Separator), "")
}
