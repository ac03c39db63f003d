package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// roleVariable makes the test binary a controller that misbehaves.
const roleVariable = "PROCESS_TEST_ROLE"

var roles = map[string]func(){
	"exits well":     func() {},
	"exits with 3":   func() { os.Exit(3) },
	"ends itself":    func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL) },
	"panics":         func() { panic("boom") },
	"obeys":          obey,
	"obeys badly":    func() { obey(); panic("too late") },
	"ignores":        ignore,
	"works":          work,
	"floods":         flood,
	"leaves some":    func() { leaveSome(); obey() },
	"only leaves":    leaveSome,
	"its guard dies": func() { _ = syscall.Kill(os.Getppid(), syscall.SIGKILL); ignore() },
}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		roles[role]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func obey() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	fmt.Println("up")
	<-signals
}

func ignore() {
	signal.Ignore(syscall.SIGTERM)
	fmt.Println("up")
	select {}
}

func work() {
	fmt.Println("up")
	for n := 0; ; n++ { // it ends with its process
		worked = n
	}
}

// worked keeps work from being nothing.
var worked int

// flooded is how much is printed by who prints too much.
const flooded = 20 << 20

func flood() {
	fmt.Println("the beginning")
	line := []byte(strings.Repeat("blah ", 200) + "\n")
	for printed := 0; printed < flooded; printed += len(line) {
		_, _ = os.Stdout.Write(line)
	}
	obey()
}

// heirVariable names the FIFO that a surviving child process holds open.
const heirVariable = "PROCESS_TEST_FIFO"

// leaveSome starts programs that outlive their parent: in its process group, in a session of their own,
// and one whose parent has ended.
func leaveSome() {
	const program = `trap '' TERM; exec 9>"$` + heirVariable + `"; echo up >&9; while :; do sleep 1; done`
	for _, script := range []string{program, "(" + program + ") &"} {
		for _, session := range []bool{false, true} {
			heir := exec.Command("/bin/sh", "-c", script)
			heir.Stdout, heir.Stderr = os.Stdout, os.Stderr
			heir.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
			if err := heir.Start(); err != nil {
				panic(err)
			}
		}
	}
	awaitFile(os.Getenv(heirVariable) + ".seen")
}
