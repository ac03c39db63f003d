package subject

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// generateRole generates the role that a controller's markers ask for into dir, or takes the one that was
// generated from the same markers before: making it anew takes a second or two, which one waits for at every
// save.
func generateRole(ctx context.Context, source, dir string) (string, error) {
	root, err := repo.Root()
	if err != nil {
		return "", err
	}
	key, err := roleKey(root, source)
	if err != nil {
		return "", err
	}
	known := filepath.Join(root, ".cache", "roles", key+".yaml")
	role := filepath.Join(dir, "role.yaml")
	if text, err := os.ReadFile(known); err == nil {
		return role, write(role, text)
	}
	if err := runControllerGen(ctx, root, source, dir); err != nil {
		return "", err
	}
	switch found, err := incomplete(source); {
	case err != nil:
		return "", err
	case len(found) > 0:
		return "", roleError(source, found)
	}
	text, err := os.ReadFile(role)
	if err != nil {
		return "", roleError(source, nil)
	}
	return role, write(known, text)
}

func runControllerGen(ctx context.Context, root, source, dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, "role.yaml")); err != nil { // of markers that are gone
		return err
	}
	generate := exec.CommandContext(ctx, "go", "tool", "-modfile="+filepath.Join(root, "scripts", "tools", "go.mod"),
		"controller-gen", "rbac:roleName=controller", "paths="+source, "output:rbac:dir="+dir)
	generate.Dir = root
	output, err := generate.CombinedOutput()
	found := complaints(string(output))
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && len(found) > 0:
		return roleError(source, found)
	default:
		return fmt.Errorf("make a role out of the +kubebuilder:rbac markers in %s: %w\n%s", source, err, strings.TrimSpace(string(output)))
	}
}

// roleKey stands for all that a role depends on: controller-gen's version, and the markers.
func roleKey(root, source string) (string, error) {
	version, err := os.ReadFile(filepath.Join(root, "scripts", "tools", "go.mod"))
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return "", err
	}
	all := sha256.New()
	all.Write(version)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(all, filepath.Base(file))
		writeMarkers(all, text)
	}
	return fmt.Sprintf("%x", all.Sum(nil)), nil
}

// writeMarkers writes the comments of a file that have markers or build constraints, each with the line below
// it: what a marker belongs to counts too.
func writeMarkers(all io.Writer, text []byte) {
	var block []string
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for more := true; more; {
		more = lines.Scan()
		line := strings.TrimSpace(lines.Text())
		if more && strings.HasPrefix(line, "//") {
			block = append(block, line)
			continue
		}
		said := strings.Join(block, "\n")
		if strings.Contains(said, "+kubebuilder:") || strings.Contains(said, "//go:build") {
			fmt.Fprintf(all, "%s\n%s\n", said, line)
		}
		block = nil
	}
}

// write makes a file appear at once: others may read it, or write the same.
func write(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	unfinished, err := os.CreateTemp(filepath.Dir(file), "role-")
	if err != nil {
		return err
	}
	_, err = unfinished.Write(text)
	if closeErr := unfinished.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(unfinished.Name(), file)
}
