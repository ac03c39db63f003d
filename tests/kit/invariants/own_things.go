package invariants

import (
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

// ownThings is I8. It judges what the API server did at the controller's request, on Jobs,
// SequentialJobs and Workspaces, and what the object store did with buckets. What the Jobs are like that the controller creates is I4's.
func ownThings(p *past, _ Options) []Violation {
	var violations []Violation
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if !request.Write() || !request.Succeeded() {
			continue
		}
		what := ""
		switch request.Call.Resource {
		case jobs:
			what = p.foreignJob(request)
		case jobs + "/status":
			what = fmt.Sprintf("The controller wrote the status of Job %s, which belongs to the Job controller.", request.Object.Name)
		case sequentialJobs:
			what = p.foreignSequence(request)
		case workspaces:
			what = p.foreignWorkspace(request)
		case buckets:
			what = p.foreignBucket(request)
		}
		if what != "" {
			violation := Violation{What: what, At: request.Received, Requests: []int{request.ID}}
			if request.ResourceVersion != 0 {
				violation.Changes = []uint64{request.ResourceVersion}
			}
			violations = append(violations, violation)
		}
	}
	return violations
}

func (p *past) foreignJob(request *history.Request) string {
	if request.Call.Verb == "deletecollection" {
		return "The controller deleted Jobs by a selector, which takes whatever bears a label, whosever it is."
	}
	if request.Code == http.StatusCreated {
		return ""
	}
	candidates := meant(p.jobs, request)
	for _, j := range candidates {
		if request.ResourceVersion == 0 && j.ever(math.MaxUint64, (*jobObject).isControlled) || request.ResourceVersion != 0 && p.controlledBefore(j, request) {
			return ""
		}
	}
	if len(candidates) == 0 {
		return "" // in another namespace, or too late to be in the history
	}
	return fmt.Sprintf("The controller sent %s for Job %s, which no SequentialJob controls.", request.Call.Verb, candidates[0].name)
}

// controlledBefore says whether a SequentialJob controlled the Job before a request changed it; also
// when it didn't change it.
func (p *past) controlledBefore(j *job, request *history.Request) bool {
	for i := range j.versions {
		if j.versions[i].change.ResourceVersion == request.ResourceVersion {
			return i == 0 || j.versions[i-1].object.isControlled() || p.author(j.versions[i].change) != request
		}
	}
	return true // later than the history
}

func (p *past) foreignSequence(request *history.Request) string {
	switch {
	case request.Call.Verb == "deletecollection":
		return "The controller deleted SequentialJobs by a selector."
	case request.Call.Verb == "delete":
		return p.earlyDelete(request)
	case request.Code == http.StatusCreated:
		return fmt.Sprintf("The controller created SequentialJob %s; only users do that.", request.Object.Name)
	}
	s := find(p.sequences, types.UID(request.UID))
	if s == nil {
		return ""
	}
	for i := 1; i < len(s.versions); i++ {
		before, now := s.versions[i-1].change, s.versions[i].change
		if now.ResourceVersion != request.ResourceVersion || p.author(now) != request {
			continue
		}
		if differ(before, now, "spec") {
			return fmt.Sprintf("The controller changed the spec of SequentialJob %s, which belongs to the user.", s.name)
		}
		if differ(before, now, "status") {
			return fmt.Sprintf("The controller changed the status of SequentialJob %s without going through /status.", s.name)
		}
	}
	return ""
}

func differ(a, b history.Change, field string) bool {
	return !reflect.DeepEqual(a.Object.Object[field], b.Object.Object[field])
}

// earlyDelete says what is wrong with the deletion of a SequentialJob: a controller deletes it only after
// its time to live.
func (p *past) earlyDelete(request *history.Request) string {
	candidates := meant(p.sequences, request)
	expired := slices.ContainsFunc(candidates, func(s *sequence) bool { return s.ever(math.MaxUint64, expires) })
	if len(candidates) == 0 || expired {
		return ""
	}
	return fmt.Sprintf("The controller deleted SequentialJob %s, which had not finished with ttlSecondsAfterFinished set.", request.Object.Name)
}

func expires(o *sequentialJob) bool {
	finished := o.says(v1alpha1.ConditionSucceeded, metav1.ConditionTrue) || o.says(v1alpha1.ConditionSucceeded, metav1.ConditionFalse)
	return finished && o.Spec.TTLSecondsAfterFinished != nil
}
