// Package guard starts programs that end when this process does, however that ends.
package guard

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

//go:embed guard.sh
var guardScript []byte

// Guard starts programs through guard.sh, by which they end when this process ends, even by SIGKILL. Its folder holds
// for each program a copy of the script (bin/NAME) and a link to the program (real/NAME), and two FIFOs: bin/lifeline,
// which we hold open, and bin/ended, by which the scripts tell what has ended.
type Guard struct {
	dir      string
	lifeline *os.File
	ended    *os.File
}

// New makes a guard in dir for programs, given as name and path.
func New(dir string, programs map[string]string) (*Guard, error) {
	g := &Guard{dir: dir}
	for _, sub := range []string{"bin", "real"} {
		path := filepath.Join(dir, sub)
		if err := errors.Join(os.RemoveAll(path), os.MkdirAll(path, 0o755)); err != nil {
			return nil, err
		}
	}
	for name, program := range programs {
		link := filepath.Join(dir, "real", name)
		if err := errors.Join(WriteProgram(g.Path(name), guardScript), os.Symlink(program, link)); err != nil {
			return nil, err
		}
	}
	var err error
	if g.lifeline, err = openFIFO(g.Path("lifeline")); err != nil {
		return nil, err
	}
	if g.ended, err = openFIFO(g.Path("ended")); err != nil {
		g.Cut()
		return nil, err
	}
	return g, nil
}

// WriteProgram writes an executable file. No process is started meanwhile: it would inherit the open
// file until it runs a program of its own, and a file that is open for writing can't be run ("text file
// busy", https://go.dev/issue/22315).
func WriteProgram(path string, text []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, text, 0o755)
}

// Path returns the path of the script that runs a program.
func (g *Guard) Path(name string) string { return filepath.Join(g.dir, "bin", name) }

// Watch calls onEnd for every program that ends, until Cut.
func (g *Guard) Watch(onEnd func(name string, status int)) {
	lines := bufio.NewScanner(g.ended)
	for lines.Scan() {
		var name string
		var status int
		if _, err := fmt.Sscan(lines.Text(), &name, &status); err == nil {
			onEnd(name, status)
		}
	}
}

// Cut kills every program that still runs. It may be called more than once.
func (g *Guard) Cut() {
	_ = g.lifeline.Close()
	if g.ended != nil {
		_ = g.ended.Close()
	}
}

// openFIFO makes a FIFO and opens it both ways, which does not block. Programs that we start do not inherit it.
func openFIFO(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make the FIFO %s: %w", path, err)
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}
