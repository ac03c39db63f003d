package lessons

import (
	"fmt"
	"go/format"
	"path/filepath"
	"strings"

	"example.com/controller-course/tests/lesson"
)

// starter derives from a lesson's solution what the learner starts with: each exercise is replaced by its task.
// Tests are left out.
func (c Course) starter(l lesson.Lesson) (Files, error) { return c.fromSolution(l, starter) }

// PutStarter writes what the learner starts with to a folder.
func (c Course) PutStarter(l lesson.Lesson, folder string) error {
	files, err := c.starter(l)
	if err != nil {
		return err
	}
	return files.put(folder)
}

// stripped returns a lesson's solution as if nothing in it were an exercise. Tests are left out.
func (c Course) stripped(l lesson.Lesson) (Files, error) { return c.fromSolution(l, stripped) }

func (c Course) fromSolution(l lesson.Lesson, derive func(string, Files) (Files, error)) (Files, error) {
	files, err := c.readSolution(l)
	if err != nil {
		return nil, err
	}
	return derive(l.Solution(), files.withoutTests())
}

// readSolution returns a solution as it is written, with its tests.
func (c Course) readSolution(l lesson.Lesson) (Files, error) {
	files, err := read(c.Path(l.Solution()))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no solution in %s, which this command needs; if it was removed here, 'git checkout -- %s' restores it", l.Solution(), l.Solution())
	}
	return files, err
}

func starter(where string, files Files) (Files, error) {
	derived, err := derive(where, files, (*exercise).asStarter)
	if err != nil {
		return nil, err
	}
	if err := addImports(where, files, derived); err != nil {
		return nil, err
	}
	solution, err := stripped(where, files)
	if err != nil {
		return nil, err
	}
	for name, text := range derived {
		file := filepath.Join(where, name)
		if err := namesItsImports(file, solution[name]); err != nil {
			return nil, err
		}
		if derived[name], err = withoutUnusedImports(file, text); err != nil {
			return nil, err
		}
	}
	return derived, nil
}

func stripped(where string, files Files) (Files, error) {
	return derive(where, files, (*exercise).asSolution)
}

// derive puts something in the place of each exercise.
func derive(where string, files Files, instead func(*exercise) []string) (Files, error) {
	derived := Files{}
	begins := map[string]string{} // where each exercise is
	for _, name := range names(files) {
		file := filepath.Join(where, name)
		pieces, err := parse(file, files[name])
		if err != nil {
			return nil, err
		}
		var lines []string
		for _, piece := range pieces {
			if piece.exercise == nil {
				lines = append(lines, piece.lines...)
				continue
			}
			place := fmt.Sprintf("%s:%d", file, piece.exercise.line)
			if other, used := begins[piece.exercise.name]; used {
				return nil, fmt.Errorf("%s: the name %q is used already, in %s", place, piece.exercise.name, other)
			}
			begins[piece.exercise.name] = place
			lines = append(lines, instead(piece.exercise)...)
		}
		if derived[name], err = format.Source([]byte(strings.Join(lines, "\n") + "\n")); err != nil {
			return nil, fmt.Errorf("%s, without what marks its exercises, is no Go: %w", file, err)
		}
	}
	return derived, nil
}

func (e *exercise) asSolution() []string { return e.code }

func (e *exercise) asStarter() []string {
	lines := []string{fmt.Sprintf("%s// TODO(%s): %s", e.indent, e.name, e.task[0])}
	for _, more := range e.task[1:] {
		lines = append(lines, e.indent+strings.TrimSpace("// "+more))
	}
	for _, line := range e.starter {
		lines = append(lines, e.indent+line)
	}
	if e.apart && len(e.starter) == 0 {
		lines = append(lines, "")
	}
	return lines
}
