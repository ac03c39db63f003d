package workspace

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A setting that was changed is put back at once. If somebody changes it again and again, it is another controller or a script,
// and putting it back costs both sides a request each time. So after firstRestores times the operator waits, longer each time.
// A bucket that has been left alone for calm is no longer disputed.
const (
	firstRestores = 3
	firstTruce    = 2 * time.Second
	longestTruce  = 10 * time.Minute
	calm          = 30 * time.Minute
)

// disputes are the buckets of which settings were put back. The zero value is ready.
type disputes struct {
	mu      sync.Mutex
	entries map[types.UID]dispute
}

type dispute struct {
	restored int
	last     time.Time
}

// restored records that settings were put back, and returns when that may be done again.
func (d *disputes) restored(uid types.UID, now time.Time) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry := d.entries[uid]
	if now.Sub(entry.last) > calm {
		entry.restored = 0
	}
	entry.restored++
	entry.last = now
	if d.entries == nil {
		d.entries = map[types.UID]dispute{}
	}
	d.entries[uid] = entry
	return entry.truce()
}

// truce returns when settings of the bucket may be put back again.
func (d *disputes) truce(uid types.UID) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.entries[uid].truce()
}

func (d *disputes) forget(uid types.UID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.entries, uid)
}

func (d dispute) truce() time.Time {
	if d.restored < firstRestores {
		return time.Time{}
	}
	wait := firstTruce
	for range d.restored - firstRestores {
		wait = min(2*wait, longestTruce)
	}
	return d.last.Add(wait)
}
