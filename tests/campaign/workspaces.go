package campaign

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// withWorkspaces are the kinds of a run with a Workspace.
var withWorkspaces = append([]kinds.Kind{kinds.Workspace, kinds.Secret}, kinds.Default...)

// interval is how long the operator waits between two looks at all buckets. No verdict depends on it. A lost advisory is made up
// for by the next look, and a run has to come to its end before a controller gives up.
const interval = 3 * time.Second

// withWorkspace is a run of two steps with a Workspace of its own.
func withWorkspace() *v1alpha1.SequentialJob {
	object := sample.SequentialJob(sample.Web, sample.Steps(sample.Fetch, sample.Build)...)
	object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse("1Mi"))}
	return object
}

func workspaceUsed() scenario {
	return scenario{
		name: "workspace", title: "two steps share a Workspace of the run's own; then the run is deleted", few: true, store: true,
		acts: []act{creates(withWorkspace()), completes(sample.Fetch), completes(sample.Build), deletes(world.succeeded)},
		ends: world.something,
	}
}

// workspaceLate has an orphan: no controller can exclude that a request of a dead process is done after the Workspace has gone.
func workspaceLate() scenario {
	return scenario{
		name: "workspace-late", title: "the run is deleted while its first step runs; a request to create the bucket may be done after that", store: true, late: true,
		acts: []act{
			creates(withWorkspace()), deletes(running(sample.Fetch)),
			{
				when: func(w world) bool { return w.something() == "" },
				do: func(_ context.Context, s *stage.Stage, _ world) error {
					s.Heal()
					return nil
				},
			},
		},
		ends: world.something,
	}
}

func workspaceLost() scenario {
	return scenario{
		name: "workspace-lost", title: "somebody deletes the bucket while the first step runs", few: true, store: true, narrow: true,
		acts: []act{
			creates(withWorkspace()),
			outside("deletes the bucket", running(sample.Fetch), func(ctx context.Context, s *stage.Stage, bucket string) error {
				return s.Store.Admin.Delete(ctx, bucket)
			}),
			completesWhen(sample.Fetch, runSaysOfWorkspace(v1alpha1.ReasonWorkspaceLost)),
		},
		ends: endsWith("False", v1alpha1.StepSucceeded, v1alpha1.StepSkipped),
	}
}

func workspaceDrifted() scenario {
	return scenario{
		name: "workspace-drift", title: "somebody changes the bucket's limit while the first step runs", few: true, store: true, narrow: true,
		acts: []act{
			creates(withWorkspace()),
			outside("changes the bucket's limit", running(sample.Fetch), changesStream(func(config *jetstream.StreamConfig) { config.MaxBytes *= 2 })),
			completes(sample.Fetch), completes(sample.Build),
		},
		ends: endsWith("True", v1alpha1.StepSucceeded, v1alpha1.StepSucceeded),
	}
}

func storeDown() scenario {
	return scenario{
		name: "store-down", title: "the run is deleted while the object store is down", few: true, store: true, narrow: true,
		acts: []act{
			creates(withWorkspace()),
			outside("", running(sample.Fetch), func(_ context.Context, s *stage.Stage, _ string) error { return s.EndStore() }),
			completes(sample.Fetch), completes(sample.Build), deletes(world.succeeded),
			outside("", saysOfWorkspace(v1alpha1.ReasonStoreUnavailable), func(ctx context.Context, s *stage.Stage, _ string) error {
				return s.ResumeStore(ctx)
			}),
		},
		ends: world.something,
	}
}

func workspaceUnmarked() scenario {
	return scenario{
		name: "workspace-unmarked", title: "somebody takes the bucket's mark away while the first step runs; then the run is deleted", few: true, store: true, narrow: true,
		acts: []act{
			creates(withWorkspace()),
			outside("takes the bucket's mark away", running(sample.Fetch), changesStream(func(config *jetstream.StreamConfig) { config.Metadata = nil })),
			completesWhen(sample.Fetch, runSaysOfWorkspace(v1alpha1.ReasonWorkspaceNotReady)),
			deletes(waitsForWorkspace),
		},
		ends: world.something,
	}
}

// outside is what others do to the store. The bucket is that of the run's Workspace. What is empty if the stage itself records it.
func outside(what string, when func(world) bool, do func(ctx context.Context, s *stage.Stage, bucket string) error) act {
	return act{
		what: what, when: func(w world) bool { return w.Workspace != nil && when(w) },
		do: func(ctx context.Context, s *stage.Stage, w world) error {
			return do(ctx, s, v1alpha1.BucketName(w.Workspace.UID))
		},
	}
}

func changesStream(change func(*jetstream.StreamConfig)) func(context.Context, *stage.Stage, string) error {
	return func(ctx context.Context, s *stage.Stage, bucket string) error {
		return s.Store.Admin.Change(ctx, bucket, change)
	}
}

func completesWhen(step string, when func(world) bool) act {
	act := completes(step)
	act.when = func(w world) bool { return w.Running(step) != nil && when(w) }
	return act
}

// saysOfWorkspace says that the Workspace is not ready, for that reason.
func saysOfWorkspace(reason string) func(world) bool {
	return func(w world) bool {
		if w.Workspace == nil {
			return false
		}
		ready := meta.FindStatusCondition(w.Workspace.Status.Conditions, v1alpha1.ConditionReady)
		return ready != nil && ready.Status != metav1.ConditionTrue && ready.Reason == reason
	}
}

// runSaysOfWorkspace says that the run knows that its Workspace is not ready, for that reason. Before, it may start the next step.
func runSaysOfWorkspace(reason string) func(world) bool {
	return func(w world) bool {
		if w.Object == nil {
			return false
		}
		ready := meta.FindStatusCondition(w.Object.Status.Conditions, v1alpha1.ConditionWorkspaceReady)
		return ready != nil && ready.Status == metav1.ConditionFalse && ready.Reason == reason
	}
}

// waitsForWorkspace says that the run waits for its Workspace before the second step.
func waitsForWorkspace(w world) bool {
	if w.Object == nil {
		return false
	}
	succeeded := meta.FindStatusCondition(w.Object.Status.Conditions, v1alpha1.ConditionSucceeded)
	return succeeded != nil && succeeded.Reason == v1alpha1.ReasonWorkspaceNotReady && w.Step(sample.Fetch).State == v1alpha1.StepSucceeded
}

// How long the store may take to tell of its buckets: where the next look may do better, or the store may be down, and where the
// verdict depends on it.
const soon, atLeisure = 2 * time.Second, time.Minute

// buckets are those of the store, as objects that can be compared: each is called after the Workspace that it is for.
func (p *performance) buckets(within time.Duration) []*unstructured.Unstructured {
	if p.Store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	all, err := p.Store.Admin.All(ctx)
	if err != nil { // it is down
		return []*unstructured.Unstructured{bucketObject("unknown: "+err.Error(), nil)}
	}
	var objects []*unstructured.Unstructured
	for _, bucket := range all {
		metadata := map[string]any{}
		for key, value := range bucket.Metadata {
			if !strings.Contains(key, "cluster") && !strings.Contains(key, "namespace") { // which differ from run to run
				metadata[key] = value
			}
		}
		objects = append(objects, bucketObject(string(p.WorkspaceOf(bucket.Name)), map[string]any{"capacity": bucket.Capacity, "mark": metadata}))
	}
	return objects
}

func bucketObject(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"kind": "Bucket", "metadata": map[string]any{"name": name}, "spec": spec}}
}
