package main

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
)

// pace says when to ask again for what the API server has refused for now. The status has its words, which may differ each time, and the
// event of that write must not bring the next attempt.
type pace struct {
	backoff workqueue.TypedRateLimiter[types.UID]
	until   sync.Map // by the UID of the object
}

func newPace() *pace {
	return &pace{backoff: workqueue.NewTypedItemExponentialFailureRateLimiter[types.UID](5*time.Millisecond, time.Minute)}
}

// left is how long to wait until the next attempt; 0 for not at all.
func (p *pace) left(uid types.UID) time.Duration {
	if until, known := p.until.Load(uid); known {
		return max(0, time.Until(until.(time.Time)))
	}
	return 0
}

func (p *pace) refused(uid types.UID) { p.until.Store(uid, time.Now().Add(p.backoff.When(uid))) }

func (p *pace) accepted(uid types.UID) {
	p.until.Delete(uid)
	p.backoff.Forget(uid)
}
