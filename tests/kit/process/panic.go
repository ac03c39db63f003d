package process

import (
	"fmt"
	"regexp"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// Panic is what a Go program's log says about the panic that ended it, or that it survived.
type Panic struct {
	Message   string // "panic: assignment to entry in nil map", without the stack
	Where     string // the first place of the stack in the controller's own code, "lessons/03/main.go:42"; may be empty
	Recovered bool   // by controller-runtime, which tries again
}

// FindPanic finds the panic by which a program has ended in what it printed; where there is none, the
// last one that was recovered.
func FindPanic(log string) *Panic {
	if found := fatal(log); found != nil {
		return found
	}
	return recovered(log)
}

var (
	fatalLine     = regexp.MustCompile(`(?m)^(panic|fatal error): `)
	goroutineLine = regexp.MustCompile(`(?m)^goroutine \d+.*\[.*\]:$`)
)

func fatal(log string) *Panic {
	starts := fatalLine.FindAllStringIndex(log, -1)
	for i := len(starts) - 1; i >= 0; i-- {
		text := log[starts[i][0]:]
		if stack := goroutineLine.FindStringIndex(text); stack != nil {
			return &Panic{Message: headline(text[:stack[0]]), Where: ownFrame(text[stack[1]:])}
		}
	}
	return nil // a program may well print such a line; what makes it a panic is the stack
}

// headline returns the text before a stack: a panic's value, which may have several lines.
func headline(text string) string {
	const most = 5
	var lines []string
	for line := range strings.Lines(text) {
		line = readable(strings.TrimRight(line, "\n"))
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "[signal ") && len(lines) < most {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// longestStack is what controller-runtime logs of a stack, and room for how it is written down.
const longestStack = 100 << 10

// What controller-runtime logs of a panic in Reconcile, in whatever format.
var (
	goroutineStart = regexp.MustCompile(`goroutine \d+ \[`)
	recoveredValue = regexp.MustCompile(`"?\bpanic"?[:=]\s*"((?:[^"\\]|\\.)*)"`)
	escapes        = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`)
)

func recovered(log string) *Panic {
	start := strings.LastIndex(log, "Observed a panic")
	if start < 0 {
		return nil
	}
	found := &Panic{Message: "panic", Recovered: true}
	line, _, _ := strings.Cut(log[start:], "\n")
	if value := recoveredValue.FindStringSubmatch(line); value != nil {
		found.Message = headline("panic: " + escapes.Replace(value[1]))
	}
	text := escapes.Replace(log[start:min(len(log), start+longestStack)])
	if stack := goroutineStart.FindStringIndex(text); stack != nil {
		found.Where = ownFrame(text[stack[1]:])
	}
	return found
}

var (
	// frame is one place of a stack: a function with its package, and a file with a line.
	frame = regexp.MustCompile(`(?m)^\t?(?:created by )?(\S+?)(?:\(.*\))?(?: in goroutine \d+)?\n\t+(\S+\.go):(\d+)`)
	// panicFrame is where a stack shows that a function panicked; deferred ones stand above it.
	panicFrame = regexp.MustCompile(`(?m)^\t?panic\(.*\n.*\n`)
)

// ownFrame is the first place of a goroutine's stack that is the controller's own.
func ownFrame(stack string) string {
	if next := goroutineLine.FindStringIndex(stack); next != nil {
		stack = stack[:next[0]] // of another goroutine
	}
	if panics := panicFrame.FindAllStringIndex(stack, -1); panics != nil {
		stack = stack[panics[len(panics)-1][1]:]
	}
	for _, found := range frame.FindAllStringSubmatch(stack, -1) {
		if function, file, line := found[1], found[2], found[3]; isOwn(function, file) {
			return fmt.Sprintf("%s:%s", repo.Short(file), line)
		}
	}
	return ""
}

// isOwn says whether a function belongs neither to Go, whose packages' names begin with no domain, nor
// to a module that was downloaded.
func isOwn(function, file string) bool {
	domain, _, _ := strings.Cut(function, "/")
	return !strings.Contains(file, "@v") &&
		(strings.HasPrefix(function, "main.") || domain != function && strings.Contains(domain, "."))
}
