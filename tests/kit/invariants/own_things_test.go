package invariants_test

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
)

func TestOwnThings(t *testing.T) {
	release := func(job *batchv1.Job) { job.OwnerReferences = nil }
	withForeign := func() *story { return newStory().appears("build decoy", release) }
	doesNotSayWhich := func(r *history.Request) { r.UID = "" }
	deletes := func(s *story) *story { return s.asks(request("delete", "sequentialjobs", "web", 200)).remove("web") }
	expiring := func(s *story) *story {
		return s.edit(func(spec *v1alpha1.SequentialJobSpec) { spec.TTLSecondsAfterFinished = new(int32(0)) })
	}
	label := func(job *batchv1.Job) { job.Labels = map[string]string{"seen": "yes"} }
	suspendSpec := func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) }
	takeOver := func(job *batchv1.Job) {
		owner := metav1.ObjectMeta{Name: "web", UID: "another"}
		job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&owner, v1alpha1.GroupVersion.WithKind(v1alpha1.Kind))}
	}

	runTests(t, "I8", map[string]test{
		"its own Job": holds(newStory().creates("build").patchesJob("web/build", suspendJob).
			touches("delete", "jobs", "web/build").removeJob("web-build")),
		"its own Job, whose owner is gone": holds(newStory().creates("build").remove("web").touches("delete", "jobs", "web/build")),
		"its own Job, deleted with a response without a UID": holds(withForeign().creates("build").
			touches("delete", "jobs", "web/build").lastRequest(doesNotSayWhich)),
		"its own Job, released by another client since": holds(newStory().creates("build").patchesJob("web/build", label).
			job("web-build", release)),
		"a foreign Job, refused":       holds(withForeign().asks(request("delete", "jobs", "decoy", 409))),
		"a write that changes nothing": holds(newStory().creates("build").touches("patch", "jobs", "web/build")),
		"a write that does not change a foreign Job, which others have changed": holds(withForeign().job("decoy", label).
			touches("patch", "jobs", "decoy")),
		"an edit by the user, then a write that changes nothing": holds(newStory().write("web", suspendSpec).
			touches("patch", "sequentialjobs", "web"), "its response bears the user's resourceVersion"),
		"the same, when the observer was late": holds(func() *story {
			s := newStory().write("web", suspendSpec)
			edited := s.version
			s.delivers(s.objects["web"]).touches("patch", "sequentialjobs", "web")
			s.run.Changes[len(s.run.Changes)-1].Seen = s.tick()
			return s.lastRequest(func(r *history.Request) { r.ResourceVersion = edited })
		}(), "the controller's watch had it before"),
		"a finalizer of its own": holds(newStory().
			patches(func(o *v1alpha1.SequentialJob) { o.Finalizers = []string{"example.com/ours"} })),
		"after the time to live":         holds(deletes(expiring(newStory()).runs("build", "test", "deploy").says("Succeeded=True"))),
		"after the time to live, failed": holds(deletes(expiring(newStory()).says("Succeeded=False"))),
		"other resources":                holds(newStory().asks(request("create", "events", "web", 201))),
		"in another namespace": holds(newStory().asks(request("patch", "jobs", "x/y", 200)).
			lastRequest(func(r *history.Request) { r.UID, r.ResourceVersion = "elsewhere", 7 })),

		"a foreign Job deleted": breaks(withForeign().touches("delete", "jobs", "decoy"),
			"sent delete for Job decoy, which no SequentialJob controls"),
		"a foreign Job deleted, with a response without a UID": breaks(withForeign().
			touches("delete", "jobs", "decoy").lastRequest(doesNotSayWhich), "Job decoy"),
		"a foreign Job changed": breaks(withForeign().patchesJob("decoy", suspendJob), "sent patch for Job decoy"),
		"a foreign Job taken over": breaks(withForeign().creates("build").patchesJob("decoy", takeOver),
			"sent patch for Job decoy"),
		"a foreign Job deleted, whose name its own has later": breaks(newStory().appears("build", release).
			touches("delete", "jobs", "web/build").removeJob("web-build").creates("build"), "sent delete for Job web-build"),
		"Jobs by a selector": breaks(newStory().creates("build").asks(request("deletecollection", "jobs", "-", 200)),
			"by a selector"),
		"a Job's status": breaks(newStory().creates("build").touches("patch", "jobs/status", "web/build"),
			"wrote the status of Job web-build"),
		"the spec": breaks(newStory().patches(suspendSpec), "changed the spec of SequentialJob web"),
		"the status through the main resource": breaks(newStory().patches(func(o *v1alpha1.SequentialJob) { o.Status.Progress = "1/3" }),
			"without going through /status"),
		"a SequentialJob created": breaks(newStory().asks(request("patch", "sequentialjobs", "web", 201)),
			"created SequentialJob web"),
		"a SequentialJob deleted": breaks(deletes(newStory().runs("build", "test", "deploy").says("Succeeded=True")),
			"had not finished with ttlSecondsAfterFinished set"),
		"a SequentialJob deleted before its end": breaks(deletes(expiring(newStory())), "had not finished"),
	})
}
