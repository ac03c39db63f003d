package process_test

import (
	"debug/buildinfo"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/process"
)

func TestABoundedProgram(t *testing.T) {
	const program = `package main

import (
	"fmt"
	"os"
)

func main() {
	switch os.Args[1] {
	case "memory":
		for all := [][]byte{}; len(all) < 1024; {
			all = append(all, make([]byte, 1<<20))
		}
	case "file":
		file, _ := os.Create(os.Args[2])
		for range 1024 {
			if _, err := file.Write(make([]byte, 1<<20)); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
	fmt.Println("well")
}
`
	binary := filepath.Join(t.TempDir(), "it's a controller")
	must.Succeed(t, process.Build(t.Context(), module(t, map[string]string{"main.go": program}), binary))
	if program := process.Unbound(binary); program != binary {
		t.Errorf("the program that runs as %s, which is not bounded, is %s", binary, program)
	}
	must.Succeed(t, process.Bound(binary))
	if info, err := buildinfo.ReadFile(process.Unbound(binary)); err != nil {
		t.Errorf("what runs as the bounded program was not built by Go: %v, %v", info, err)
	}
	for does, says := range map[string]string{
		"nothing": "well",
		"memory":  "out of memory",
		"file":    "file too large",
	} {
		output, err := exec.CommandContext(t.Context(), binary, does, filepath.Join(t.TempDir(), "file")).CombinedOutput()
		if !strings.Contains(string(output), says) || (err == nil) != (says == "well") {
			t.Errorf("one that does %s: error %v, output %.200q", does, err, output)
		}
	}
}
