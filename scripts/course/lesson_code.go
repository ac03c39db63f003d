package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	findings "example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/subject"
)

// Code is what is judged: a folder with a Go package or, in its place, a program.
type code struct {
	folder  string
	program string

	typed string // how it was chosen, for a command that chooses it again; empty for what is judged anyway
	own   bool   // it is the learner's own, so its progress counts
}

// codeOf is a lesson's code, or what was given in its place.
func codeOf(folder, impl, bin string) code {
	switch {
	case bin != "":
		return code{program: bin, typed: " BIN='" + bin + "'"}
	case impl != "":
		return code{folder: impl, typed: " IMPL='" + impl + "'"}
	default:
		return code{folder: folder, own: true}
	}
}

// exists says what is wrong if there is no such code, before anything is started for it.
func (c code) exists() error {
	if c.program != "" {
		_, err := subject.Program(c.program)
		return err
	}
	if !isFolder(c.folder) {
		return fmt.Errorf("there is no folder %s; it has to hold a Go package", fromHere(c.folder))
	}
	if files, err := filepath.Glob(filepath.Join(c.folder, "*.go")); err != nil || len(files) == 0 {
		return fmt.Errorf("there is no Go file in %s", fromHere(c.folder))
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// again is what chooses the code in a command about a lesson.
func (c code) again(l lesson) string {
	if c.own || c.typed != "" {
		return c.typed
	}
	return " IMPL=" + filepath.Join("solutions", l.Slug)
}

// elsewhere is what chooses a lesson's code in a command about another lesson.
func (c code) elsewhere(l lesson) string {
	if c.own {
		return " IMPL=" + l.folder()
	}
	return c.again(l)
}

// Built is a controller that can be started.
type built struct {
	binary string
	roles  string // the file with the roles that it ships
	crds   string
}

// build builds a controller and its role, into dir. Code that doesn't compile is a finding.
func (c code) build(ctx context.Context, dir string) (built, *findings.Finding, error) {
	if c.program != "" {
		program, err := subject.Program(c.program)
		return built{program.Binary, program.Roles, program.CRDs}, nil, err
	}
	return c.compile(ctx, dir, process.Build)
}

// compile is build for code of which there is the source, by whoever compiles it.
func (c code) compile(ctx context.Context, dir string, compile func(ctx context.Context, folder, binary string) error) (
	built, *findings.Finding, error,
) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return built{}, nil, err
	}
	binary := filepath.Join(dir, "controller")
	err := compile(ctx, c.folder, binary) // which says more of what is wrong than whoever looks for markers
	if broken, is := errors.AsType[*process.BuildError](err); is {
		found := findings.NotCompiled(broken)
		return built{}, &found, nil
	}
	if err != nil {
		return built{}, nil, err
	}
	other, err := subject.Other(c.folder, dir)
	if markers, is := errors.AsType[*subject.RoleError](err); is {
		found := noRole(markers)
		return built{}, &found, nil
	}
	return built{binary, other.Roles, other.CRDs}, nil, err
}

// noRole is the finding for a controller of whose markers no role can be made.
func noRole(err *subject.RoleError) findings.Finding {
	what := fmt.Sprintf("The controller in %s has no +kubebuilder:rbac markers, so there is no role for it.", err.Dir)
	if err.Said != "" {
		what = fmt.Sprintf("No role can be made of the +kubebuilder:rbac markers in %s. What is wrong, with file:line:\n  %s",
			err.Dir, strings.ReplaceAll(err.Said, "\n", "\n  "))
	}
	return findings.Finding{
		Check: "markers", Title: "The markers make a role",
		What: what + "\nA marker says what the code below it needs, with commas between its parts and semicolons within them:\n  " + subject.Marker,
		Why: "A controller may do only what its role allows. Without a role it would be refused everything, so no other check says " +
			"anything yet. Markers are comments, so the compiler says nothing about them.",
	}
}
