package subject

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/repo"
)

const controller = `package main

// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch

// Reconcile does one pass.
func Reconcile() { work() }
`

func TestARoleIsKeptAsLongAsItsMarkersStay(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	key := func(text string) string {
		key, err := roleKey(root, written(t, root, text))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	was := key(controller)
	for name, test := range map[string]struct {
		text string
		same bool
	}{
		"other code":              {replaced("work()", "workHarder()"), true},
		"another comment":         {replaced("one pass", "a pass"), true},
		"another marker":          {replaced("get;list;watch", "get;list"), false},
		"a marker less":           {replaced("// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch\n", ""), false},
		"a marker more":           {controller + "\n// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=create\n", false},
		"a marker of another one": {replaced("watch\n\n// Reconcile", "watch\n// Reconcile"), false},
		"a build constraint":      {"//go:build ignore\n\n" + controller, false},
	} {
		if got := key(test.text) == was; got != test.same {
			t.Errorf("%s: the same role: %t, want %t", name, got, test.same)
		}
	}
}

// written is a folder in the repository with a controller.
func written(t *testing.T, root, text string) string {
	t.Helper()
	cache := filepath.Join(root, ".cache")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(cache, "role-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}

func replaced(old, with string) string { return strings.Replace(controller, old, with, 1) }
