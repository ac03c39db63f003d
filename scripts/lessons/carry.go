package lessons

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/lesson"
)

// Carry takes a learner's code of the lesson that a lesson continues into that lesson, and keeps what was there. It says
// where both have changed the same lines, and fails only if nothing was carried.
func (c Course) Carry(ctx context.Context, l lesson.Lesson, out io.Writer) error {
	if l.Continues == 0 {
		fmt.Fprintf(out, "Lesson %d starts afresh: there is nothing to carry into it.\n", l.Number)
		return nil
	}
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("carry merges your code with git, which is not on this machine: install it; on Debian: apt-get install git")
	}
	before, err := lesson.Find(c.lessons, l.Continues)
	if err != nil {
		return err
	}
	unlock, err := c.lock(ctx, out)
	if err != nil {
		return err
	}
	defer unlock()
	for _, used := range []lesson.Lesson{before, l} {
		if err := c.noteEdited(ctx, out, used); err != nil {
			return err
		}
	}
	return c.carryFrom(ctx, before, l, out)
}

// carryFrom puts into a lesson what a learner has made of the one before.
func (c Course) carryFrom(ctx context.Context, before, l lesson.Lesson, out io.Writer) error {
	learners, err := read(c.Path(before.Folder()))
	if err != nil {
		return err
	}
	untouched, err := c.starter(before)
	if err != nil {
		return err
	}
	if len(learners) == 0 || learners.equal(untouched) {
		fmt.Fprintf(out, "%s is still as you found it, so there is nothing to carry. Lesson %d begins with the solution of lesson %d.\n",
			before.Folder(), l.Number, before.Number)
		return nil
	}
	if err := c.unmarked(before, l, out); err != nil {
		return err
	}
	starter, err := c.starter(l)
	if err != nil {
		return err
	}
	carried, conflicts, err := c.bringTogether(ctx, before, l, learners, untouched, starter)
	if err != nil {
		return err
	}
	there, err := read(c.Path(l.Folder()))
	if err != nil {
		return err
	}
	if there.equal(carried) {
		fmt.Fprintf(out, "%s has your code of lesson %d already.\n", l.Folder(), before.Number)
	} else if err := c.replace(l, there, carried, starter, out); err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return c.conflicting(before, l, conflicts, out)
	}
	fmt.Fprintf(out, "%s continues from your code of lesson %d. Each TODO is a task.\n", l.Folder(), before.Number)
	return nil
}

// unmarked refuses to carry code in which an earlier carry has left conflicts.
func (c Course) unmarked(before, l lesson.Lesson, out io.Writer) error {
	marks, err := Marks(c.Path(before.Folder()))
	if err != nil || len(marks) == 0 {
		return err
	}
	folder := before.Folder()
	fmt.Fprintf(out, "Marks of carry (<<<<<<<) are left in %s, at\n%s", folder, markLines(folder, marks))
	writeParagraph(out, fmt.Sprintf("%s Then: make lesson-%d test, and make lesson-%d carry again.", HowToMend(before.Number), before.Number, l.Number))
	return fmt.Errorf("lesson %d: nothing was carried, because your code of lesson %d still has conflicts", l.Number, before.Number)
}

// bringTogether merges what a learner has made of the lesson before with what the lesson makes of it.
func (c Course) bringTogether(ctx context.Context, before, l lesson.Lesson, learners, untouched, starter Files) (Files, []Conflict, error) {
	where := before.Solution()
	solution, err := c.readSolution(before)
	if err != nil {
		return nil, nil, err
	}
	base, err := stripped(where, solution.withoutTests())
	if err != nil {
		return nil, nil, err
	}
	ours, err := withoutDoneTasks(where, solution, untouched, learners)
	if err != nil {
		return nil, nil, err
	}
	return merge{
		base: base, ours: ours, theirs: starter,
		oursLabel: fmt.Sprintf("your lesson %d", before.Number), theirLabel: fmt.Sprintf("lesson %d", l.Number),
	}.run(ctx)
}

