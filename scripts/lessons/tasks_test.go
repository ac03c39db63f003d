package lessons

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDoneTasksGo(t *testing.T) {
	t.Parallel()
	solution := Files{"a.go": []byte(`package a

func a() int {
	//exercise:begin one Do one thing.
	//exercise:task And that well.
	one()
	//exercise:end
	//exercise:begin two Do another.
	return two()
	//exercise:starter return 0
	//exercise:end
}
`)}
	const one, two = "\t// TODO(one): Do one thing.\n\t// And that well.\n\n", "\t// TODO(two): Do another.\n"
	starter := Files{"a.go": []byte("package a\n\nfunc a() int {\n" + one + two + "\treturn 0\n}\n")}
	for name, test := range map[string]struct {
		body, want string
		reason     string
	}{
		"untouched":           {one + two + "\treturn 0\n", one + two + "\treturn 0\n", "nothing is done"},
		"both done":           {one + "\tmine()\n" + two + "\treturn mine()\n", "\tmine()\n\treturn mine()\n", "something else follows both"},
		"the first is done":   {one + "\tmine()\n" + two + "\treturn 0\n", "\tmine()\n" + two + "\treturn 0\n", "the second is as it was"},
		"the second is done":  {one + two + "\treturn mine()\n", one + "\treturn mine()\n", "what followed the first still does"},
		"code before a line":  {one + two + "\tmine()\n\treturn 0\n", one + "\tmine()\n\treturn 0\n", "the starter's line may stay"},
		"indented otherwise":  {"\tif true {\n\t" + two + "\t\tmine()\n\t}\n\treturn 0\n", "\tif true {\n\t\tmine()\n\t}\n\treturn 0\n", "the code around it may have changed"},
		"no tasks any more":   {"\treturn mine()\n", "\treturn mine()\n", "the learner has removed them"},
		"a task was reworded": {"\t// TODO(two): Do it tomorrow.\n\treturn mine()\n", "\t// TODO(two): Do it tomorrow.\n\treturn mine()\n", "that is the learner's own now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			learners := Files{"a.go": []byte("package a\n\nfunc a() int {\n" + test.body + "}\n"), "own.go": []byte("package a\n")}
			left, err := withoutDoneTasks("solutions/03-a", solution, starter, learners)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"a.go": "package a\n\nfunc a() int {\n" + test.want + "}\n", "own.go": "package a\n"}
			if diff := cmp.Diff(want, texts(left)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.reason, diff)
			}
		})
	}
}
