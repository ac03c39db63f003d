package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/controller-course/tests/kit/guard"
)

// What a bounded program may use. A controller uses a tenth of it, and up to two dozen run at the same time.
const (
	mostMemoryKiB   = 512 << 10
	mostFileSectors = 256 << 10 // of 512 bytes, in each file
)

// unbounded is how the name of the program ends whose place a script has taken.
const unbounded = ".unbounded"

// Bound makes sure that a program uses little memory and writes no large files whenever it runs. A script takes its place.
func Bound(binary string) error {
	binary, err := filepath.Abs(binary)
	if err != nil {
		return err
	}
	program := binary + unbounded
	if err := os.Rename(binary, program); err != nil {
		return err
	}
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	script := fmt.Sprintf("#!/bin/sh\nulimit -d %d && ulimit -f %d && exec %s \"$@\"\n", mostMemoryKiB, mostFileSectors, quoted)
	return guard.WriteProgram(binary, []byte(script))
}

// Unbound is the program that runs as a binary: another file, if it is bounded.
func Unbound(binary string) string {
	if _, err := os.Stat(binary + unbounded); err == nil {
		return binary + unbounded
	}
	return binary
}
