package process

import (
	"slices"
	"syscall"
	"time"

	"github.com/prometheus/procfs"
)

// sweep kills every process that has the mark in its environment, until there is none or patience has
// run out. By the mark it finds those too that have left the controller's process group.
func sweep(mark string, patience time.Duration) {
	const pause = 2 * time.Millisecond // what has been killed takes a moment to go
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(pause) {
		all, _ := procfs.AllProcs()
		marked := slices.DeleteFunc(all, func(process procfs.Proc) bool {
			environment, err := process.Environ()
			return err != nil || !slices.Contains(environment, mark) // it has ended, or belongs to another user
		})
		if len(marked) == 0 {
			return
		}
		for _, process := range marked {
			_ = syscall.Kill(process.PID, syscall.SIGKILL) // it may have ended already
		}
	}
}
