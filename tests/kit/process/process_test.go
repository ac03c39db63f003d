package process_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/process"
)

// bound is how long may take what usually takes a fraction of it.
const bound = 2 * time.Minute

func TestEndsByItself(t *testing.T) {
	for role, want := range map[string]struct {
		how  string
		code int
	}{
		"exits well":     {"exit code 0", 0},
		"exits with 3":   {"exit code 3", 3},
		"ends itself":    {"exit code 137, after signal: killed", 137},
		"panics":         {"panic: boom", 2},
		"its guard dies": {"signal: killed", -1},
	} {
		t.Run(role, func(t *testing.T) {
			p := start(t, role)
			await(t, p.Ended())
			assert.Equal(t, "how it ended", p.Outcome().How, want.how)
			assert.Equal(t, "its exit code", p.Outcome().ExitCode, want.code)
			must.Succeed(t, p.Stop())
			p.Kill()
			wantEnd(t, p, want.how)
		})
	}
}

func TestPanicShowsWhereInItsOwnCode(t *testing.T) {
	p := start(t, "panics")
	await(t, p.Ended())
	found := p.Outcome().Panic
	if found == nil || found.Message != "panic: boom" || !strings.HasPrefix(found.Where, "tests/kit/process/roles_test.go:") {
		t.Errorf("the panic was %+v", found)
	}
}

func TestStop(t *testing.T) {
	for role, how := range map[string]string{"obeys": "stopped", "obeys badly": "panic: too late"} {
		t.Run(role, func(t *testing.T) {
			p := start(t, role)
			awaitLog(t, p, "up")
			if end := p.Outcome(); end.How != "" || end.ExitCode != -1 || p.PeakBytes() != 0 {
				t.Errorf("while it runs it is said to have ended with %q, code %d, %d bytes", end.How, end.ExitCode, p.PeakBytes())
			}
			if err := p.Stop(); err != nil || p.PeakBytes() == 0 {
				t.Errorf("Stop: %v; %d bytes", err, p.PeakBytes())
			}
			wantEnd(t, p, how)
		})
	}
}

func TestActivity(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the operating system is asked on Linux only")
	}
	for role, works := range map[string]bool{"works": true, "ignores": false} {
		t.Run(role, func(t *testing.T) {
			p := start(t, role)
			awaitLog(t, p, "up")
			const enough = 100 * time.Millisecond
			var a process.Activity
			eventually(t, "activity as expected", func() bool {
				a = p.Activity()
				return a.Runnable == works && (a.Used > enough || !works)
			})
			p.Kill()
			eventually(t, "rest after its end", func() bool { return !p.Activity().Runnable })
		})
	}
}

func TestActivityOfAProgramThatJustStarts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the operating system is asked on Linux only")
	}
	p := start(t, "works")
	p.Activity() // of the script that starts it
	awaitLog(t, p, "up")
	time.Sleep(10 * time.Millisecond) // an Activity may be reused for less
	if !p.Activity().Runnable {
		t.Error("a program that works is said to be asleep, because only the script was there at the first look")
	}
}

func TestStopOfOneThatIgnoresIt(t *testing.T) {
	p := startWith(t, "ignores", 100*time.Millisecond)
	awaitLog(t, p, "up")
	for range 2 {
		err := p.Stop()
		if _, ignored := errors.AsType[*process.SigtermError](err); !ignored {
			t.Errorf("Stop: %v, want a *SigtermError", err)
		}
	}
	wantEnd(t, p, "killed")
}

func TestLogIsBounded(t *testing.T) {
	const most = 9 << 20
	p := start(t, "floods")
	eventually(t, "up as its last line", func() bool {
		lines := p.Outcome().LastLines
		return lines[len(lines)-1] == "up"
	})
	must.Succeed(t, p.Stop())
	log, err := os.ReadFile(p.Log())
	must.Succeed(t, err)
	text := string(log)
	if len(log) > most || !strings.HasPrefix(text, "the beginning\n") || !strings.HasSuffix(text, "\nup\n") ||
		!strings.Contains(text, " bytes were left out here]\n") || !p.Outcome().LogFull {
		t.Errorf("%d bytes of log, from %.20q to %q, full: %t", len(log), text, text[len(text)-20:], p.Outcome().LogFull)
	}
}

