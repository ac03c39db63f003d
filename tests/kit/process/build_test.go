package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/process"
)

func TestBuild(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  string // what the compiler says; empty when it builds
	}{
		"a program": {map[string]string{"main.go": "package main\n\nfunc main() {}\n"}, ""},
		"names that are not there": {
			map[string]string{"main.go": "package main\n\nfunc main() {\n\tx := 1\n\ty()\n}\n"},
			"DIR/main.go:4:2: declared and not used: x\nDIR/main.go:5:2: undefined: y",
		},
		"a mistake in another package": {
			map[string]string{
				"main.go":     "package main\n\nimport \"mine/sub\"\n\nfunc main() { sub.F() }\n",
				"sub/part.go": "package sub\n\nfunc F() int { return \"x\" }\n",
			},
			"DIR/sub/part.go:3:23: cannot use \"x\" (untyped string constant) as int value in return statement",
		},
		"no main package": {map[string]string{"lib.go": "package lib\n"}, "-buildmode=exe requires exactly one main package"},
		"no Go files":     {map[string]string{"README.md": "soon\n"}, "no Go files in DIR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := module(t, test.files)
			binary := filepath.Join(t.TempDir(), "controller")
			err := process.Build(t.Context(), dir, binary)
			if test.want == "" {
				if _, missing := os.Stat(binary); err != nil || missing != nil {
					t.Errorf("Build: %v, %v", err, missing)
				}
				return
			}
			want := &process.BuildError{Dir: dir, Output: strings.ReplaceAll(test.want, "DIR", dir)}
			assert.Equal(t, "Build", buildError(t, err), want)
		})
	}
}

func TestBuildShowsPathsFromTheRootAndAFewLinesOnly(t *testing.T) {
	dir, err := os.MkdirTemp(".", "_module-")
	must.Succeed(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	files := map[string]string{"main.go": "package main\n\nfunc main() { y() }\n"}
	for _, name := range []string{"a", "b", "c"} {
		files[name+"/part.go"] = "package " + name + "\n\nvar _ = []any{\n" + strings.Repeat("\tnothing,\n", 20) + "}\n"
		files["main.go"] = strings.Replace(files["main.go"], "\n\n", "\n\nimport _ \"mine/"+name+"\"\n", 1)
	}
	fill(t, dir, files)
	err = process.Build(t.Context(), dir, filepath.Join(t.TempDir(), "controller"))
	failed := buildError(t, err)
	here := "tests/kit/process/" + filepath.Base(dir)
	lines := strings.Split(failed.Output, "\n")
	if failed.Dir != here || len(lines) != 21 || !strings.HasPrefix(lines[0], here+"/") || !strings.HasSuffix(lines[20], " more lines)") {
		t.Errorf("Build: %#v", failed)
	}
}

func TestBuildThatIsGivenUpIsNoBuildError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := process.Build(ctx, module(t, map[string]string{"main.go": "package main\n"}), filepath.Join(t.TempDir(), "controller"))
	if _, broken := errors.AsType[*process.BuildError](err); broken || !errors.Is(err, context.Canceled) {
		t.Errorf("Build: %v, want that the context was canceled", err)
	}
}

func buildError(t *testing.T, err error) *process.BuildError {
	t.Helper()
	failed, ok := errors.AsType[*process.BuildError](err)
	if !ok {
		t.Fatalf("Build: %v, want a *BuildError", err)
	}
	return failed
}

// module makes a module outside of the repository.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	fill(t, dir, files)
	return dir
}

func fill(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	all := fstest.MapFS{"go.mod": {Data: []byte("module mine\n\ngo 1.26\n")}}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	must.Succeed(t, os.CopyFS(dir, all))
}

func TestACompilerThatWasInterruptedSaysNothingOfTheCode(t *testing.T) {
	path := os.Getenv("PATH")
	for _, said := range []string{"", "example.com/x: /tool/compile: signal: interrupt"} {
		folder := t.TempDir()
		script := "#!/bin/sh\necho '" + said + "'\nexit 1\n"
		must.Succeed(t, os.WriteFile(filepath.Join(folder, "go"), []byte(script), 0o755))
		t.Setenv("PATH", folder+string(os.PathListSeparator)+path)
		err := process.Build(t.Context(), folder, filepath.Join(folder, "controller"))
		if _, broken := errors.AsType[*process.BuildError](err); broken || err == nil {
			t.Errorf("of %q: Build: %v, want an error that is no *BuildError", said, err)
		}
	}
}
