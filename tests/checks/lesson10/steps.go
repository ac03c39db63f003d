package lesson10

import (
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/meta"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
)

const (
	// files is the Workspace of most checks.
	files = "files"

	// short is the interval between two looks where a check waits for some, and never the one where it does not.
	short = 400 * time.Millisecond
	never = 24 * time.Hour
)

// begin starts the controller with a way to notice drift, and returns its Workspaces of these names, which are ready.
func begin(s *scene.Scene, way string, interval time.Duration, names ...string) map[string]*v1alpha1.Workspace {
	s.Drift(way, interval)
	s.Start()
	return provide(s, names...)
}

// provide creates Workspaces, and waits until they are ready.
func provide(s *scene.Scene, names ...string) map[string]*v1alpha1.Workspace {
	all := map[string]*v1alpha1.Workspace{}
	for _, name := range names {
		s.CreateWorkspace(name)
	}
	for _, name := range names {
		all[name] = s.Usable(name)
	}
	return all
}

// A change is one of a bucket's settings that others make.
type change struct {
	what string // as the middle of a sentence: "halves the limit of"
	make func(*jetstream.StreamConfig)
}

var halved = change{"halves the limit of", func(c *jetstream.StreamConfig) { c.MaxBytes /= 2 }}

// putBack has somebody change a bucket, and waits until the controller has put back what was changed.
func putBack(s *scene.Scene, object *v1alpha1.Workspace, by change) {
	before := s.Settings(object)
	s.ChangeBucket(object, by.what, by.make)
	awaitAsBefore(s, object, before, by)
}

func awaitAsBefore(s *scene.Scene, object *v1alpha1.Workspace, before jetstream.StreamConfig, by change) {
	s.UntilMeanwhile(func() string {
		if asBefore(before, settingsOf(s, object)) {
			return ""
		}
		return fmt.Sprintf("somebody %s the bucket of Workspace %s, and your controller, with %s, has not put that back. %s",
			by.what, object.Name, s.Flags(), scene.SaysOfWorkspace(s.WorkspaceNow(object.Name)))
	})
}

// settingsOf are those of a Workspace's bucket, which must exist.
func settingsOf(s *scene.Scene, object *v1alpha1.Workspace) jetstream.StreamConfig {
	if s.BucketOf(object) == nil {
		s.FindAbout(object.Name, "The bucket of Workspace %s is gone, with all files. Nobody else has deleted it.", object.Name)
	}
	return s.Settings(object)
}

// asBefore says whether all settings are as they were. What others have added to the metadata may stay or go.
func asBefore(before, now jetstream.StreamConfig) bool {
	for key, value := range before.Metadata {
		if now.Metadata[key] != value {
			return false
		}
	}
	now.Metadata = before.Metadata
	return scene.SameSettings(before, now)
}

// unwritten checks that since a moment at most one request has changed a bucket, and at most one the status of its Workspace. Nothing
// differed that the controller has to put back, but it may remove at once what others have added.
func unwritten(s *scene.Scene, name string, from time.Duration, when string) {
	if writes := s.StoreRequests(name, from, "create", "update", "delete", "purge"); len(writes) > 1 {
		s.FindRequests(writes, "%s. Nothing differed from what Workspace %s asks for, and your controller, with %s, changed its bucket at each look: it sent %s.",
			when, name, s.Flags(), scene.Counted(len(writes), "request", "requests"))
	}
	status := s.Requests(func(r history.Request) bool {
		return r.Write() && r.Call.Resource == scene.WorkspaceStatus && r.Object.Name == name && r.Received >= from
	})
	if len(status) > 1 {
		s.FindRequests(status, "%s. Nothing differed from what Workspace %s asks for, and your controller, with %s, wrote its status at each look.", when, name, s.Flags())
	}
}

// comesToRest waits until the controller has nothing more to do about a bucket since a moment. One whose own requests have it look again
// never has.
func comesToRest(s *scene.Scene, name string, from time.Duration) {
	const most = 20
	s.UntilMeanwhile(func() string {
		looks := slices.DeleteFunc(s.StoreRequests(name, from), func(r history.Request) bool { return r.Call.Verb != "get" })
		if len(looks) > most {
			s.FindRequests(looks[most:], "Somebody changed the bucket of Workspace %s once, and your controller put that back. Since then it has looked at the bucket %d times, "+
				"and goes on: what the store tells of your controller's own requests makes it look again.", name, len(looks))
		}
		return s.AtWork()
	})
}

// reasonOf is the reason of the condition BucketReady of a Workspace; empty if there is none.
func reasonOf(object *v1alpha1.Workspace) string {
	if condition := meta.FindStatusCondition(object.Status.Conditions, v1alpha1.ConditionBucketReady); condition != nil {
		return condition.Reason
	}
	return ""
}

// neverLost checks that no status has said that files of a Workspace are lost.
func neverLost(s *scene.Scene, name, because string) {
	for _, v := range s.WorkspaceVersions(name) {
		if reasonOf(v.Workspace) == v1alpha1.ReasonContentLost {
			s.FindChange(v.Change, "%s The bucket of Workspace %s was there all the time. Your controller wrote that its files are lost, which is final: "+
				"runs that use it fail. %s.", because, name, scene.SaysOfWorkspace(v.Workspace))
		}
	}
}

// listRequests are the controller's lists of all buckets since a moment.
func listRequests(s *scene.Scene, from time.Duration) []history.Request {
	return s.Requests(func(r history.Request) bool {
		return r.Call.Resource == buckets.Resource && r.Call.Verb == "list" && r.Received >= from
	})
}
