package concepts

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/lesson"
)

func TestUnowned(t *testing.T) {
	got := unowned([]Concept{{ID: "C01", What: "a loop", Lessons: []int{1}}, {ID: "C02", What: "a list"}})
	want := []string{"tests/concepts/concepts.yaml: C02 (a list) belongs to no lesson"}
	assert.Equal(t, "unowned", got, want)
}

func TestUntaught(t *testing.T) {
	one := lesson.Lesson{Number: 1, Slug: "01-one"}
	loop := Concept{ID: "C01", What: "a loop", Lessons: []int{1}}
	sections := explained([]byte("# One\n\n## A loop\n<!-- C01 -->\n\nIt turns.\n\n## C02\n"))
	for name, test := range map[string]struct {
		covered Coverage
		want    []string
	}{
		"explained and tested": {Coverage{loop, one, sections["C01"], []string{"1.1"}}, nil},
		"not explained": {
			Coverage{loop, one, sections["C02"], []string{"1.1"}},
			[]string{"lessons/01-one/README.md does not explain C01 (a loop): no heading has <!-- C01 --> below it"},
		},
		"not tested": {Coverage{loop, one, sections["C01"], nil}, []string{"lesson 1 has no check of C01 (a loop)"}},
	} {
		assert.Equal(t, name, untaught([]Coverage{test.covered}), test.want)
	}
}
