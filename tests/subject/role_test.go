package subject

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/repo"
)

const (
	rightMarker = "// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch"
	controller  = "package main\n\n" + rightMarker + "\n\n// Reconcile does one pass.\nfunc Reconcile() { work() }\n"
)

func TestMistakesInMarkersAreReported(t *testing.T) {
	for name, test := range map[string]struct{ marker, says string }{
		"another argument": {
			"// +kubebuilder:rbac:groups=batch,resources=jobs,verb=get",
			"unknown argument \"verb\"\n    extra arguments provided: \"get\"\n    missing argument \"verbs\"",
		},
		"a comma left out": {"// +kubebuilder:rbac:groups=batch resources=jobs,verbs=get", `missing argument "resources"`},
		"an empty one":     {"// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=", `missing argument "verbs"`},
		"none at all":      {"// +kubebuilder:rbca:groups=batch,resources=jobs,verbs=get", ""},
	} {
		t.Run(name, func(t *testing.T) {
			folder := written(t, strings.Replace(controller, rightMarker, test.marker, 1))
			_, err := Other(folder, t.TempDir())
			var wrong *RoleError
			if !errors.As(err, &wrong) {
				t.Fatalf("error %v, want a *RoleError", err)
			}
			want := RoleError{Dir: filepath.Join(".cache", filepath.Base(folder))}
			if test.says != "" {
				want.Said = want.Dir + "/main.go:3:\n  " + test.marker + "\n    " + test.says
			}
			if diff := cmp.Diff(want, *wrong); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkersThatMakeARole(t *testing.T) {
	for marker, want := range map[string]string{
		`groups="",resources=pods,verbs=get`:                 "- apiGroups:\n  - \"\"\n  resources:\n  - pods\n  verbs:\n  - get\n",
		"urls=/metrics,verbs=get":                            "- nonResourceURLs:\n  - /metrics\n  verbs:\n  - get\n",
		"verbs={get,list}, resources={jobs}, groups={batch}": "- apiGroups:\n  - batch\n  resources:\n  - jobs\n  verbs:\n  - get\n  - list\n",
	} {
		dir := t.TempDir()
		other, err := Other(written(t, strings.Replace(controller, rightMarker, "// +kubebuilder:rbac:"+marker, 1)), dir)
		if err != nil {
			t.Errorf("%s: %v", marker, err)
			continue
		}
		role, err := os.ReadFile(other.Roles)
		if err != nil {
			t.Fatal(err)
		}
		if _, rules, _ := strings.Cut(string(role), "rules:\n"); rules != want {
			t.Errorf("%s makes the rules\n%s\nwant\n%s", marker, rules, want)
		}
	}
}

// written is a folder in the repository with a controller.
func written(t *testing.T, text string) string {
	t.Helper()
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
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
