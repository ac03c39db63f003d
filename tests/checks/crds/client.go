package crds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// clientSource is a program that reads an object into the Go type, as clients do, and writes it back.
const clientSource = `package main

import (
	"encoding/json"
	"fmt"
	"os"

	api %q
)

func main() {
	object := &api.%s{}
	err := json.NewDecoder(os.Stdin).Decode(object)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(object)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// buildClient builds that program. An overlay places its source below the types' folder, so that it may import whatever
// they may import.
func (t *Types) buildClient(ctx context.Context, dir string) error {
	list := exec.CommandContext(ctx, "go", "list", "-f", "{{.ImportPath}}", ".")
	list.Dir = t.Source
	path, err := list.Output()
	if err != nil {
		return fmt.Errorf("find the import path of %s: %w", t.Source, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	source := filepath.Join(dir, "client.go")
	text := fmt.Sprintf(clientSource, strings.TrimSpace(string(path)), Kind)
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(t.Source, "client", "main.go"): source}})
	if err != nil {
		return err
	}
	overlayFile := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-overlay", overlayFile, "-o", t.client, "./client")
	build.Dir = t.Source
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build a client of the types in %s: %w\n%s", t.Source, err, output)
	}
	return nil
}

// ThroughGo is an object after a Go client has read it and written it back. Problem says why a client with these types can't;
// empty if it can.
func (t *Types) ThroughGo(ctx context.Context, object map[string]any) (written map[string]any, problem string, err error) {
	input, err := json.Marshal(object)
	if err != nil {
		return nil, "", err
	}
	client := exec.CommandContext(ctx, t.client)
	client.Stdin = bytes.NewReader(input)
	var problems strings.Builder
	client.Stderr = &problems
	output, err := client.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited(): // by the source above, or because a method of the types panicked
		const most = 600 // a trace of the stack is long
		said := problems.String()
		return nil, strings.TrimSpace(said[:min(len(said), most)]), nil
	case err != nil:
		return nil, "", fmt.Errorf("read and write it with the Go type %s: %w\n%s", Kind, err, problems.String())
	}
	return written, "", utiljson.Unmarshal(output, &written)
}
