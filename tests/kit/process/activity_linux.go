package process

import (
	"slices"
	"time"

	"github.com/prometheus/procfs"
)

// belongs is how long it is taken for granted which processes are in the group: to find them takes much longer
// than to look at them.
const belongs = time.Second

// ask looks at the threads of all processes of the group.
func (o *observed) ask() (a Activity) {
	o.list()
	for _, pid := range o.members {
		process, err := procfs.NewProc(pid)
		if err != nil {
			continue // it has ended
		}
		if stat, err := process.Stat(); err == nil {
			a.Used += time.Duration(stat.CPUTime() * float64(time.Second))
		}
		threads, _ := procfs.AllThreads(pid)
		a.Runnable = a.Runnable || slices.ContainsFunc(threads, func(thread procfs.Proc) bool {
			stat, err := thread.Stat()
			return err == nil && (stat.State == "R" || stat.State == "D")
		})
	}
	return a
}

func (o *observed) list() {
	if time.Since(o.listed) < belongs {
		return
	}
	all, _ := procfs.AllProcs()
	o.members, o.listed = nil, time.Now()
	for _, process := range all {
		if stat, err := process.Stat(); err == nil && stat.PGRP == o.group {
			o.members = append(o.members, process.PID)
		}
	}
}
