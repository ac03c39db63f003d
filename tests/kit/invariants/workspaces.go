package invariants

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

type workspace struct{ life[v1alpha1.Workspace] }

// buckets is the resource of requests to the object store.
const buckets = "buckets"

func (p *past) readWorkspace(change history.Change) error {
	w := find(p.workspaces, change.Object.GetUID())
	if w == nil {
		w = &workspace{lifeOf[v1alpha1.Workspace](change)}
		p.workspaces = append(p.workspaces, w)
	}
	return w.record(p.checker, change)
}

// workspaceName is the name of the Workspace that a SequentialJob uses; empty for none.
func (s *sequence) workspaceName() string {
	switch source := s.versions[0].object.Spec.Workspace; {
	case source == nil:
		return ""
	case source.Name != nil:
		return *source.Name
	default:
		return s.name
	}
}

// lostWorkspace says whether a Workspace of the name that the SequentialJob uses had lost its files by a resourceVersion: it was
// being deleted, or gone, or had said so.
func (p *past) lostWorkspace(s *sequence, at uint64) bool {
	return slices.ContainsFunc(p.workspaces, func(w *workspace) bool {
		return w.name == s.workspaceName() && (w.gone != nil && w.gone.ResourceVersion <= at || w.ever(at, func(o *v1alpha1.Workspace) bool {
			ready := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady)
			return o.DeletionTimestamp != nil || ready != nil && ready.Reason == v1alpha1.ReasonContentLost
		}))
	})
}

// readyFirst is I10. A Workspace may stop being ready at any moment, which the controller learns later. So it must have been ready
// at some time before. An earlier Workspace of that name does not count if the process knew that it was gone before there was the run.
func readyFirst(p *past, _ Options) []Violation {
	var violations []Violation
	for _, s := range p.sequences {
		if s.workspaceName() == "" {
			continue
		}
		for _, j := range p.made(s.uid) {
			ready := slices.ContainsFunc(p.workspaces, func(w *workspace) bool {
				return w.name == s.workspaceName() && w.ever(j.bornAt(), isReady) && !p.knewGone(w, j.created.Instance, s.born().Seen)
			})
			if !ready {
				violations = append(violations, Violation{
					What: fmt.Sprintf("Job %s was created, and Workspace %s had never been ready for its generation.", j.name, s.workspaceName()),
					At:   j.born().Seen, Changes: []uint64{j.bornAt()}, Requests: []int{j.created.ID},
				})
			}
		}
	}
	return violations
}

// knewGone says whether a process had received the event that a Workspace was gone by a moment, on each of its watches that had shown it.
func (p *past) knewGone(w *workspace, instance int, by time.Duration) bool {
	last := map[int]string{} // the type of the last event, by watch
	for _, frame := range p.run.Frames {
		if frame.UID == string(w.uid) && frame.Delivered > 0 && frame.Delivered < by && p.run.Streams[frame.Stream-1].Instance == instance {
			last[frame.Stream] = frame.Type
		}
	}
	for _, event := range last {
		if event != deleted {
			return false
		}
	}
	return len(last) > 0
}

func isReady(o *v1alpha1.Workspace) bool {
	ready := meta.FindStatusCondition(o.Status.Conditions, v1alpha1.ConditionReady)
	return ready != nil && ready.Status == metav1.ConditionTrue && ready.ObservedGeneration == o.Generation
}

// bucketFirst is I11. The controller can know only what the store has said. So what counts is the last that the store had done at
// its request, or said in response, when it asked for the last finalizer to be removed.
func bucketFirst(p *past, _ Options) []Violation {
	var violations []Violation
	for _, w := range p.workspaces {
		if w.gone == nil || w.last().object.DeletionTimestamp == nil || w.last().object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain {
			continue
		}
		removal := p.removalOf(w)
		if removal == nil {
			continue
		}
		if last := p.bucketOf(w, removal.Received); last != nil && exists(last) && marked(last, w) {
			cited := []int{last.ID}
			if asked := p.lastAsked(last.Object.Name, removal.Received); asked != last { // such as a look that met an error
				cited = append(cited, asked.ID)
			}
			violations = append(violations, Violation{
				What: fmt.Sprintf("The finalizer of Workspace %s was removed, and its bucket %s still existed.", w.name, last.Object.Name),
				At:   w.gone.Seen, Changes: []uint64{w.gone.ResourceVersion}, Requests: append(cited, removal.ID),
			})
		}
	}
	return violations
}

