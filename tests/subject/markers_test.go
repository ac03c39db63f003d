package subject

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/kit/repo"
)

func TestWhatIsWrongWithMarkersIsTold(t *testing.T) {
	root, err := repo.Root()
	if err != nil {
		t.Fatal(err)
	}
	const right = "// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch"
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
			folder := written(t, root, replaced(right, test.marker))
			_, err := Other(t.Context(), folder, t.TempDir())
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
	for _, marker := range []string{"groups=\"\",resources=pods,verbs=get", "urls=/metrics,verbs=get", "verbs={get,list}, resources={jobs}, groups={batch}"} {
		if lacks := missing("// +kubebuilder:rbac:" + marker); len(lacks) > 0 {
			t.Errorf("%s: it is said to lack %v", marker, lacks)
		}
	}
}
