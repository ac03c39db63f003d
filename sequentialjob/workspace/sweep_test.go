package workspace

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

// living are the Workspaces that the API server has.
type living []*v1alpha1.Workspace

func (l living) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	for _, object := range l {
		if client.ObjectKeyFromObject(object) == key {
			object.DeepCopyInto(into.(*v1alpha1.Workspace))
			return nil
		}
	}
	return apierrors.NewNotFound(v1alpha1.GroupVersion.WithResource("workspaces").GroupResource(), key.Name)
}

func (l living) List(_ context.Context, into client.ObjectList, _ ...client.ListOption) error {
	all := into.(*metav1.PartialObjectMetadataList)
	for _, object := range l {
		all.Items = append(all.Items, metav1.PartialObjectMetadata{ObjectMeta: object.ObjectMeta})
	}
	return nil
}

// mute is an API server that lists nothing.
type mute struct{ living }

func (mute) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return errors.New("no response")
}

func TestOrphaned(t *testing.T) {
	files := guarded().object
	another := files.DeepCopy()
	another.UID = "another"
	renamed := func(bucket *buckets.Bucket) { bucket.Owner.Name = "renamed" }
	for name, test := range map[string]struct {
		live    client.Reader
		change  func(*buckets.Bucket)
		want    bool
		wantErr bool
		reason  string
	}{
		"its Workspace lives":                {live: living{files}, reason: "its files are in use"},
		"no Workspace":                       {live: living{}, want: true, reason: "a UID never comes back"},
		"another one of its name":            {live: living{another}, want: true, reason: "that one has its own bucket"},
		"another name in its mark":           {live: living{files}, change: renamed, reason: "somebody has changed the name, and nobody can change the UID"},
		"the Workspaces can't be listed":     {live: mute{}, wantErr: true, reason: "no response says nothing"},
		"its mark has no name":               {live: living{}, change: func(bucket *buckets.Bucket) { bucket.Owner.Name = "" }, reason: "somebody has removed it"},
		"it is to stay":                      {live: living{}, change: func(bucket *buckets.Bucket) { bucket.Retain = true }, reason: "a user wanted that"},
		"another cluster's":                  {live: living{}, change: func(bucket *buckets.Bucket) { bucket.Owner.Cluster = "elsewhere" }, reason: "its Workspace may live there"},
		"a name that does not fit its marks": {live: living{}, change: func(bucket *buckets.Bucket) { bucket.Name = "copy" }, reason: "somebody has copied a bucket"},
	} {
		t.Run(name, func(t *testing.T) {
			bucket := &buckets.Bucket{
				Name:  v1alpha1.BucketName(files.UID),
				Owner: buckets.Owner{Cluster: "here", UID: string(files.UID), Namespace: files.Namespace, Name: files.Name},
			}
			if test.change != nil {
				test.change(bucket)
			}
			got, err := (&Reconciler{Live: test.live, Cluster: "here"}).orphaned(t.Context(), bucket)
			if got != test.want || (err != nil) != test.wantErr {
				t.Errorf("orphaned() = %t, %v, want %t, and an error: %t: %s", got, err, test.want, test.wantErr, test.reason)
			}
		})
	}
}

// lateMark is a store in which a bucket has been marked as one that stays since it was listed.
type lateMark struct {
	Store
	bucket  buckets.Bucket
	deleted bool
}

func (l *lateMark) Look(context.Context, string) (*buckets.Bucket, error) { return &l.bucket, nil }

func (l *lateMark) Delete(context.Context, string) error {
	l.deleted = true
	return nil
}

// The mark is written before the Workspace goes, so a look after that shows it.
func TestASweepLooksAgainOnceTheWorkspaceIsGone(t *testing.T) {
	files := guarded().object
	listed := buckets.Bucket{
		Name:  v1alpha1.BucketName(files.UID),
		Owner: buckets.Owner{Cluster: "here", UID: string(files.UID), Namespace: files.Namespace, Name: files.Name},
	}
	for _, retain := range []bool{true, false} {
		store := &lateMark{bucket: listed}
		store.bucket.Retain = retain
		if err := (&Reconciler{Live: living{}, Cluster: "here", Store: store}).sweep(t.Context(), &listed); err != nil {
			t.Fatal(err)
		}
		if store.deleted == retain {
			t.Errorf("a bucket to be retained: %t, deleted: %t", retain, store.deleted)
		}
	}
}
