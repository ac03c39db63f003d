package generate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/controller-course/tests/lesson"
)

func TestTable(t *testing.T) {
	got := table([]lesson.Lesson{
		{Number: 1, Slug: "01-one", Title: "One", Makes: "a thing", Difficulty: lesson.Easy, Minutes: 45},
		{Number: 2, Slug: "02-two", Title: "Two", Makes: "`two` of them", Difficulty: lesson.Hard, Minutes: 90},
		{Number: 3, Slug: "03-three", Title: "Three", Makes: "more", Difficulty: lesson.Moderate, Minutes: 120},
	})
	want := `| | lesson | you make | difficulty | time |
|---|---|---|---|---|
| 1 | [One](lessons/01-one/README.md) | a thing | easy | 45 min |
| 2 | [Two](lessons/02-two/README.md) | ` + "`two`" + ` of them | hard | 1 h 30 min |
| 3 | [Three](lessons/03-three/README.md) | more | moderate | 2 h |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestAREADMEWithoutMarksSaysWhichItNeeds(t *testing.T) {
	_, err := withDerived("", []byte("# A course\n"))
	const want = "it needs a line <!-- lessons:begin --> and below it a line <!-- lessons:end -->, between which that part of the page is written"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
