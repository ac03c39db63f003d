package campaign

import (
	batchv1 "k8s.io/api/batch/v1"

	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// world is what is there of a scenario's object at a moment.
type world struct{ stage.World }

// waits says that the second step could begin if nothing stood in its way.
func (w world) waits() bool {
	job := w.Job(sample.Fetch)
	return job != nil && jobdriver.Holds(job, batchv1.JobComplete)
}
