package generated

import (
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/kinds"
)

// shared is the name of the Workspace that users create; the others belong to a SequentialJob and have its name.
const shared = "shared"

// retain is the word after a Workspace's name by which its bucket is to stay.
const retain = "retain"

func readsWorkspace(words []string) error {
	if len(words) == 0 || len(words) > 2 || len(words) == 2 && words[1] != retain {
		return fmt.Errorf("it needs a name, and may have %s after it", retain)
	}
	return nil
}

// provide has a user create a Workspace.
func (p *player) provide(words []string) bool {
	if p.Store == nil {
		return false
	}
	object := &v1alpha1.Workspace{ObjectMeta: metav1.ObjectMeta{Namespace: p.Namespace, Name: words[0]}}
	object.Spec.Capacity = resource.MustParse(scene.Capacity)
	if len(words) > 1 {
		object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain
	}
	return p.user("creates Workspace "+object.Name, func() error { return p.Client.Create(p.Context(), object) })
}

// resize has a user change the capacity of a Workspace.
func (p *player) resize(words []string) bool {
	if p.Store == nil {
		return false
	}
	current := p.WorkspaceNow(words[0])
	if current == nil || current.DeletionTimestamp != nil {
		return false
	}
	changed := current.DeepCopy()
	changed.Spec.Capacity.Add(resource.MustParse(scene.Capacity))
	return p.user("changes the capacity of Workspace "+words[0], func() error { return p.Client.Patch(p.Context(), changed, client.MergeFrom(current)) })
}

// abandon has a user delete a Workspace that no SequentialJob needs any more.
func (p *player) abandon(words []string) bool {
	if p.Store == nil {
		return false
	}
	p.Sync()
	if slices.ContainsFunc(p.names, func(name string) bool { return p.needs(name, words[0]) }) {
		return false
	}
	current := p.WorkspaceNow(words[0])
	if current == nil || current.DeletionTimestamp != nil {
		return false
	}
	return p.user("deletes Workspace "+words[0], func() error {
		return p.Client.Delete(p.Context(), current, client.Preconditions{UID: &current.UID})
	})
}

// force has a user delete a Workspace that no SequentialJob needs any more, and remove the finalizer by hand.
func (p *player) force(words []string) bool {
	if !p.abandon(words) {
		return false
	}
	if current := p.WorkspaceNow(words[0]); current != nil {
		p.user("removes all finalizers of Workspace "+words[0]+" by hand", func() error {
			return p.Client.Patch(p.Context(), current, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
		})
	}
	return true
}

// tamper has somebody change the limit of a bucket.
func (p *player) tamper(words []string) bool {
	if p.Store == nil || p.down {
		return false
	}
	object := p.WorkspaceNow(words[0])
	if object == nil || object.DeletionTimestamp != nil || p.BucketOf(object) == nil {
		return false
	}
	p.ChangeBucket(object, "doubles the limit of", func(settings *jetstream.StreamConfig) { settings.MaxBytes *= 2 })
	return true
}

// drifts says whether somebody changes reality in an act, so that the controller has to look at it.
func (a Act) drifts() bool {
	name, _ := a.verb()
	return name == "tamper" || name == "force"
}

// needs says whether a SequentialJob that has not ended uses a Workspace of others.
func (p *player) needs(name, workspace string) bool {
	now, err := p.World(name)
	p.Must(err)
	object := now.Object
	return object != nil && object.Spec.Workspace != nil && object.Spec.Workspace.Name != nil && *object.Spec.Workspace.Name == workspace &&
		!scene.HasEnded(&object.Status)
}

// outage has the object store go down.
func (p *player) outage([]string) bool {
	if p.Store == nil || p.down {
		return false
	}
	p.StoreDown()
	p.down = true
	return true
}

// recover has the object store be up again.
func (p *player) recover([]string) bool {
	if !p.down {
		return false
	}
	p.StoreUp()
	p.down = false
	return true
}

// workspaces are those that exist, in the order of their names.
func (p *player) workspaces() (all []*v1alpha1.Workspace) {
	objects := p.Observer.Objects()[kinds.Workspace.Resource]
	var names []string
	for name := range objects {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		object := &v1alpha1.Workspace{}
		p.Must(runtime.DefaultUnstructuredConverter.FromUnstructured(objects[name].Object, object))
		all = append(all, object)
	}
	return all
}

// missingOfWorkspaces is what is not as it has to be at the end: each Workspace that exists is ready and has its bucket, and the
// store has no others.
func (p *player) missingOfWorkspaces() string {
	if p.Store == nil {
		return ""
	}
	there := map[string]bool{}
	for _, object := range p.workspaces() {
		switch {
		case object.DeletionTimestamp != nil:
			return fmt.Sprintf("Workspace %s is being deleted, and is still there. %s", object.Name, scene.SaysOfWorkspace(object))
		case !scene.IsReady(object):
			return fmt.Sprintf("Workspace %s is not ready for its generation. %s", object.Name, scene.SaysOfWorkspace(object))
		}
		there[v1alpha1.BucketName(object.UID)] = true
		bucket := p.BucketOf(object)
		switch {
		case bucket == nil:
			return fmt.Sprintf("Workspace %s has no bucket %s. %s", object.Name, v1alpha1.BucketName(object.UID), scene.SaysOfWorkspace(object))
		case bucket.Capacity != object.Spec.Capacity.Value():
			return fmt.Sprintf("the capacity of Workspace %s is %s, and the limit of its bucket is %d bytes. %s",
				object.Name, object.Spec.Capacity.String(), bucket.Capacity, scene.SaysOfWorkspace(object))
		}
	}
	stays := p.retained()
	for _, bucket := range p.Buckets() {
		if there[bucket.Name] || stays[bucket.Name] {
			continue
		}
		return fmt.Sprintf("bucket %s is still in the object store, and its Workspace %s is gone", bucket.Name, p.WorkspaceOf(bucket.Name))
	}
	return ""
}

// retained are the buckets that are to stay, by their names.
func (p *player) retained() map[string]bool {
	stays := map[string]bool{}
	for _, object := range scene.Seen[v1alpha1.Workspace](p.Scene, kinds.Workspace.Resource) {
		stays[v1alpha1.BucketName(object.UID)] = object.Spec.DeletionPolicy == v1alpha1.DeletionPolicyRetain
	}
	return stays
}

// sameBuckets checks that no Workspace has got another bucket in place of its first one.
func (p *player) sameBuckets() {
	first := map[types.UID]metav1.MicroTime{}
	for change, object := range scene.Seen[v1alpha1.Workspace](p.Scene, kinds.Workspace.Resource) {
		bucket := object.Status.Bucket
		if bucket == nil {
			continue
		}
		before, known := first[object.UID]
		if !known {
			first[object.UID] = bucket.Created
		} else if !before.Equal(&bucket.Created) {
			p.FindChange(change, "The bucket of Workspace %s was created at %s, as its status said first, and later at %s: another bucket has taken its place, without the files.",
				object.Name, before.UTC(), bucket.Created.UTC())
		}
	}
}

// provideNeeded has a user create the Workspace that SequentialJobs wait for, if there is none. It says whether they did.
func (p *player) provideNeeded() bool {
	if p.Observer.Objects()[kinds.Workspace.Resource][shared] != nil || !slices.ContainsFunc(p.names, func(name string) bool { return p.needs(name, shared) }) {
		return false
	}
	return p.provide([]string{shared})
}
