package subject

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
)

// Other is a controller in any main package. Its program is built into dir. It ships the role in its
// config/rbac/role.yaml. If there is none, it ships the role that its markers ask for, which is
// generated into dir. It gives Workspaces their buckets if it ships a role for that in config/store/workspace-role.yaml.
func Other(source, dir string) (Subject, error) {
	source, err := filepath.Abs(source)
	if err != nil {
		return Subject{}, err
	}
	if info, err := os.Stat(source); err != nil || !info.IsDir() {
		return Subject{}, fmt.Errorf("there is no folder %s; it has to hold a Go main package", source)
	}
	subject, err := Finished(dir)
	if err != nil {
		return Subject{}, err
	}
	subject.Source, subject.Binary = source, filepath.Join(dir, filepath.Base(source))
	subject.WorkspaceRoles = filepath.Join(source, "config", "store", "workspace-role.yaml")
	if _, err := os.Stat(subject.WorkspaceRoles); errors.Is(err, fs.ErrNotExist) {
		subject.WorkspaceRoles = ""
	}
	subject.Roles = filepath.Join(source, "config", "rbac", "role.yaml")
	if _, err := os.Stat(subject.Roles); errors.Is(err, fs.ErrNotExist) {
		subject.Roles, err = generateRole(source, dir)
		return subject, err
	}
	return subject, nil
}

// AsksStore says whether a program uses an object store outside the cluster: whether the client of NATS has been built into it. Of
// one that was not built from Go modules, nobody knows.
func AsksStore(binary string) bool {
	info, err := buildinfo.ReadFile(binary)
	return err == nil && slices.ContainsFunc(info.Deps, func(module *debug.Module) bool { return module.Path == "github.com/nats-io/nats.go" })
}

// Program is a controller of which there is only the program. It gets the finished operator's role, and no Workspaces to care for.
func Program(binary string) (Subject, error) {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return Subject{}, err
	}
	if info, err := os.Stat(binary); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
		return Subject{}, fmt.Errorf("there is no program %s that could be run", binary)
	}
	subject, err := Finished("")
	subject.Source, subject.Binary, subject.WorkspaceRoles = "", binary, ""
	return subject, err
}