func TestNoProcessIsLeft(t *testing.T) {
	for name, end := range map[string]struct {
		role string
		end  func(*process.Process)
	}{
		"after Kill":             {"leaves some", (*process.Process).Kill},
		"after Stop":             {"leaves some", func(p *process.Process) { _ = p.Stop() }},
		"after an end by itself": {"only leaves", func(*process.Process) {}},
	} {
		t.Run(name, func(t *testing.T) {
			fifo := filepath.Join(t.TempDir(), "heirs")
			must.Succeed(t, syscall.Mkfifo(fifo, 0o600))
			t.Setenv(heirVariable, fifo)
			p := start(t, end.role)
			heirs, err := os.OpenFile(fifo, os.O_RDONLY, 0)
			must.Succeed(t, err)
			defer heirs.Close()
			lines := bufio.NewReader(heirs)
			for range 4 {
				if line, err := lines.ReadString('\n'); line != "up\n" {
					t.Fatalf("%q, %v", line, err)
				}
			}
			must.Succeed(t, os.WriteFile(fifo+".seen", nil, 0o600))
			end.end(p)
			await(t, p.Ended())
			gone := make(chan struct{})
			go func() {
				defer close(gone)
				_, _ = io.Copy(io.Discard, lines) // as long as a process holds the FIFO open
			}()
			await(t, gone)
		})
	}
}

func TestManyMayEndIt(t *testing.T) {
	p := start(t, "obeys")
	awaitLog(t, p, "up")
	var all sync.WaitGroup
	for range 5 {
		all.Go(p.Kill)
		all.Go(func() { _ = p.Stop() })
		all.Go(func() { _, _, _ = p.Outcome(), p.Outcome().ExitCode, p.PeakBytes() })
	}
	all.Wait()
	wantEnd(t, p, "killed", "stopped")
}

func TestProgramInAnotherLanguage(t *testing.T) {
	t.Chdir(t.TempDir())
	must.Succeed(t, os.WriteFile("controller", []byte("#!/bin/sh\necho \"$KUBECONFIG $*\"\nexit 5\n"), 0o755))
	dir := t.TempDir()
	p, err := process.Start(process.Options{Binary: "controller", Config: &rest.Config{}, Dir: dir, Args: []string{"--more"}})
	must.Succeed(t, err)
	await(t, p.Ended())
	wantEnd(t, p, "exit code 5")
	lines := p.Outcome().LastLines
	start := filepath.Join(dir, "kubeconfig") + " --metrics-bind-address=127.0.0.1:"
	if len(lines) != 1 || !strings.HasPrefix(lines[0], start) || !strings.HasSuffix(lines[0], " --more") {
		t.Errorf("it printed %q", lines)
	}
}

func TestStartOfWhatCannotRun(t *testing.T) {
	text := filepath.Join(t.TempDir(), "README")
	must.Succeed(t, os.WriteFile(text, nil, 0o644))
	for _, binary := range []string{text, text + "-missing", t.TempDir()} {
		if p, err := process.Start(process.Options{Binary: binary, Config: &rest.Config{}, Dir: t.TempDir()}); err == nil {
			p.Kill()
			t.Errorf("Start of %s succeeded", binary)
		}
	}
}

func BenchmarkStartAndKill(b *testing.B) {
	b.Setenv(roleVariable, "ignores")
	for b.Loop() {
		p, err := process.Start(process.Options{Binary: os.Args[0], Config: &rest.Config{}, Dir: b.TempDir()})
		must.Succeed(b, err)
		p.Kill()
	}
}

func start(t *testing.T, role string) *process.Process {
	t.Helper()
	return startWith(t, role, bound)
}

func startWith(t *testing.T, role string, patience time.Duration) *process.Process {
	t.Helper()
	t.Setenv(roleVariable, role)
	p, err := process.Start(process.Options{
		Binary: os.Args[0], Config: &rest.Config{Host: "http://127.0.0.1:1"}, Dir: t.TempDir(), Patience: patience,
	})
	must.Succeed(t, err)
	t.Cleanup(p.Kill)
	return p
}

// wantEnd says that a controller has ended in one of some ways.
func wantEnd(t *testing.T, p *process.Process, ways ...string) {
	t.Helper()
	if how := p.Outcome().How; !slices.Contains(ways, how) {
		t.Errorf("it ended with %q, want %q", how, ways)
	}
}

func await(t *testing.T, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(bound):
		t.Fatalf("it had not ended after %s", bound)
	}
}

func awaitLog(t *testing.T, p *process.Process, text string) {
	t.Helper()
	eventually(t, text+" in its log", func() bool {
		log, err := os.ReadFile(p.Log())
		must.Succeed(t, err)
		return strings.Contains(string(log), text)
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(bound); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s: no %s", bound, what)
		}
	}
}

func awaitFile(path string) {
	for deadline := time.Now().Add(bound); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
}