// removalOf returns the controller's last write to a Workspace that is gone, which removed the last finalizer; nil if another client
// removed it.
func (p *past) removalOf(w *workspace) (last *history.Request) {
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if request.Call.Resource == workspaces && (request.Call.Verb == "patch" || request.Call.Verb == "update") &&
			request.UID == string(w.uid) && request.Succeeded() && request.ResourceVersion >= w.last().change.ResourceVersion {
			last = request
		}
	}
	return last
}

// bucketOf returns the last request about a Workspace's bucket, before a moment, whose response says whether there is one; nil for none.
func (p *past) bucketOf(w *workspace, at time.Duration) (last *history.Request) {
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if request.Call.Resource == buckets && tellsOf(request, v1alpha1.BucketName(w.uid)) &&
			request.Committed < at && (last == nil || request.Committed >= last.Committed) {
			last = request
		}
	}
	return last
}

// lastAsked returns the last request about a bucket before a moment, whatever the response; nil for none.
func (p *past) lastAsked(bucket string, at time.Duration) (last *history.Request) {
	for i := range p.run.Requests {
		request := &p.run.Requests[i]
		if request.Call.Resource == buckets && request.Object.Name == bucket && request.Received < at && (last == nil || request.Received >= last.Received) {
			last = request
		}
	}
	return last
}

// tellsOf says whether a request was about a bucket, with a response that says whether there is one. A list of all buckets tells of
// those that it lacks. It need not have the marks of the others. The response to a purge has none either.
func tellsOf(request *history.Request, bucket string) bool {
	if request.Listed != nil {
		return !slices.Contains(request.Listed, bucket)
	}
	has := request.Succeeded() && request.Call.Verb != "purge"
	return request.Object.Name == bucket && (has || request.Code == http.StatusNotFound)
}

// exists says whether there was a bucket after a request.
func exists(request *history.Request) bool {
	return request.Succeeded() && request.Call.Verb != "delete" && request.Listed == nil
}

// marked says whether a bucket has a mark that names the Workspace, as the store responded.
func marked(request *history.Request, w *workspace) bool {
	for _, value := range request.Metadata {
		if strings.Contains(value, string(w.uid)) {
			return true
		}
	}
	return false
}

// foreignBucket says what is wrong with a request that changed a bucket: the store had said last that it is not the Workspace's.
func (p *past) foreignBucket(request *history.Request) string {
	for _, w := range p.workspaces {
		if request.Object.Name != v1alpha1.BucketName(w.uid) || request.Call.Verb == "create" {
			continue
		}
		if before := p.bucketOf(w, request.Received); before != nil && exists(before) && !marked(before, w) {
			return fmt.Sprintf("The controller sent %s for bucket %s, which had no mark of Workspace %s.", request.Call.Verb, request.Object.Name, w.name)
		}
	}
	return ""
}

// foreignWorkspace says what is wrong with a request that changed a Workspace. Its finalizers and its status are the controller's business.
// Its spec and its end are the user's, unless the controller has created it for a run.
func (p *past) foreignWorkspace(request *history.Request) string {
	switch request.Call.Verb {
	case "deletecollection":
		return "The controller deleted Workspaces by a selector."
	case "delete":
		candidates := meant(p.workspaces, request)
		if len(candidates) == 0 || slices.ContainsFunc(candidates, p.createdIt) {
			return ""
		}
		return fmt.Sprintf("The controller deleted Workspace %s, which it had not created.", request.Object.Name)
	}
	w := find(p.workspaces, types.UID(request.UID))
	if w == nil || p.createdIt(w) {
		return ""
	}
	for i := 1; i < len(w.versions); i++ {
		before, now := w.versions[i-1], w.versions[i]
		// A client that writes whole objects may write a quantity in another way.
		if now.change.ResourceVersion == request.ResourceVersion && p.author(now.change) == request &&
			!equality.Semantic.DeepEqual(before.object.Spec, now.object.Spec) {
			return fmt.Sprintf("The controller changed the spec of Workspace %s, which belongs to the user.", w.name)
		}
	}
	return ""
}

// createdIt says whether the controller has created a Workspace.
func (p *past) createdIt(w *workspace) bool {
	return slices.ContainsFunc(p.run.Requests, func(r history.Request) bool {
		return r.Call.Resource == workspaces && r.Code == http.StatusCreated && types.UID(r.UID) == w.uid
	})
}
