package repo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

// arrows say which folders may import which others of this module. The first line that fits a folder counts; a
// folder may always import what lies in it.
var arrows = []struct {
	from  string
	to    []string
	tests []string // what its tests may import besides
}{
	{"sequentialjob", nil, nil},
	{"lessons", []string{"sequentialjob/api"}, nil},
	{"solutions", []string{"sequentialjob/api"}, nil},
	{"tests/step", nil, []string{"sequentialjob/api", "tests/kit"}},
	{"tests/mutants/naive", []string{"sequentialjob/api"}, nil},
	{"tests/mutants/lessons", nil, nil},
	{"tests/alternates/", []string{"sequentialjob/api"}, nil}, // the controllers; the folder itself tests the kit with them
	{"tests/kit", []string{"sequentialjob/api"}, nil},
	{"tests", []string{"sequentialjob/api"}, nil},
	{"scripts", []string{"sequentialjob/api", "tests"}, nil},
}

// listed is a package, as go list prints it.
type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestArrowsGoOneWay(t *testing.T) {
	root, err := Root()
	must.Succeed(t, err)
	list := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...")
	list.Dir = root
	output, err := list.Output()
	must.Succeed(t, err)
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var one listed
		err := decoder.Decode(&one)
		if errors.Is(err, io.EOF) {
			return
		}
		must.Succeed(t, err)
		for _, wrong := range turned(one) {
			t.Error(wrong)
		}
	}
}

func TestOnlyTestsMayImportMore(t *testing.T) {
	kit := []string{Module + "/tests/kit/must"}
	assert.Equal(t, "a test of the step program", turned(listed{ImportPath: Module + "/tests/step", TestImports: kit}), []string(nil))
	assert.Equal(t, "the step program", turned(listed{ImportPath: Module + "/tests/step", Imports: kit}), []string{"tests/step must not import tests/kit/must"})
}

func TestAnArrowThatIsTurnedRoundIsFound(t *testing.T) {
	for name, test := range map[string]struct {
		from, to string
		want     []string
	}{
		"a script uses a test":          {"scripts/course", "tests/judge", nil},
		"a test uses the API":           {"tests/judge", "sequentialjob/api/v1alpha1", nil},
		"the kit uses itself":           {"tests/kit/stage", "tests/kit/proxy", nil},
		"a test uses a script":          {"tests/judge", "scripts/lessons", []string{"tests/judge must not import scripts/lessons"}},
		"the kit uses a test":           {"tests/kit/stage", "tests/judge", []string{"tests/kit/stage must not import tests/judge"}},
		"a test uses a controller":      {"tests/judge", "sequentialjob/controller", []string{"tests/judge must not import sequentialjob/controller"}},
		"the operator uses the kit":     {"sequentialjob/controller", "tests/kit/repo", []string{"sequentialjob/controller must not import tests/kit/repo"}},
		"a solution uses the operator":  {"solutions/03-reconcile", "sequentialjob/controller", []string{"solutions/03-reconcile must not import sequentialjob/controller"}},
		"an alternate uses the kit":     {"tests/alternates/recompute", "tests/kit/repo", []string{"tests/alternates/recompute must not import tests/kit/repo"}},
		"the alternates' tests use it":  {"tests/alternates", "tests/kit/repo", nil},
		"a name that begins like tests": {"scripts/course", "testsuite", []string{"scripts/course must not import testsuite"}},
	} {
		got := turned(listed{ImportPath: Module + "/" + test.from, XTestImports: []string{"fmt", Module + "/" + test.to}})
		assert.Equal(t, name, got, test.want)
	}
}

// turned names the imports of a package, and of its tests, that go the wrong way.
func turned(p listed) (wrong []string) {
	from := strings.TrimPrefix(p.ImportPath, Module+"/")
	for _, arrow := range arrows {
		if !strings.HasPrefix(from+"/", strings.TrimSuffix(arrow.from, "/")+"/") || strings.HasSuffix(arrow.from, "/") && from+"/" == arrow.from {
			continue
		}
		own := strings.TrimSuffix(arrow.from, "/")
		for _, imports := range []struct{ paths, may []string }{
			{p.Imports, slices.Concat(arrow.to, []string{own})},
			{slices.Concat(p.TestImports, p.XTestImports), slices.Concat(arrow.to, arrow.tests, []string{own})},
		} {
			for _, path := range imports.paths {
				to, ours := strings.CutPrefix(path, Module+"/")
				if ours && !slices.ContainsFunc(imports.may, func(may string) bool { return strings.HasPrefix(to+"/", may+"/") }) {
					wrong = append(wrong, fmt.Sprintf("%s must not import %s", from, to))
				}
			}
		}
		return wrong
	}
	return []string{from + " is in no folder that may import something"}
}
