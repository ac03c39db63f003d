package process

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

	"example.com/controller-course/tests/kit/repo"
)

// BuildError reports that a controller could not be built, for a reason that lies in its code.
type BuildError struct {
	Dir    string // the folder that was built
	Output string // what the compiler said, at most mostLines of it, with paths from the repository's root
}

func (e *BuildError) Error() string { return fmt.Sprintf("build %s:\n%s", e.Dir, e.Output) }

// NotMain says that the package is not a main package, of which a program would come.
func (e *BuildError) NotMain() bool {
	return strings.Contains(e.Output, "-buildmode=exe requires exactly one main package")
}

// mostLines is how much a compiler may say; what it says first is what counts.
const mostLines = 20

// Build compiles the main package in dir to the file binary. It returns a *BuildError if it doesn't compile.
func Build(ctx context.Context, dir, binary string) error {
	return goBuild(ctx, dir, ".", nil, program(binary)...)
}

// BuildForContainer is Build for a container that has nothing else in it.
func BuildForContainer(ctx context.Context, dir, binary string) error {
	return BuildPackageForContainer(ctx, dir, ".", binary)
}

// BuildPackageForContainer is BuildForContainer for a package that the module in dir requires.
func BuildPackageForContainer(ctx context.Context, dir, pkg, binary string) error {
	return goBuild(ctx, dir, pkg, []string{"CGO_ENABLED=0", "GOOS=linux"}, program(binary)...)
}

func program(binary string) []string {
	// The build mode refuses a package that is not main, of which a library would be made otherwise.
	// Without what only debuggers need it is linked sooner; git is not asked what it was built of.
	return []string{"-buildmode=exe", "-ldflags=-w", "-buildvcs=false", "-o", binary}
}

// Compile compiles the package in dir and makes nothing of it. It returns a *BuildError if it doesn't compile.
func Compile(ctx context.Context, dir string) error {
	return goBuild(ctx, dir, ".", nil, "-o", os.DevNull)
}

func goBuild(ctx context.Context, dir, pkg string, environment []string, flags ...string) error {
	build := exec.CommandContext(ctx, "go", slices.Concat([]string{"build"}, flags, []string{pkg})...)
	build.Dir = dir
	build.Env = append(os.Environ(), environment...)
	build.Cancel = func() error { return build.Process.Signal(os.Interrupt) } // on which go ends its compilers too
	build.WaitDelay = defaultPatience
	output, err := build.CombinedOutput()
	_, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("build %s: %w", dir, context.Cause(ctx))
	case exited && judged(string(output)):
		return &BuildError{Dir: repo.Short(dir), Output: compilerLines(dir, string(output))}
	default:
		return fmt.Errorf("build %s: %w", dir, err)
	}
}

// judged says whether the compiler got as far as to say something about the code. Ctrl-C reaches it too, and
// perhaps sooner than it ends a context.
func judged(output string) bool {
	return strings.TrimSpace(output) != "" && !strings.Contains(output, ": signal: ")
}

// sourcePath is a compiler's path to a file, relative to where it ran.
var sourcePath = regexp.MustCompile(`^(\s*)([^\s:/][^\s:]*\.go)(:\d+)`)

func compilerLines(dir, output string) string {
	var lines []string
	for line := range strings.Lines(strings.TrimSpace(output)) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "# ") {
			continue // a package's name, which its files' paths tell as well
		}
		if parts := sourcePath.FindStringSubmatch(line); parts != nil {
			line = parts[1] + repo.Short(filepath.Join(dir, parts[2])) + line[len(parts[1])+len(parts[2]):]
		}
		lines = append(lines, strings.ReplaceAll(line, dir, repo.Short(dir)))
	}
	if more := len(lines) - mostLines; more > 0 {
		lines = append(lines[:mostLines], fmt.Sprintf("(and %d more lines)", more))
	}
	return strings.Join(lines, "\n")
}
