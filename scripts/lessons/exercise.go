package lessons

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// An exercise is a region of a solution that the learner must write. Lines of their own mark it,
// in this order:
//
//	//exercise:begin order Find the step that is next.
//	//exercise:task More lines of the task, if one isn't enough.
//	the solution's code
//	//exercise:starter what replaces it in the starter, if anything; several lines are possible
//	//exercise:import corev1 "k8s.io/api/core/v1"
//	//exercise:end
type exercise struct {
	name    string
	line    int      // where it starts
	indent  string   // of that line
	task    []string // what the learner must write
	code    []string // the solution
	starter []string // what the learner finds instead
	imports []string // that only the starter needs, as in an import declaration: `corev1 "k8s.io/api/core/v1"`
	apart   bool     // what follows is a comment on something else
}

// A piece of a file is an exercise, or lines that are none.
type piece struct {
	lines    []string
	exercise *exercise
}

const mark = "//exercise:"

var exerciseNames = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// parse takes a file of a solution to pieces. Its errors name the line.
func parse(file string, text []byte) ([]piece, error) {
	p := &pieceReader{lines: lines(text)}
	for i, line := range p.lines {
		if err := p.take(i+1, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
	}
	if p.open != nil {
		return nil, fmt.Errorf("%s:%d: the exercise %q has no %send", file, p.open.line, p.open.name, mark)
	}
	return p.pieces, nil
}

type pieceReader struct {
	lines  []string
	pieces []piece
	open   *exercise // the one that has not ended yet
}

func (p *pieceReader) take(number int, line string) error {
	trimmed := strings.TrimSpace(line)
	directive, isDirective := strings.CutPrefix(trimmed, mark)
	switch {
	case isDirective:
		word, rest, _ := strings.Cut(directive, " ")
		return p.direct(number, word, rest)
	case strings.HasPrefix(trimmed, "// exercise:"):
		return fmt.Errorf("write %s without a space", mark)
	case strings.Contains(line, mark):
		return fmt.Errorf("%s… has to have a line of its own", mark)
	case p.open == nil:
		p.pieces = append(p.pieces, piece{lines: []string{line}})
	case len(p.open.starter)+len(p.open.imports) > 0:
		return fmt.Errorf("the solution's code comes before %sstarter", mark)
	default:
		p.open.code = append(p.open.code, line)
	}
	return nil
}

func (p *pieceReader) direct(number int, word, rest string) error {
	if word == "begin" {
		return p.begin(number, rest)
	}
	if p.open == nil {
		return fmt.Errorf("%s%s is outside of an exercise", mark, word)
	}
	switch word {
	case "task":
		if len(p.open.code)+len(p.open.starter) > 0 {
			return fmt.Errorf("%stask comes right after %sbegin", mark, mark)
		}
		p.open.task = append(p.open.task, strings.TrimSpace(rest))
	case "starter":
		p.open.starter = append(p.open.starter, rest)
	case "import":
		p.open.imports = append(p.open.imports, strings.TrimSpace(rest))
	case "end":
		return p.end(number, rest)
	default:
		return fmt.Errorf("there is no %s%s; there are begin, task, starter, import and end", mark, word)
	}
	return nil
}

func (p *pieceReader) begin(number int, rest string) error {
	if p.open != nil {
		return fmt.Errorf("an exercise begins within %q, which began in line %d", p.open.name, p.open.line)
	}
	name, task, _ := strings.Cut(rest, " ")
	if task = strings.TrimSpace(task); !exerciseNames.MatchString(name) || task == "" {
		return fmt.Errorf("write %sbegin, a name like find-next, and the task", mark)
	}
	line := p.lines[number-1]
	p.open = &exercise{name: name, line: number, indent: line[:strings.Index(line, mark)], task: []string{task}}
	return nil
}

func (p *pieceReader) end(number int, rest string) error {
	if strings.TrimSpace(rest) != "" {
		return errors.New("there is text after " + mark + "end")
	}
	p.open.code = withoutEdges(p.open.code)
	p.open.apart = p.apart(p.open.line, number)
	p.pieces = append(p.pieces, piece{exercise: p.open})
	p.open = nil
	return nil
}

// apart says whether the lines below an exercise are a comment on something else. If there is a comment
// above the exercise too, all three belong together.
func (p *pieceReader) apart(begin, end int) bool {
	commentAbove := begin > 1 && isComment(p.lines[begin-2]) && !strings.Contains(p.lines[begin-2], mark)
	commentBelow := end < len(p.lines) && isComment(p.lines[end])
	return commentBelow && !commentAbove
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "//") }

// withoutEdges leaves out the blank lines that keep gofmt from taking a directive for a part of a
// declaration's comment.
func withoutEdges(code []string) []string {
	for len(code) > 0 && strings.TrimSpace(code[0]) == "" {
		code = code[1:]
	}
	for len(code) > 0 && strings.TrimSpace(code[len(code)-1]) == "" {
		code = code[:len(code)-1]
	}
	return code
}
