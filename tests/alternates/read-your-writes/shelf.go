package main

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// shelf holds, for each SequentialJob, the last Job that this process has made or seen for it: so it is known
// that there was one, when it vanishes before the status tells of it. The zero value is ready.
type shelf struct {
	mu   sync.Mutex
	jobs map[types.NamespacedName]shelved
}

type shelved struct {
	owner, uid types.UID
	job        string
}

// put notes a Job; one that takes its place under the same name is not noted.
func (s *shelf) put(object *v1alpha1.SequentialJob, job string, uid types.UID) {
	if s.get(object, job) != "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.jobs == nil {
		s.jobs = map[types.NamespacedName]shelved{}
	}
	s.jobs[client.ObjectKeyFromObject(object)] = shelved{owner: object.UID, uid: uid, job: job}
}

// get returns the UID of the Job of that name; empty when there is none.
func (s *shelf) get(object *v1alpha1.SequentialJob, job string) types.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.jobs[client.ObjectKeyFromObject(object)]; one.owner == object.UID && one.job == job {
		return one.uid
	}
	return ""
}

func (s *shelf) forget(object types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, object)
}
