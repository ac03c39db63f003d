package realcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/repo"
)

// Built is the code of a lesson, built for the cluster.
type Built struct {
	lesson usage.Lesson
	code   usage.Code
	dir    string // for what judging it leaves

	// Of a program.
	image string // folder with the program alone
	roles string // file with the roles that it ships
	store string // the image of the object store that it uses; empty for none

	// Of an API.
	crds string // folder with what controller-gen made
}

// logs is the folder for what failed checks leave.
func (b Built) logs() string { return filepath.Join(b.dir, "logs") }

// errBlocked says that there is nothing to judge, after a finding has said why.
var errBlocked = errors.New("nothing could be judged")

// Build builds the code of a lesson for the cluster. If that is not possible, it writes the finding.
func Build(ctx context.Context, l usage.Lesson, code usage.Code, out, stderr io.Writer) (Built, error) {
	root, err := repo.Root()
	if err != nil {
		return Built{}, err
	}
	b := Built{lesson: l, code: code, dir: filepath.Join(root, ".cache", "e2e", fmt.Sprintf("lesson-%02d", l.Number))}
	label, build := "the controller", b.buildProgram
	if !l.Kind.IsProgram() {
		label, build = "the API", b.buildAPI
	}
	var blocked *finding.Finding
	err = alive.To(stderr).During(label, 10*time.Second, func() error {
		if blocked, err = build(ctx); blocked != nil {
			return errBlocked
		}
		return err
	})
	if blocked != nil {
		return Built{}, errors.Join(report.Finding(out, *blocked), err)
	}
	if err == nil && l.Store {
		b.store, err = kind.BuildStoreImage(ctx, stderr)
	}
	return b, err
}

// buildProgram builds a program for an image.
func (b *Built) buildProgram(ctx context.Context) (*finding.Finding, error) {
	b.image = filepath.Join(b.dir, "image")
	if err := errors.Join(os.RemoveAll(b.image), os.MkdirAll(b.image, 0o755)); err != nil {
		return nil, err
	}
	compiled, blocked, err := b.code.BuildWith(ctx, b.dir, process.BuildForContainer)
	if blocked != nil || err != nil {
		return blocked, err
	}
	b.roles = compiled.Roles
	return nil, os.Rename(compiled.Binary, filepath.Join(b.image, "controller"))
}

// buildAPI has the CRD of an API made.
func (b *Built) buildAPI(ctx context.Context) (*finding.Finding, error) {
	types, err := crds.Make(ctx, b.code.Folder, b.dir)
	if unjudgeable, ok := errors.AsType[*crds.UnjudgeableError](err); ok {
		return &unjudgeable.Finding, nil
	}
	if err != nil {
		return nil, err
	}
	b.crds = types.CRDs
	return nil, nil
}
