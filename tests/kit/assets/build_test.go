package assets

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega/gbytes"

	"example.com/controller-course/tests/kit/alive"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestFullBuildsEverythingOnce(t *testing.T) {
	log := fakeGo(t, "works")
	b, out := testBuilder(t)

	for range 2 {
		must.Succeed(t, b.ensure(t.Context(), recipes))
	}
	if missing := b.missing(recipes); len(missing) > 0 {
		t.Errorf("missing after the build: %v", missing)
	}
	assert.Equal(t, "number of runs of go build", runs(t, log, "build"), len(recipes))
	assert.Contains(t, "the output", string(out.Contents()), "[2/6] kube-apiserver v1.2.3: done in")
	stages, err := Dir{cache: b.cache}.KwokStages()
	if err != nil || len(stages) != 2 {
		t.Errorf("KwokStages() = %v, %v; want the node's and the pod's", stages, err)
	}
	assertOnlyFinished(t, b)
}

func TestFilledCacheNeedsNoGo(t *testing.T) {
	b, out := testBuilder(t)
	fill(t, b.cache, Etcd, APIServer)
	t.Setenv("PATH", "")
	must.Succeed(t, b.ensure(t.Context(), recipesOf([]Binary{Etcd, APIServer})))
	assert.Equal(t, "the output", string(out.Contents()), "")
}

func TestFailedBuildLeavesWhatWasFinishedAndNothingElse(t *testing.T) {
	fakeGo(t, "fails at kube-apiserver")
	b, _ := testBuilder(t)
	err := b.ensure(t.Context(), recipes)
	assert.Error(t, err, "build kube-apiserver: go: exit status 1:", "undefined: x")
	if missing := b.missing(recipes); len(missing) != len(recipes)-1 {
		t.Errorf("missing = %v; want all but etcd", missing)
	}
	assertOnlyFinished(t, b)
}

func TestCancelledBuildKillsGoAndItsChildren(t *testing.T) {
	log := fakeGo(t, "hangs")
	b, _ := testBuilder(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		until(func() bool { return runs(t, log, "child") > 0 })
		cancel()
	}()
	start := time.Now()
	err := b.ensure(ctx, recipes)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("error = %v; want a cancellation", err)
	}
	if time.Since(start) >= waitDelay {
		t.Error("the build waited for the child's end of the pipe: the child was not killed")
	}
	assertOnlyFinished(t, b)
}

func TestLeftoversOfAKilledBuildAreRemoved(t *testing.T) {
	fakeGo(t, "works")
	b, _ := testBuilder(t)
	must.Succeed(t, os.MkdirAll(filepath.Join(b.cache, ".build-123", "etcd"), 0o755))
	must.Succeed(t, b.ensure(t.Context(), recipes))
	assertOnlyFinished(t, b)
}

func TestTheSecondOfTwoWaitsForTheFirst(t *testing.T) {
	log := fakeGo(t, "works")
	first, _ := testBuilder(t)
	second, out := testBuilder(t)
	second.cache = first.cache
	unlock, err := first.lock(t.Context())
	must.Succeed(t, err)

	done := make(chan error)
	go func() { done <- second.ensure(t.Context(), recipesOf([]Binary{Etcd})) }()
	<-out.Detect("waiting for another process") // go test's own timeout bounds it
	fill(t, first.cache, Etcd)
	unlock()
	must.Succeed(t, <-done)
	assert.Equal(t, "number of runs of go build for what the first had built", runs(t, log, "build"), 0)
}

func TestARealGoBuildsATinyModule(t *testing.T) {
	b, _ := testBuilder(t)
	module := filepath.Join(b.modules, etcd.folder)
	write(t, filepath.Join(module, "go.mod"), "module tiny\ngo 1.26.0\n")
	write(t, filepath.Join(module, "main.go"), "package main\nfunc main() {}\n")
	tiny := recipe{Etcd, etcd, "tiny", time.Second}
	must.Succeed(t, b.ensure(t.Context(), []recipe{tiny}))
	assertOnlyFinished(t, b)
}

// testBuilder returns a builder over a folder of upstreams without code.
func testBuilder(t *testing.T) (*builder, *gbytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	for u, version := range map[upstream]string{kubernetes: "v1.2.3", etcd: "v3.2.1", kwok: "v0.1.2"} {
		write(t, filepath.Join(dir, "modules", u.folder, "go.mod"), "module m\nrequire "+u.module+" "+version+"\n")
	}
	found, err := readVersions(filepath.Join(dir, "modules"), clusterUpstreams...)
	must.Succeed(t, err)
	out := gbytes.NewBuffer()
	return &builder{
		modules:  filepath.Join(dir, "modules"),
		cache:    filepath.Join(dir, "cache"),
		versions: found,
		sign:     alive.Sign{Out: out, Every: time.Hour},
	}, out
}

// fakeGo puts a go command on the PATH that behaves as asked, and returns the
// path of its log: one word for each thing it did.
func fakeGo(t *testing.T, behaviour string) (log string) {
	t.Helper()
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	write(t, log, "")
	script, err := os.ReadFile("testdata/go.sh")
	must.Succeed(t, err)
	write(t, filepath.Join(dir, "go"), string(script))
	for _, kind := range []string{"node", "pod"} {
		folder := filepath.Join(dir, "kwok", "kustomize", "stage", kind, "fast")
		write(t, filepath.Join(folder, kind+"-x.yaml"), "kind: Stage\n")
		write(t, filepath.Join(folder, "kustomization.yaml"), "kind: Kustomization\n")
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE_GO_DIR", dir)
	t.Setenv("FAKE_GO", behaviour)
	return log
}

func runs(t *testing.T, log, word string) int {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil {
		t.Error(err)
	}
	return strings.Count(string(data), word+"\n")
}

// assertOnlyFinished fails unless the cache holds nothing but binaries, the stages and the lock.
func assertOnlyFinished(t *testing.T, b *builder) {
	t.Helper()
	entries, err := os.ReadDir(b.cache)
	must.Succeed(t, err)
	for _, entry := range entries {
		name := entry.Name()
		if name != ".lock" && name != stagesDir && len(recipesOf([]Binary{Binary(name)})) == 0 {
			t.Errorf("%s is left in the cache", name)
		}
	}
}

func fill(t *testing.T, dir string, binaries ...Binary) {
	t.Helper()
	for _, b := range binaries {
		write(t, filepath.Join(dir, string(b)), "")
	}
}

// write writes an executable file and the folders above it.
func write(t *testing.T, path, content string) {
	t.Helper()
	must.Succeed(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Succeed(t, os.WriteFile(path, []byte(content), 0o755))
}

// until waits for a condition; go test's own timeout bounds it.
func until(condition func() bool) {
	for !condition() {
		time.Sleep(time.Millisecond)
	}
}
