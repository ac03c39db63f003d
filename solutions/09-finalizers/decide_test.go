package main

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestDecide(t *testing.T) {
	for name, test := range map[string]struct {
		object   *v1alpha1.SequentialJob
		jobs     map[string]*batchv1.Job
		created  types.UID // of the Job that this process created for the current step
		late     *batchv1.Job
		want     action
		wantStep string
		reason   string
	}{
		"no status yet": {
			object: makeObject(),
			want:   doNothing,
			reason: "the step is claimed before its Job is created",
		},
		"first is claimed": {
			object: claimed(makeObject()),
			want:   createJob, wantStep: "build",
			reason: "the first step comes first, and the status names its Job",
		},
		"first is claimed, and has a Job": {
			object: claimed(makeObject()),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   doNothing,
			reason: "another process created it and ended before it recorded that",
		},
		"no claim, but a Job": {
			object: makeObject(),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   doNothing,
			reason: "a step has one Job, with or without a claim",
		},
		"created, and the cache does not show it": {
			object:  claimed(makeObject()),
			created: "uid-of-build",
			want:    doNothing,
			reason:  "the step has had its Job: it may have had an effect, even if it is gone now",
		},
		"created, and the cache shows it": {
			object:  claimed(makeObject()),
			jobs:    map[string]*batchv1.Job{"build": makeJob("build")},
			created: "uid-of-build",
			want:    doNothing,
			reason:  "only the status is missing",
		},
		"created before the run was suspended": {
			object:  suspended(claimed(makeObject())),
			jobs:    map[string]*batchv1.Job{"build": makeJob("build")},
			created: "uid-of-build",
			want:    suspendJob, wantStep: "build",
			reason: "a Job is suspended even if the status does not say yet that it runs",
		},
		"refused in an earlier reconcile": {
			object: saying(v1alpha1.ReasonJobRefused, claimed(makeObject())),
			want:   createJob, wantStep: "build",
			reason: "quotas are raised",
		},
		"the name was taken in an earlier reconcile": {
			object: saying(v1alpha1.ReasonJobConflict, claimed(makeObject())),
			want:   createJob, wantStep: "build",
			reason: "only another attempt shows whether the name is free now",
		},
		"the name was taken, and the Job was created at last": {
			object:  saying(v1alpha1.ReasonJobConflict, claimed(makeObject())),
			created: "uid-of-build",
			want:    doNothing,
			reason:  "the status does not say so yet, but the step has had its Job",
		},
		"first is running": {
			object: makeObject(v1alpha1.StepRunning),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   doNothing,
			reason: "steps run one after another",
		},
		"first is complete, which is not recorded": {
			object: makeObject(v1alpha1.StepRunning),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			want:   doNothing,
			reason: "the end of a step is recorded before the next one starts",
		},
		"first is recorded as done, and the second is claimed": {
			object: claimed(makeObject(v1alpha1.StepSucceeded)),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			want:   createJob, wantStep: "test",
			reason: "it is the second one's turn",
		},
		"first is recorded as done, and the second is not claimed": {
			object: makeObject(v1alpha1.StepSucceeded),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			want:   doNothing,
			reason: "the step is claimed before its Job is created",
		},
		"first is recorded as done, and its Job is gone": {
			object: claimed(makeObject(v1alpha1.StepSucceeded)),
			want:   createJob, wantStep: "test",
			reason: "what is recorded as done is never run again",
		},
		"the running step's Job is gone": {
			object: makeObject(v1alpha1.StepSucceeded, v1alpha1.StepRunning),
			want:   doNothing,
			reason: "nobody knows what it has done",
		},
		"second has failed": {
			object: makeObject(v1alpha1.StepSucceeded, v1alpha1.StepFailed, v1alpha1.StepSkipped),
			want:   doNothing,
			reason: "a failed step ends the run",
		},
		"suspended before it starts": {
			object: suspended(claimed(makeObject())),
			want:   doNothing,
			reason: "nothing starts while it is suspended",
		},
		"suspended while a step runs": {
			object: suspended(makeObject(v1alpha1.StepRunning)),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   suspendJob, wantStep: "build",
			reason: "the running Job is suspended too",
		},
		"suspended, and the Job is about to be": {
			object: suspended(makeObject(v1alpha1.StepRunning)),
			jobs:   map[string]*batchv1.Job{"build": asked(makeJob("build"), true)},
			want:   doNothing,
			reason: "this was requested already",
		},
		"suspended when the Job is complete": {
			object: suspended(makeObject(v1alpha1.StepRunning)),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobComplete)},
			want:   doNothing,
			reason: "a finished Job can't be suspended",
		},
		"suspended between two steps": {
			object: suspended(claimed(makeObject(v1alpha1.StepSucceeded))),
			want:   doNothing,
			reason: "nothing starts while it is suspended",
		},
		"suspended, and the Job is being deleted": {
			object: suspended(makeObject(v1alpha1.StepRunning)),
			jobs:   map[string]*batchv1.Job{"build": deleting(makeJob("build"))},
			want:   doNothing,
			reason: "its pods end anyway",
		},
		"resumed": {
			object: makeObject(v1alpha1.StepRunning),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobSuspended)},
			want:   resumeJob, wantStep: "build",
			reason: "the same Job continues",
		},
		"resumed with a limit that is used up": {
			object: started(2*time.Hour, limited(time.Hour, makeObject(v1alpha1.StepRunning))),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build", batchv1.JobSuspended)},
			want:   doNothing,
			reason: "its pods would start, and be stopped right after",
		},
		"a retry from the second step": {
			object: claimed(startingAt("test", makeObject())),
			want:   createJob, wantStep: "test",
			reason: "the first step finished in an earlier run",
		},
		"a step that may fail has failed": {
			object: claimed(continuing("build", makeObject(v1alpha1.StepFailed))),
			want:   createJob, wantStep: "test",
			reason: "the run continues",
		},
		"no time is left for the next step": {
			object: started(2*time.Hour, limited(time.Hour, claimed(makeObject(v1alpha1.StepSucceeded)))),
			want:   doNothing,
			reason: "the deadline has been reached",
		},
		"the deadline has been reached, which is not recorded": {
			object: started(2*time.Hour, limited(time.Hour, makeObject(v1alpha1.StepRunning))),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   doNothing,
			reason: "that is recorded before the Job is stopped",
		},
		"the deadline has been reached, which is recorded": {
			object: saying(v1alpha1.ReasonDeadlineExceeded, makeObject(v1alpha1.StepRunning)),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   stopJob, wantStep: "build",
			reason: "a finished run has no Job that runs",
		},
		"the Job is stopped already": {
			object: saying(v1alpha1.ReasonDeadlineExceeded, makeObject(v1alpha1.StepRunning)),
			jobs:   map[string]*batchv1.Job{"build": deleting(makeJob("build"))},
			want:   doNothing,
			reason: "one deletion is enough",
		},
		"suspended after the deadline": {
			object: suspended(saying(v1alpha1.ReasonDeadlineExceeded, makeObject(v1alpha1.StepRunning))),
			jobs:   map[string]*batchv1.Job{"build": makeJob("build")},
			want:   stopJob, wantStep: "build",
			reason: "the run has no time left in which it could continue",
		},
		"ended, and kept": {
			object: ended(time.Hour, 2*time.Hour),
			want:   doNothing,
			reason: "its user wants to look at it",
		},
		"ended, and kept long enough": {
			object: ended(2*time.Hour, time.Hour),
			want:   deleteObject,
			reason: "ttlSecondsAfterFinished has passed",
		},
		"ended, and a Job was created since": {
			object: ended(time.Hour, 2*time.Hour), late: makeJob("late"),
			want:   stopLateJob,
			reason: "a finished run has no Job that runs",
		},
		"all have succeeded": {
			object: makeObject(v1alpha1.StepSucceeded, v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
			want:   doNothing,
			reason: "there is nothing left to do",
		},
	} {
		t.Run(name, func(t *testing.T) {
			next, step := decide(facts{now: noon, object: test.object, jobs: test.jobs, created: test.created, late: test.late})
			stepName := ""
			if step != nil {
				stepName = step.Name
			}
			if next != test.want || stepName != test.wantStep {
				t.Errorf("decided to do %q for step %q, want %q for step %q: %s", next, stepName, test.want, test.wantStep, test.reason)
			}
		})
	}
}
