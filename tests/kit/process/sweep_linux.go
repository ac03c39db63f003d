package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// sweep kills every process that has the mark in its environment, until there is none or patience has
// run out. By the mark it finds those too that have left the controller's process group.
func sweep(mark string, patience time.Duration) {
	const pause = 2 * time.Millisecond // what has been killed takes a moment to go
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(pause) {
		found := marked(mark)
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended already
		}
	}
}

// marked are the processes that have the mark in their environment.
func marked(mark string) []int {
	var pids []int
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environment, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environment, []byte(mark)) {
			continue // it has ended, or belongs to somebody else
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
