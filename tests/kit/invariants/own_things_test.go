package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

func TestOwnThings(t *testing.T) {
	stranger := func(job *batchv1.Job) { job.OwnerReferences = nil }
	// of is a request about a Job that exists, which changes nothing.
	of := func(s *story, verb, resource, name string) history.Request {
		return history.Request{Call: call(verb, resource, history.Logical(name)), Object: history.Name{Namespace: "run", Name: name}, UID: string(s.jobs[name].UID), Code: 200}
	}
	withStranger := func() *story {
		s := newStory()
		s.appears("build decoy", stranger)
		return s
	}
	patchesJob := func(s *story, name string, change func(*batchv1.Job)) *story {
		received := s.tick()
		request := of(s.job(name, change), "patch", "jobs", name)
		request.Received, request.ResourceVersion = received, s.version
		return s.answer(request)
	}
	patchesObject := func(s *story, change func(*v1alpha1.SequentialJob)) *story {
		received := s.tick()
		s.write("web", change)
		return s.answer(history.Request{Call: call("patch", "sequentialjobs", "web"), UID: string(s.objects["web"].UID), Received: received, Code: 200, ResourceVersion: s.version})
	}
	deletes := func(s *story, uid string) *story {
		return s.asks(history.Request{Call: call("delete", "sequentialjobs", "web"), UID: uid, Code: 200}).remove("web")
	}
	expiring := func(s *story) *story {
		return s.edit(func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = new(int32(0)) })
	}
	label := func(job *batchv1.Job) { job.Labels = map[string]string{"seen": "yes"} }
	release := func(job *batchv1.Job) { job.OwnerReferences = nil }
	suspendSpec := func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) }

	runTests(t, "I8", map[string]test{
		"its own Job": {
			story: func() *story {
				s := patchesJob(newStory().creates("build"), "web-build", suspendJob)
				return s.asks(of(s, "delete", "jobs", "web-build")).removeJob("web-build")
			}(),
		},
		"its own Job, whose owner is gone": {
			story: func() *story {
				s := newStory().creates("build").remove("web")
				return s.asks(of(s, "delete", "jobs", "web-build"))
			}(),
		},
		"its own Job, deleted with an answer that does not say which": {
			story: func() *story {
				s := withStranger().creates("build")
				request := of(s, "delete", "jobs", "web-build")
				request.UID = ""
				return s.asks(request)
			}(),
		},
		"its own Job, released by somebody since": {
			story: patchesJob(newStory().creates("build"), "web-build", label).job("web-build", release),
		},
		"a stranger's Job, refused": {
			story: func() *story {
				s := withStranger()
				request := of(s, "delete", "jobs", "decoy")
				request.Code, request.UID = 409, ""
				return s.asks(request)
			}(),
		},
		"a write that changes nothing": {
			story: func() *story {
				s := newStory().creates("build")
				request := of(s, "patch", "jobs", "web-build")
				request.ResourceVersion = s.version
				return s.asks(request)
			}(),
		},
		"a write that does not change a stranger's Job, which others have changed": {
			story: func() *story {
				s := withStranger().job("decoy", label)
				request := of(s, "patch", "jobs", "decoy")
				request.ResourceVersion = s.version
				return s.asks(request)
			}(),
		},
		"an edit by the user, then a write that changes nothing": {
			story: func() *story {
				s := newStory().edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
				return s.asks(history.Request{Call: call("patch", "sequentialjobs", "web"), UID: string(s.objects["web"].UID), Code: 200, ResourceVersion: s.version})
			}(),
			reason: "its answer bears the user's resourceVersion",
		},
		"the same, when the observer was late": {
			story: func() *story {
				s := newStory().edit(func(spec *v1alpha1.SequentialJobSpec) { spec.Suspend = new(true) })
				edited := s.version
				s.tells(s.objects["web"])
				s.asks(history.Request{Call: call("patch", "sequentialjobs", "web"), UID: string(s.objects["web"].UID), Code: 200, ResourceVersion: edited})
				s.run.Changes[len(s.run.Changes)-1].Seen = s.tick()
				return s
			}(),
			reason: "the controller's watch had it before",
		},
		"a finalizer of its own": {
			story: patchesObject(newStory(), func(o *v1alpha1.SequentialJob) { o.Finalizers = []string{"example.com/ours"} }),
		},
		"after the time to live":         {story: deletes(expiring(newStory()).runs("build", "test", "deploy").says("Succeeded=True"), "")},
		"after the time to live, failed": {story: deletes(expiring(newStory()).says("Succeeded=False"), "")},
		"other resources":                {story: newStory().asks(history.Request{Call: call("create", "events", "web"), Code: 201})},
		"in another namespace":           {story: newStory().asks(history.Request{Call: call("patch", "jobs", "x/y"), UID: "elsewhere", Code: 200, ResourceVersion: 7})},

		"a stranger's Job deleted": {
			story: func() *story { s := withStranger(); return s.asks(of(s, "delete", "jobs", "decoy")) }(),
			want:  []string{"did delete to Job decoy, which no SequentialJob controls"},
		},
		"a stranger's Job deleted, with an answer that does not say which": {
			story: func() *story {
				s := withStranger()
				request := of(s, "delete", "jobs", "decoy")
				request.UID = ""
				return s.asks(request)
			}(),
			want: []string{"Job decoy"},
		},
		"a stranger's Job changed": {
			story: patchesJob(withStranger(), "decoy", suspendJob),
			want:  []string{"did patch to Job decoy"},
		},
		"a stranger's Job taken over": {
			story: patchesJob(withStranger().creates("build"), "decoy", func(job *batchv1.Job) {
				owner := metav1.ObjectMeta{Name: "web", UID: "whoever"}
				job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&owner, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
			}),
			want: []string{"did patch to Job decoy"},
		},
		"a stranger's Job deleted, whose name its own has later": {
			story: func() *story {
				s := newStory()
				s.appears("build", stranger)
				return s.asks(of(s, "delete", "jobs", "web-build")).removeJob("web-build").creates("build")
			}(),
			want: []string{"did delete to Job web-build"},
		},
		"Jobs by a selector": {
			story: newStory().creates("build").asks(history.Request{Call: call("deletecollection", "jobs", history.None), Code: 200}),
			want:  []string{"by a selector"},
		},
		"a Job's status": {
			story: func() *story {
				s := newStory().creates("build")
				return s.asks(of(s, "patch", "jobs/status", "web-build"))
			}(),
			want: []string{"wrote the status of Job web-build"},
		},
		"the spec": {
			story: patchesObject(newStory(), suspendSpec),
			want:  []string{"changed the spec of SequentialJob web"},
		},
		"the status through the main resource": {
			story: patchesObject(newStory(), func(o *v1alpha1.SequentialJob) { o.Status.Progress = "1/3" }),
			want:  []string{"other than through /status"},
		},
		"a SequentialJob created": {
			story: newStory().asks(history.Request{Call: call("patch", "sequentialjobs", "web"), Code: 201}),
			want:  []string{"created SequentialJob web"},
		},
		"a SequentialJob deleted": {
			story: deletes(newStory().runs("build", "test", "deploy").says("Succeeded=True"), ""),
			want:  []string{"had not finished with ttlSecondsAfterFinished set"},
		},
		"a SequentialJob deleted before its end": {
			story: deletes(expiring(newStory()), ""),
			want:  []string{"had not finished"},
		},
	})
}
