package main

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// disputes are the buckets whose settings others have changed, and this process has put back. The zero value is ready.
type disputes struct {
	mu      sync.Mutex
	entries map[types.UID]dispute
}

type dispute struct {
	times int       // how often settings were put back
	last  time.Time // when
}

// calm is after how long without a change a dispute is over.
const calm = 30 * time.Minute

// restored records that settings were put back.
func (d *disputes) restored(uid types.UID, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry := d.entries[uid]
	if now.Sub(entry.last) > calm {
		entry.times = 0
	}
	if d.entries == nil {
		d.entries = map[types.UID]dispute{}
	}
	d.entries[uid] = dispute{entry.times + 1, now}
}

// truce returns until when the settings are left as they are; the zero time if they may be put back at once.
func (d *disputes) truce(uid types.UID) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return truceOf(d.entries[uid])
}

// truceOf returns until when to wait after settings have been put back that often: three times without a wait, then with one that doubles.
func truceOf(entry dispute) time.Time {
	const atOnce, first, longest, doublings = 3, 2 * time.Second, 10 * time.Minute, 9
	if entry.times < atOnce {
		return time.Time{}
	}
	return entry.last.Add(min(first<<min(entry.times-atOnce, doublings), longest))
}

func (d *disputes) forget(uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.entries, uid)
}