// conflicting says what is left to do. That is a normal end of a carry.
func (c Course) conflicting(before, l lesson.Lesson, conflicts []Conflict, out io.Writer) error {
	marks, err := Marks(c.Path(l.Folder()))
	if err != nil {
		return err
	}
	folder := l.Folder()
	writeParagraph(out, fmt.Sprintf("Carried. %s to resolve: where your lesson %d and our lesson %d have changed the same lines, only you "+
		"can decide. This is normal. Resolve the conflicts at:", count(conflicts), before.Number, l.Number))
	fmt.Fprint(out, places(folder, conflicts, marks))
	if len(marks) > 0 {
		writeParagraph(out, "After <<<<<<< is your code. "+HowToMend(l.Number))
	}
	writeParagraph(out, fmt.Sprintf("Then: make lesson-%d test. Without an argument, make lesson-%d shows what is left; make lesson-%d reset "+
		"gives you the starter again.", l.Number, l.Number, l.Number))
	return nil
}

func count(conflicts []Conflict) string {
	if len(conflicts) == 1 {
		return "One file has conflicts"
	}
	return fmt.Sprintf("%d files have conflicts", len(conflicts))
}

func writeParagraph(out io.Writer, text string) {
	fmt.Fprintln(out, strings.Join(finding.Wrap(text, finding.Width), "\n"))
}

// list has a line for each conflict.
func list(folder string, conflicts []Conflict) string {
	var lines []string
	for _, conflict := range conflicts {
		lines = append(lines, fmt.Sprintf("  %s/%s: %s", folder, conflict.File, conflict.What))
	}
	return strings.Join(lines, "\n")
}

// HowToMend says what to do where carry has left marks in a lesson.
func HowToMend(number int) string {
	return fmt.Sprintf("After ======= is our code for lesson %d. It may have new lines without a TODO. Keep whatever your code doesn't "+
		"do yet, and remove the marks.", number)
}

// places has a line for each place that is left.
func places(folder string, conflicts []Conflict, marks []Mark) string {
	var all strings.Builder
	for _, conflict := range conflicts {
		inFile := slices.DeleteFunc(slices.Clone(marks), func(mark Mark) bool { return mark.File != conflict.File })
		if len(inFile) == 0 {
			fmt.Fprintf(&all, "  %s/%s: %s\n", folder, conflict.File, conflict.What)
		}
		all.WriteString(markLines(folder, inFile))
	}
	return all.String()
}

// markLines has a line for each mark.
func markLines(folder string, marks []Mark) string {
	var all strings.Builder
	for _, mark := range marks {
		fmt.Fprintf(&all, "  %s/%s:%d\n", folder, mark.File, mark.Line)
	}
	return all.String()
}

// A Mark is where carry has left two versions of the same lines, or what is left of these marks.
type Mark struct {
	File string
	Line int
}

// Marks are those that are left in the Go files of a folder.
func Marks(folder string) ([]Mark, error) {
	files, err := read(folder)
	return files.marks(), err
}

func (f Files) marks() (marks []Mark) {
	for _, name := range names(f) {
		open, n := false, 0
		for line := range strings.Lines(string(f[name])) {
			n++
			line = strings.TrimRight(line, "\r\n")
			begins, ends := strings.HasPrefix(line, "<<<<<<< "), strings.HasPrefix(line, ">>>>>>> ")
			if begins || !open && (ends || line == "=======") {
				marks = append(marks, Mark{name, n})
			}
			open = begins || open && !ends
		}
	}
	return marks
}

// Untouched says whether a lesson is still as a learner finds it.
func (c Course) Untouched(l lesson.Lesson) (bool, error) {
	there, err := read(c.Path(l.Folder()))
	if err != nil {
		return false, err
	}
	starter, err := c.starter(l)
	return there.equal(starter), err
}
