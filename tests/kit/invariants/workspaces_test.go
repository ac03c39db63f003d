package invariants_test

import (
	"strconv"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/must"
)

// withWorkspace is a story whose SequentialJob web has a Workspace of its own, which exists.
func withWorkspace() (*story, *v1alpha1.Workspace) {
	s := newStory()
	s.objects["web"].Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse("1Mi"))}
	s = &story{objects: s.objects, jobs: s.jobs}
	s.start().change("ADDED", "sequentialjobs", s.objects["web"])
	files := &v1alpha1.Workspace{ObjectMeta: metav1.ObjectMeta{
		Name: "web", Namespace: "run", UID: "uid-of-files", Generation: 1, Finalizers: []string{"example.com/bucket"},
	}}
	return s.change("ADDED", "workspaces", files), files
}

func (s *story) workspace(files *v1alpha1.Workspace, change func(*v1alpha1.Workspace)) *story {
	change(files)
	return s.change("MODIFIED", "workspaces", files)
}

// ready says of a Workspace whether it is ready, and for which generation.
func ready(status metav1.ConditionStatus, generation int64, reason string) func(*v1alpha1.Workspace) {
	return func(files *v1alpha1.Workspace) {
		meta.SetStatusCondition(&files.Status.Conditions, metav1.Condition{
			Type: v1alpha1.ConditionReady, Status: status, Reason: reason, ObservedGeneration: generation,
		})
	}
}

func TestReadyFirst(t *testing.T) {
	said := func(status metav1.ConditionStatus, generation int64, reason string) *story {
		s, files := withWorkspace()
		return s.workspace(files, ready(status, generation, reason))
	}
	waits, _ := withWorkspace()
	unready, _ := withWorkspace()
	later, files := withWorkspace()
	later.workspace(files, ready("True", 1, "Ready")).workspace(files, ready("False", 1, "StoreRefused"))
	runTests(t, "I10", map[string]test{
		"it waits":                            holds(waits),
		"ready":                               holds(said("True", 1, "Ready").creates("build")),
		"ready before, and not any more":      holds(later.creates("build"), "the controller may not have received that"),
		"no Workspace":                        holds(newStory().creates("build")),
		"nothing said":                        breaks(unready.creates("build"), "Workspace web had never been ready"),
		"not ready":                           breaks(said("False", 1, "StoreRefused").creates("build"), "Workspace web had never been ready"),
		"ready for another generation":        breaks(said("True", 7, "Ready").creates("build"), "Workspace web had never been ready"),
		"another object's Workspace is ready": breaks(renamed().creates("build"), "Workspace web had never been ready"),
	})
}

func TestAnEarlierWorkspaceWasReady(t *testing.T) {
	// again has a Workspace that was ready, and is gone. Then there are a run and a Workspace of that name that is not ready. The events
	// are those that the controller received of the first one.
	again := func(before func(*story), events ...string) *story {
		s, files := withWorkspace()
		s.workspace(files, ready("True", 1, "Ready"))
		for _, event := range events {
			s.delivers(files).run.Frames[len(s.run.Frames)-1].Type = event
		}
		s.change("DELETED", "workspaces", files)
		if before != nil {
			before(s)
		}
		s.remove("web").sequence("web", func(o *v1alpha1.SequentialJob) {
			o.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse("1Mi"))}
		})
		next := files.DeepCopy()
		next.UID, next.Status = "uid-of-next", v1alpha1.WorkspaceStatus{}
		return s.change("ADDED", "workspaces", next).creates("build")
	}
	frame := func(s *story) *history.Frame { return &s.run.Frames[len(s.run.Frames)-1] }
	late := again(nil, "ADDED", "DELETED")
	frame(late).Delivered = late.tick()
	never := again(nil, "ADDED", "DELETED")
	frame(never).Delivered = 0
	twoWatches := again(nil, "ADDED", "DELETED")
	twoWatches.run.Streams = append(twoWatches.run.Streams, history.Stream{ID: 2, Instance: 1, Code: 200})
	frame(twoWatches).Stream = 2
	runTests(t, "I10", map[string]test{
		"its deletion was delivered before the run": breaks(again(nil, "ADDED", "DELETED"), "Workspace web had never been ready"),
		"its deletion was delivered later":          holds(late, "the cache was stale"),
		"its deletion was never delivered":          holds(never, "the cache was stale"),
		"no event of it was delivered":              holds(again(nil), "the controller may read it in another way"),
		"another watch still showed it":             holds(twoWatches, "the cache of that one was stale"),
		"its deletion was delivered to another process": holds(again(func(s *story) { s.crash().start() }, "ADDED", "DELETED"),
			"a stale list may show it"),
	})
}

