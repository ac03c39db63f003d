package crds_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestTypesOfWhichNothingCanBeMade(t *testing.T) {
	for name, test := range map[string]struct{ check, want string }{
		"not-compiling": {"build", "testdata/not-compiling/types.go:12:7: undefined: SequentialJobSpec"},
		"bad-marker":    {"markers", `testdata/bad-marker/types.go:12:2: expected integer, got "one"`},
		"strange-marker": {"markers", "testdata/strange-marker/types.go:13: +kubebuilder:validation:MinItem\n" +
			"  tests/checks/crds/testdata/strange-marker/types.go:15: +ListType: did you mean +listType?\n"},
		"bad-option": {"markers", "testdata/bad-option/types.go:6 has an option that controller-gen does not understand:\n" +
			"  //go:generate controller-gen paths=. crd:maxDescLen=0,generateEmbededObjectMeta=true\nIt reports:\n" +
			`  unable to parse option "crd:maxDescLen=0,generateEmbededObjectMeta=true": [unknown argument "generateEmbededObjectMeta"`},
		"no-kind": {"markers", "controller-gen makes only CRDs of other kinds: SequentialJobs."},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := crds.Make(t.Context(), "testdata/"+name, t.TempDir())
			var unjudgeable *crds.UnjudgeableError
			if !errors.As(err, &unjudgeable) {
				t.Fatalf("got the error %v; want one that says that nothing was judged", err)
			}
			if found := unjudgeable.Finding; string(found.Check) != test.check || !strings.Contains(found.What, test.want) ||
				!strings.Contains(found.Why, "nothing was judged") && !strings.Contains(found.Why, "there is nothing to judge") {
				t.Errorf("got the finding %s:\n%s\n%s\nwant %s with:\n%s", found.Check, found.What, found.Why, test.check, test.want)
			}
		})
	}
}

func TestAFolderThatIsNotThere(t *testing.T) {
	_, err := crds.Make(t.Context(), "testdata/nothing", t.TempDir())
	assert.Error(t, err, "there is no folder testdata/nothing")
}

func TestThroughGo(t *testing.T) {
	types, err := crds.Make(t.Context(), "testdata/zeros", t.TempDir())
	must.Succeed(t, err)
	read := crds.Parse(`{kind: SequentialJob, omitted: 0, kept: 0, pointer: 0}`)
	written, problem, err := types.ThroughGo(t.Context(), read)
	must.Succeed(t, err)
	assert.Equal(t, "what keeps a client from it", problem, "")
	changed := []crds.Difference{{Path: "omitted", Want: "0", Got: crds.Unset}}
	assert.Equal(t, "what a client changed", crds.Differences(read, written), changed)
	written, _, err = types.ThroughGo(t.Context(), crds.Parse(`{kind: SequentialJob}`))
	must.Succeed(t, err)
	added := []crds.Difference{{Path: "kept", Want: "0", Got: crds.Unset}}
	assert.Equal(t, "what a client added", crds.Differences(crds.WithoutEmpty(written), crds.Parse(`{kind: SequentialJob}`)), added)

	_, problem, err = types.ThroughGo(t.Context(), crds.Parse(`{kind: SequentialJob, kept: many}`))
	must.Succeed(t, err)
	assert.Contains(t, "what keeps a client from it", problem, "cannot unmarshal string")
}
