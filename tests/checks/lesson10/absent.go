package lesson10

import (
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/proxy"
)

// paged has so many buckets of others that the store lists them in two pages. While the controller waits for the first page, one of the
// others is deleted, so the last one of the first page would now be the second page's first.
func paged(s *scene.Scene) {
	const page = 256
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Poller) {
		all := begin(s, way, short, files, files+"-2")
		s.User("has %d buckets in the object store", page)
		for i := range page {
			s.Must(s.Store.Admin.Create(s.Context(), foreign(fmt.Sprintf("a-%03d", i))))
		}
		s.LooksAgain(files, 1)
		s.Settle() // so that the next list is a first page
		s.OnList(proxy.AnswerLate)
		s.Struck("your controller has not listed all buckets again")
		s.User("deletes a bucket that sorts before all others")
		s.Must(s.Store.Admin.Delete(s.Context(), "a-000"))
		s.Heal()
		from := s.Log.Now()
		s.LooksAgain(files, 3)
		s.Sync()
		for name, object := range all {
			s.NoCreation(name, from, "A list of all buckets did not have that of Workspace "+name+", because another one had been deleted between two pages")
			neverLost(s, name, "Between two pages of a list, another bucket was deleted, so the list did not have that of Workspace "+name+".")
			settingsOf(s, object)
		}
		s.Stop()
	}
}

// outOfDate has the controller start while the limit of a bucket is halved. Before it receives its first list, which shows that, another owner's bucket
// has taken the place of that one.
func outOfDate(s *scene.Scene) {
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Poller) {
		object := begin(s, way, short, files)[files]
		s.Settle()
		s.Stop()
		s.ChangeBucket(object, halved.what, halved.make)
		theirs := s.Settings(object)
		theirs.Metadata = map[string]string{scene.MarkOfOwner: another}
		s.OnList(proxy.AnswerLate)
		s.Start()
		s.Struck("your controller has started, and has not listed all buckets")
		s.DeleteBucket(object)
		s.User("creates a bucket of that name with another owner's mark")
		s.Must(s.Store.Admin.Create(s.Context(), theirs))
		from := s.Log.Now()
		s.Heal()
		s.NotReady(files, "somebody has replaced the bucket of Workspace files by another owner's")
		s.LooksAgain(files, 2)
		if writes := s.StoreRequests(files, from, "create", "update", "delete", "purge"); len(writes) > 0 {
			s.FindRequests(writes, "A list of all buckets showed that of Workspace %s with half the limit. By the time your controller received it, that bucket had been deleted, and "+
				"another owner had created one of its name. Your controller asked the store to %s it.", files, writes[0].Call.Verb)
		}
		s.Stop()
	}
}

// foreign are the settings of a bucket of somebody else.
func foreign(name string) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "OBJ_" + name, Subjects: []string{"$O." + name + ".C.>", "$O." + name + ".M.>"}, MaxBytes: 1024, Discard: jetstream.DiscardNew,
		Storage: jetstream.FileStorage, AllowRollup: true, AllowDirect: true,
	}
}

// interrupted has the connection to the store break while a new Workspace gets its bucket: once the controller has received the response to its second
// look at that bucket, or to its third one. Nobody else has touched it.
func interrupted(s *scene.Scene) {
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Notify) {
		s.Drift(way, never)
		s.Start()
		for _, nth := range []int{2, 3} {
			name := fmt.Sprintf("look-%d%s", nth, way)
			look := history.Call{Verb: "get", Resource: buckets.Resource, Object: history.Logical(name), Nth: nth}
			s.Inject(history.Fault{Action: buckets.CutAfterReply, Call: look}) // if the controller looks so often
			s.CreateWorkspace(name)
			s.AwaitWorkspace(name, func(now *v1alpha1.Workspace) string {
				neverLost(s, name, "The connection to the store broke while your controller created that bucket, or right after that.")
				if !scene.IsReady(now) {
					return "Workspace " + name + " is not ready"
				}
				return ""
			})
			s.Stage.Disarm()
		}
		s.Stop()
	}
}

// outage has the store respond that it is not available, and then not at all. Meanwhile, nobody changes a bucket.
func outage(s *scene.Scene) {
	s.AllowTimeouts()
	for _, way := range s.Ways(scene.Poll, scene.Poller, scene.Notify) {
		name := files + way
		object := begin(s, way, short, name)[name]
		s.Settle()
		from := s.Log.Now()
		s.Fault(fmt.Sprintf("%s: next 3 reads %s", buckets.Unavailable, buckets.Resource))
		s.LooksAgain(name, 1)
		s.Disarm()
		s.StoreDown()
		s.Annotate(s.WorkspaceNow(name))
		s.Settle()
		s.StoreUp()
		s.WorkspaceReady(name)
		s.LooksAgain(name, 1)
		neverLost(s, name, "The object store did not respond for a while.")
		if writes := s.StoreRequests(name, from, "create", "update", "delete"); len(writes) > 0 {
			s.FindRequests(writes, "The object store did not respond for a while, and nobody changed the bucket of Workspace %s. Your controller asked the store to %s it.", name, writes[0].Call.Verb)
		}
		putBack(s, object, halved)
		s.Stop()
	}
}
