package process

import (
	"slices"
	"sync"
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
	settled := o.begun || o.listed && o.members == nil // without members, the group has ended
	age := belongs
	if !settled {
		age = 0
	}
	o.members, o.listed = groups.members(o.group, age), true
	o.begun = o.begun || slices.ContainsFunc(o.members, func(pid int) bool { return !o.isGuard(pid) })
}

// groups are the processes of the machine by their groups. All who ask share one list, because many controllers may run at the same time.
var groups groupList

type groupList struct {
	mu     sync.Mutex
	pids   map[int][]int
	listed time.Time
}

// members returns the processes of a group. They may have been listed as long ago as age.
func (g *groupList) members(group int, age time.Duration) []int {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.listed) >= age {
		all, _ := procfs.AllProcs()
		g.pids, g.listed = map[int][]int{}, time.Now()
		for _, process := range all {
			if stat, err := process.Stat(); err == nil {
				g.pids[stat.PGRP] = append(g.pids[stat.PGRP], process.PID)
			}
		}
	}
	return g.pids[group]
}

// isGuard says whether a process runs the guard's script, or has ended. The script starts two children: one that runs the script too
// until it becomes the program, and one that watches over it.
func (o *observed) isGuard(pid int) bool {
	const interpreted = 2 // words: the shell, and the script
	process, err := procfs.NewProc(pid)
	if err != nil {
		return true
	}
	words, err := process.CmdLine()
	ended := err != nil || len(words) == 0
	return ended || slices.Contains(words[:min(interpreted, len(words))], o.script)
}