// renamed has a Workspace that is ready, and has another name.
func renamed() *story {
	s, files := withWorkspace()
	other := files.DeepCopy()
	other.Name, other.UID = "other", "uid-of-other"
	ready("True", 1, "Ready")(other)
	return s.change("ADDED", "workspaces", other)
}

func TestBucketFirst(t *testing.T) {
	// ends has a Workspace deleted: its finalizer goes with the controller's request, after what it asked the store for.
	ends := func(change func(*v1alpha1.Workspace), asked ...history.Request) *story {
		s, files := withWorkspace()
		if change != nil {
			s.workspace(files, change)
		}
		s.workspace(files, func(files *v1alpha1.Workspace) { files.DeletionTimestamp = new(metav1.Unix(1, 0)) })
		version, err := strconv.ParseUint(files.ResourceVersion, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range asked {
			s.asks(request)
		}
		removal := request("patch", "workspaces", "web", 200)
		removal.UID, removal.ResourceVersion = string(files.UID), version
		return s.asks(removal).change("DELETED", "workspaces", files)
	}
	bucket := func(verb string, code int, owner string) history.Request {
		r := request(verb, "buckets", "web", code)
		r.Object.Name = "ws-uid-of-files"
		if owner != "" {
			r.Metadata = map[string]string{"for": owner}
		}
		return r
	}
	list := func(names ...string) history.Request {
		r := request("list", "buckets", string(history.None), 200)
		r.Listed = names
		return r
	}
	const mine = "uid-of-files"
	retain := func(files *v1alpha1.Workspace) { files.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain }
	runTests(t, "I11", map[string]test{
		"deleted":                      holds(ends(nil, bucket("create", 200, mine), bucket("delete", 200, ""))),
		"deleted, and looked":          holds(ends(nil, bucket("create", 200, mine), bucket("delete", 200, ""), bucket("get", 404, ""))),
		"gone already":                 holds(ends(nil, bucket("create", 200, mine), bucket("get", 404, ""))),
		"not in a list":                holds(ends(nil, bucket("create", 200, mine), list("ws-another"))),
		"in a list":                    breaks(ends(nil, bucket("create", 200, mine), list("ws-uid-of-files")), "still existed"),
		"a part of a list":             breaks(ends(nil, bucket("create", 200, mine), list()), "still existed"),
		"never there":                  holds(ends(nil, bucket("get", 404, ""))),
		"nothing was asked":            holds(ends(nil), "there may be no object store"),
		"somebody else's":              holds(ends(nil, bucket("create", 200, mine), bucket("get", 200, "another"))),
		"to be retained":               holds(ends(retain, bucket("create", 200, mine))),
		"still there":                  breaks(ends(nil, bucket("create", 200, mine)), "its bucket ws-uid-of-files still existed"),
		"still there, after a look":    breaks(ends(nil, bucket("create", 200, mine), bucket("get", 200, mine)), "still existed"),
		"purged, not deleted":          breaks(ends(nil, bucket("get", 200, mine), bucket("purge", 200, "")), "still existed"),
		"its deletion was refused":     breaks(ends(nil, bucket("get", 200, mine), bucket("delete", 503, "")), "still existed"),
		"made again after it was gone": breaks(ends(nil, bucket("delete", 200, ""), bucket("create", 200, mine)), "still existed"),
	})

	s := ends(nil, bucket("get", 200, mine), bucket("get", 503, ""))
	s.options.Only = []invariants.ID{invariants.I11}
	violations, err := invariants.Check(s.run, end, s.options)
	must.Succeed(t, err)
	if len(violations) != 1 || len(violations[0].Requests) != 3 {
		t.Errorf("the look that met an error is not cited: %+v", violations)
	}
}

func TestForeignBuckets(t *testing.T) {
	asks := func(requests ...history.Request) *story {
		s, _ := withWorkspace()
		for _, request := range requests {
			s.asks(request)
		}
		return s
	}
	bucket := func(verb, owner string) history.Request {
		r := request(verb, "buckets", "web", 200)
		r.Object.Name = "ws-uid-of-files"
		if owner != "" {
			r.Metadata = map[string]string{"for": owner}
		}
		return r
	}
	runTests(t, "I8", map[string]test{
		"its own is deleted":     holds(asks(bucket("get", "uid-of-files"), bucket("delete", ""))),
		"deleted without a look": holds(asks(bucket("delete", "")), "the history does not say whose it was"),
		"another's is looked at": holds(asks(bucket("get", "another"), bucket("get", "another"))),
		"another's is deleted":   breaks(asks(bucket("get", "another"), bucket("delete", "")), "sent delete for bucket ws-uid-of-files, which had no mark of Workspace web"),
		"nobody's is taken over": breaks(asks(bucket("get", ""), bucket("update", "uid-of-files")), "sent update for bucket"),
		"its own is purged, then updated": holds(asks(bucket("get", "uid-of-files"), bucket("purge", ""), bucket("update", "uid-of-files")),
			"a client purges the rest of a file that it has replaced; the response has no marks"),
		"another's is purged":        breaks(asks(bucket("get", "another"), bucket("purge", "")), "sent purge for bucket ws-uid-of-files"),
		"its mark was taken from it": breaks(asks(bucket("get", "uid-of-files"), bucket("get", ""), bucket("delete", "")), "sent delete for bucket"),
	})
}

func TestForeignWorkspaces(t *testing.T) {
	// writes has the controller send a request about a Workspace, with what it changes.
	writes := func(s *story, files *v1alpha1.Workspace, verb, resource string, code int, change func(*v1alpha1.Workspace)) *story {
		event := "MODIFIED"
		if code == 201 {
			event = "ADDED"
		}
		r := request(verb, resource, "web", code)
		r.Received = s.tick()
		if verb != "delete" {
			change(files)
			s.change(event, "workspaces", files)
			r.ResourceVersion = s.version
		}
		r.UID = string(files.UID)
		return s.respond(r)
	}
	users := func(verb, resource string, change func(*v1alpha1.Workspace)) *story {
		s, files := withWorkspace()
		return writes(s, files, verb, resource, 200, change)
	}
	own := func(verb string, change func(*v1alpha1.Workspace)) *story {
		files := &v1alpha1.Workspace{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "run", UID: "uid-of-files", Generation: 1}}
		s := writes(newStory(), files, "create", "workspaces", 201, func(*v1alpha1.Workspace) {})
		return writes(s, files, verb, "workspaces", 200, change)
	}
	capacity := func(quantity string) func(*v1alpha1.Workspace) {
		return func(files *v1alpha1.Workspace) { files.Spec.Capacity = resource.MustParse(quantity) }
	}
	releases := func(files *v1alpha1.Workspace) { files.Finalizers = nil }
	many := request("deletecollection", "workspaces", string(history.None), 200)
	selected, _ := withWorkspace()
	edited, files := withWorkspace()
	edited.workspace(files, capacity("2Mi"))
	unchanged := request("patch", "workspaces", "web", 200)
	unchanged.UID, unchanged.ResourceVersion = string(files.UID), edited.version
	rewritten, files := withWorkspace()
	writes(rewritten.workspace(files, capacity("1Mi")), files, "update", "workspaces", 200, func(files *v1alpha1.Workspace) {
		files.Spec.Capacity = *resource.NewQuantity(1<<20, resource.DecimalSI)
	})
	runTests(t, "I8", map[string]test{
		"its finalizer":                          holds(users("patch", "workspaces", releases)),
		"its status":                             holds(users("patch", "workspaces/status", ready("True", 1, "Ready"))),
		"an edit by the user, then no change":    holds(edited.asks(unchanged), "its response bears the user's resourceVersion"),
		"the same capacity, written differently": holds(rewritten),
		"its own, changed":                       holds(own("patch", capacity("2Mi"))),
		"its own, deleted":                       holds(own("delete", nil)),
		"the user's capacity":                    breaks(users("patch", "workspaces", capacity("2Mi")), "changed the spec of Workspace web"),
		"the user's deletionPolicy": breaks(users("update", "workspaces", func(files *v1alpha1.Workspace) {
			files.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
		}), "changed the spec of Workspace web"),
		"the user's, deleted":        breaks(users("delete", "workspaces", nil), "deleted Workspace web, which it had not created"),
		"all, deleted by a selector": breaks(selected.asks(many), "deleted Workspaces by a selector"),
	})
}

func TestARunMayFailWithItsWorkspace(t *testing.T) {
	lost := func(change func(*v1alpha1.Workspace)) *story {
		s, files := withWorkspace()
		return s.workspace(files, change).says("Succeeded=False")
	}
	fine, _ := withWorkspace()
	runTests(t, "I6", map[string]test{
		"its files are lost":       holds(lost(ready("False", 1, v1alpha1.ReasonContentLost))),
		"it is being deleted":      holds(lost(func(files *v1alpha1.Workspace) { files.DeletionTimestamp = new(metav1.Unix(1, 0)) })),
		"it is not ready":          breaks(lost(ready("False", 1, v1alpha1.ReasonStoreRefused)), "Workspace web had its files"),
		"nothing is wrong with it": breaks(fine.says("Succeeded=False"), "Workspace web had its files"),
	})
}
