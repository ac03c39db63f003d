package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"unicode"
)

// What is kept of a controller's output: its start in the log file immediately, its end in memory and,
// once the controller has ended, in the file too.
const (
	headSize = 7 << 20
	tailSize = 1 << 20
)

// logFile takes whatever a controller prints and never fails, as the controller would fail with it.
type logFile struct {
	file *os.File

	mu      sync.Mutex
	printed int64
	tail    []byte // the last tailSize bytes and up to as many before
}

// Write implements io.Writer. A file that can't be written costs a part of the log, not the run.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if room := headSize - l.printed; room > 0 {
		_, _ = l.file.Write(p[:min(room, int64(len(p)))])
	}
	l.printed += int64(len(p))
	l.tail = append(l.tail, p...)
	if len(l.tail) > 2*tailSize {
		l.tail = append(l.tail[:0], l.tail[len(l.tail)-tailSize:]...)
	}
	return len(p), nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if rest := l.printed - headSize; rest > 0 {
		if rest > tailSize {
			fmt.Fprintf(l.file, "\n\n[%d bytes were left out here]\n\n", rest-tailSize)
		}
		_, _ = l.file.Write(l.tail[len(l.tail)-int(min(rest, tailSize)):])
	}
	_ = l.file.Close()
}

func (l *logFile) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.printed > headSize+tailSize
}

func (l *logFile) end() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.tail)
}

// readLines passes each line of an output to printed, until the output ends or a line is too long.
func readLines(output io.Reader, printed func(string)) {
	if printed == nil {
		return
	}
	for scanner := bufio.NewScanner(output); scanner.Scan(); {
		printed(printable(scanner.Text()))
	}
}

// lastLines are the last lines of a text, fit for a terminal.
func lastLines(text string, most int) []string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-most):]
	for i, line := range lines {
		lines[i] = readable(line)
	}
	return lines
}

// readable returns a line without what is not worth printing.
func readable(line string) string {
	const most = 300
	line = printable(line)
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return line
}

// printable is a line without what would move a cursor.
func printable(line string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, line)
}
