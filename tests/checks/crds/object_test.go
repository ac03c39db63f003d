package crds_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/assert"
)

func TestLay(t *testing.T) {
	const under = `{a: 1, b: {c: 2, d: 3}, list: [{name: p, v: 1}, {name: q, v: 2}]}`
	for name, test := range map[string]struct{ layer, want string }{
		"nothing":            {`{}`, under},
		"a field":            {`{a: 7}`, `{a: 7, b: {c: 2, d: 3}, list: [{name: p, v: 1}, {name: q, v: 2}]}`},
		"a field further in": {`{b: {d: 7, e: 8}}`, `{a: 1, b: {c: 2, d: 7, e: 8}, list: [{name: p, v: 1}, {name: q, v: 2}]}`},
		"no field any more":  {`{b: null}`, `{a: 1, list: [{name: p, v: 1}, {name: q, v: 2}]}`},
		"an item":            {`{list: [{}, {v: 7}]}`, `{a: 1, b: {c: 2, d: 3}, list: [{name: p, v: 1}, {name: q, v: 7}]}`},
		"one item more":      {`{list: [{}, {}, {name: r}]}`, `{a: 1, b: {c: 2, d: 3}, list: [{name: p, v: 1}, {name: q, v: 2}, {name: r}]}`},
		"one item less":      {`{list: [null]}`, `{a: 1, b: {c: 2, d: 3}, list: [{name: q, v: 2}]}`},
		"an empty list":      {`{list: []}`, `{a: 1, b: {c: 2, d: 3}, list: []}`},
		"another type":       {`{b: text}`, `{a: 1, b: text, list: [{name: p, v: 1}, {name: q, v: 2}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: crds.Parse(under)}
			before := object.DeepCopy()
			laid := &unstructured.Unstructured{Object: object.Object}
			crds.Lay(laid, test.layer)
			assert.Equal(t, "laid over it", laid.Object, crds.Parse(test.want))
			assert.Equal(t, "what is under it, compared with before", object.Object, before.Object)
		})
	}
}

func TestDifferences(t *testing.T) {
	const want = `{a: 1, b: {c: text}, list: [{v: 1}, {v: 2}]}`
	for name, test := range map[string]struct {
		got  string
		lost []string
	}{
		"the same":         {want, nil},
		"more than that":   {`{a: 1, z: 0, b: {c: text, d: 0}, list: [{v: 1, m: 0}, {v: 2}]}`, nil},
		"another value":    {`{a: 2, b: {c: text}, list: [{v: 1}, {v: 3}]}`, []string{"a was 1 and is 2", "list[1].v was 2 and is 3"}},
		"another type":     {`{a: "1", b: {c: text}, list: [{v: 1}, {v: 2}]}`, []string{`a was 1 and is "1"`}},
		"a field less":     {`{a: 1, b: {}, list: [{v: 1}, {v: 2}]}`, []string{`b.c was "text" and is unset`}},
		"a map less":       {`{a: 1, list: [{v: 1}, {v: 2}]}`, []string{`b was {"c":"text"} and is unset`}},
		"an item less":     {`{a: 1, b: {c: text}, list: [{v: 1}]}`, []string{`list was [{"v":1},{"v":2}] and is [{"v":1}]`}},
		"another order":    {`{a: 1, b: {c: text}, list: [{v: 2}, {v: 1}]}`, []string{"list[0].v was 1 and is 2", "list[1].v was 2 and is 1"}},
		"nothing at all":   {`{}`, []string{"a was 1 and is unset", `b was {"c":"text"} and is unset`, `list was [{"v":1},{"v":2}] and is unset`}},
		"a list for a map": {`{a: 1, b: [], list: {}}`, []string{`b was {"c":"text"} and is []`, `list was [{"v":1},{"v":2}] and is {}`}},
	} {
		assert.Equal(t, name, crds.Lost(crds.Parse(want), crds.Parse(test.got)), test.lost)
	}
}

func TestDifferencesOfConditions(t *testing.T) {
	const want = `{conditions: [{type: Ready, status: "True"}, {type: example.com/Paid, status: "False"}]}`
	for name, test := range map[string]struct {
		got  string
		lost []string
	}{
		"the same":      {want, nil},
		"another order": {`{conditions: [{type: example.com/Paid, status: "False"}, {type: Ready, status: "True"}]}`, nil},
		"another status": {
			`{conditions: [{type: example.com/Paid, status: "False"}, {type: Ready, status: "False"}]}`,
			[]string{`conditions[type=Ready].status was "True" and is "False"`},
		},
		"one less": {
			`{conditions: [{type: example.com/Paid, status: "False"}]}`,
			[]string{`conditions[type=Ready] was {"status":"True","type":"Ready"} and is unset`},
		},
		"another type": {
			`{conditions: [{type: Ready, status: "True"}, {type: Paid, status: "False"}]}`,
			[]string{`conditions[type=example.com/Paid] was {"status":"False","type":"example.com/Paid"} and is unset`},
		},
		"one more": {
			`{conditions: [{type: Ready}, {type: example.com/Paid}, {type: Other}]}`,
			[]string{`conditions was [{"status":"True","type":"Ready"},{"status":"False","type":"example.com/Paid"}] and is ` +
				`[{"type":"Ready"},{"type":"example.com/Paid"},{"type":"Other"}]`},
		},
		"one type twice": {
			`{conditions: [{type: Ready, status: "True"}, {type: Ready, status: "False"}]}`,
			[]string{`conditions[1].type was "example.com/Paid" and is "Ready"`},
		},
		"none": {
			`{}`, []string{`conditions was [{"status":"True","type":"Ready"},{"status":"False","type":"example.com/Paid"}] and is unset`},
		},
	} {
		assert.Equal(t, name, crds.Lost(crds.Parse(want), crds.Parse(test.got)), test.lost)
	}
}

func TestWithoutEmpty(t *testing.T) {
	got := crds.WithoutEmpty(crds.Parse(`{a: null, b: {}, c: {d: {e: null}}, f: [], g: [{h: {}, i: 0}], j: "", k: false}`))
	assert.Equal(t, "WithoutEmpty", got, crds.Parse(`{g: [{i: 0}], j: "", k: false}`))
}
