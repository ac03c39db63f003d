package process

import (
	"slices"
	"time"

	"github.com/prometheus/procfs"
)

// belongs is how long it is taken for granted which processes are in the group: to find them takes much longer
// than to look at them. That holds once the program is there. Until then there are only processes of the guard's script.
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
	settled := o.begun || o.members == nil // without members, the group has ended, or was never looked at
	if settled && time.Since(o.listed) < belongs {
		return
	}
	all, _ := procfs.AllProcs()
	o.members, o.listed = nil, time.Now()
	for _, process := range all {
		if stat, err := process.Stat(); err == nil && stat.PGRP == o.group {
			o.members = append(o.members, process.PID)
			o.begun = o.begun || !o.isGuard(process)
		}
	}
}

// isGuard says whether a process runs the guard's script, or has ended. The script starts two children: one that runs the script too
// until it becomes the program, and one that watches over it.
func (o *observed) isGuard(process procfs.Proc) bool {
	const interpreted = 2 // words: the shell, and the script
	words, err := process.CmdLine()
	ended := err != nil || len(words) == 0
	return ended || slices.Contains(words[:min(interpreted, len(words))], o.script)
}
