package cluster

import (
	"bufio"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

//go:embed guard.sh
var guardScript []byte

// A guard starts the cluster's programs through guard.sh, by which they end
// when this process ends, even by SIGKILL. Its folder holds for each program a
// copy of the script (bin/NAME) and a link to the program (real/NAME), and two
// FIFOs: bin/lifeline, which we hold open, and bin/ended, by which the scripts
// tell what has ended.
type guard struct {
	dir      string
	lifeline *os.File
	ended    *os.File
}

// newGuard makes a guard in dir for programs, given as name and path.
func newGuard(dir string, programs map[string]string) (*guard, error) {
	g := &guard{dir: dir}
	for _, sub := range []string{"bin", "real"} {
		if err := os.RemoveAll(filepath.Join(dir, sub)); err != nil {
			return nil, err
		}
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, err
		}
	}
	for name, program := range programs {
		if err := os.WriteFile(g.path(name), guardScript, 0o755); err != nil {
			return nil, err
		}
		if err := os.Symlink(program, filepath.Join(dir, "real", name)); err != nil {
			return nil, err
		}
	}
	var err error
	if g.lifeline, err = openFIFO(g.path("lifeline")); err != nil {
		return nil, err
	}
	if g.ended, err = openFIFO(g.path("ended")); err != nil {
		g.cut()
		return nil, err
	}
	return g, nil
}

// path returns the path of the script that runs a program.
func (g *guard) path(name string) string { return filepath.Join(g.dir, "bin", name) }

// watch calls onEnd for every program that ends, until cut.
func (g *guard) watch(onEnd func(name string, status int)) {
	lines := bufio.NewScanner(g.ended)
	for lines.Scan() {
		var name string
		var status int
		if _, err := fmt.Sscan(lines.Text(), &name, &status); err == nil {
			onEnd(name, status)
		}
	}
}

// cut kills every program that still runs. It may be called more than once.
func (g *guard) cut() {
	_ = g.lifeline.Close()
	if g.ended != nil {
		_ = g.ended.Close()
	}
}

// openFIFO makes a FIFO and opens it both ways, which does not block. Programs
// that we start do not inherit it.
func openFIFO(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("make the FIFO %s: %w", path, err)
	}
	return os.OpenFile(path, os.O_RDWR, 0)
}
