package scene

import (
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
)

// Unlabel has a user replace all labels of a Job, and returns those that it had. A watch with a selector then reports it as
// deleted. One label has to stay: the API server gives a Job without any those of its pods.
func (s *Scene) Unlabel(job *batchv1.Job) (removed map[string]string) {
	s.User("replaces all labels of Job %s", job.Name)
	current := s.Reread(job)
	s.relabel(current, map[string]string{"team": "data"})
	return current.Labels
}

// Mislabel has a user change a label of a Job.
func (s *Scene) Mislabel(job *batchv1.Job, label, value string) {
	s.User("changes the label %s of Job %s to %s", label, job.Name, value)
	current := s.Reread(job)
	changed := current.DeepCopy()
	metav1.SetMetaDataLabel(&changed.ObjectMeta, label, value)
	s.relabel(current, changed.Labels)
}

// Relabel has a user give a Job such labels.
func (s *Scene) Relabel(job *batchv1.Job, labels map[string]string) {
	s.User("gives Job %s its labels back", job.Name)
	s.relabel(s.Reread(job), labels)
}

// Annotate has a user set an annotation of an object, which means nothing to the controller, but triggers a reconcile.
func (s *Scene) Annotate(object client.Object) {
	s.User("annotates %s", object.GetName())
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/seen":"%d"}}}`, s.Log.Now())
	current := object.DeepCopyObject().(client.Object) // so that the patch does not change the caller's object
	s.Must(s.Client.Patch(s.Context(), current, client.RawPatch(types.MergePatchType, []byte(patch))))
}

func (s *Scene) relabel(current *batchv1.Job, labels map[string]string) {
	changed := current.DeepCopy()
	changed.Labels = labels
	s.Must(s.Client.Patch(s.Context(), changed, client.MergeFrom(current)))
}

// LeftCache waits until the controller's watches have reported as deleted a Job that has lost its labels. The controller may give them
// back meanwhile.
func (s *Scene) LeftCache(job *batchv1.Job) {
	s.Sync()
	version, had := uint64(0), false
	for change, seen := range Seen[batchv1.Job](s, kinds.Job.Resource) {
		if seen.UID != job.UID {
			continue
		}
		_, has := seen.Labels[v1alpha1.LabelSequentialJob]
		if had && !has {
			version = change.ResourceVersion
		}
		had = has
	}
	reported := func(as string) func(history.Frame) bool {
		return func(f history.Frame) bool {
			return f.UID == string(job.UID) && f.Type == as && f.ResourceVersion >= version && f.Delivered > 0
		}
	}
	s.Until(func() string {
		run := s.Log.Run()
		still := func(f history.Frame) bool { return f.ResourceVersion == version && reported("MODIFIED")(f) }
		if i := slices.IndexFunc(run.Frames, still); i >= 0 {
			s.Find("Job %s has lost its labels, and still reaches your controller: it watches the Jobs %s.",
				job.Name, run.Streams[run.Frames[i].Stream-1].Scope)
		}
		if !slices.ContainsFunc(run.Frames, reported("DELETED")) {
			return fmt.Sprintf("the watch of Jobs has not reported that Job %s has lost its labels", job.Name)
		}
		return ""
	})
}
