package judge

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/subject"
)

// Code is what is judged: a folder with a Go package or, in its place, a program.
type Code struct {
	Folder  string
	Program string

	Bounded bool // what is built may use little memory, and write no large files
}

// Exists says what is wrong if there is no such code, before anything is started for it.
func (c Code) Exists() error {
	if c.Program != "" {
		_, err := subject.Program(c.Program)
		return err
	}
	if info, err := os.Stat(c.Folder); err != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s; it has to hold a Go package", repo.Short(c.Folder))
	}
	if files, err := repo.Glob(c.Folder, "*.go"); err != nil || len(files) == 0 {
		return fmt.Errorf("there is no Go file in %s", repo.Short(c.Folder))
	}
	return nil
}

// Seed is a number that the code decides: the same for the same code.
func (c Code) Seed() (uint64, error) {
	files := []string{c.Program}
	if c.Program == "" {
		var err error
		if files, err = repo.Glob(c.Folder, "*.go"); err != nil {
			return 0, err
		}
	}
	sum := sha256.New()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		sum.Write(text)
	}
	return binary.BigEndian.Uint64(sum.Sum(nil)), nil
}

// Build builds a program and its role, into dir. Code that does not compile is a finding, and so are markers of
// which no role can be made.
func (c Code) Build(ctx context.Context, dir string) (subject.Subject, *finding.Finding, error) {
	if c.Program != "" {
		program, err := subject.Program(c.Program)
		if err != nil {
			return program, nil, err
		}
		finished, err := subject.Finished("")
		program.WorkspaceRoles = finished.WorkspaceRoles // nobody knows whether it gives Workspaces their buckets
		return program, nil, err
	}
	return c.BuildWith(ctx, dir, func(ctx context.Context, folder, binary string) error {
		err := process.Build(ctx, folder, binary)
		if err == nil && c.Bounded {
			err = process.Bound(binary)
		}
		return err
	})
}

// BuildWith is Build for a folder, with a compiler of the caller's choice.
func (c Code) BuildWith(ctx context.Context, dir string, compile func(ctx context.Context, folder, binary string) error) (
	built subject.Subject, _ *finding.Finding, _ error,
) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return built, nil, err
	}
	program := filepath.Join(dir, "controller")
	err := compile(ctx, c.Folder, program) // before markers are looked for: the compiler says more of what is wrong
	if broken, ok := errors.AsType[*process.BuildError](err); ok {
		found := finding.NotCompiled(broken)
		return built, &found, nil
	}
	if err != nil {
		return built, nil, err
	}
	built, err = subject.Other(c.Folder, dir)
	built.Binary = program
	if markers, ok := errors.AsType[*subject.RoleError](err); ok {
		found := noRole(markers)
		return built, &found, nil
	}
	return built, nil, err
}

// noRole is the finding for a controller of whose markers no role can be made.
func noRole(err *subject.RoleError) finding.Finding {
	what := fmt.Sprintf("The controller in %s has no +kubebuilder:rbac markers, so there is no role for it.", err.Dir)
	if err.Said != "" {
		what = fmt.Sprintf("No role can be made of the +kubebuilder:rbac markers in %s. What is wrong, with file:line:\n  %s",
			err.Dir, strings.ReplaceAll(err.Said, "\n", "\n  "))
	}
	return finding.Finding{
		Check: finding.CheckMarkers, Title: "The markers make a role",
		What: what + "\nA marker says what the code below it needs, with commas between its parts and semicolons within them:\n  " + subject.Marker,
		Why: "A controller may do only what its role allows. Without a role it would be refused everything, so no other check says " +
			"anything yet. Markers are comments, so the compiler says nothing about them.",
	}
}
