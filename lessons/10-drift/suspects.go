package main

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// suspects are the Workspaces whose buckets may have changed since their status was written. So their next reconcile looks, although
// the status says that nothing is left to do. The zero value is ready.
type suspects struct {
	mu   sync.Mutex
	uids map[types.UID]bool
}

func (s *suspects) add(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uids == nil {
		s.uids = map[types.UID]bool{}
	}
	s.uids[uid] = true
}

func (s *suspects) has(uid types.UID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uids[uid]
}

func (s *suspects) remove(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.uids, uid)
}
