package main

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestForeignJob(t *testing.T) {
	cron := makeJob("build")
	cron.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(makeObject(), batchv1.SchemeGroupVersion.WithKind("CronJob"))}
	mentioned := makeJob("build")
	mentioned.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.Kind, Name: "web", UID: "uid-of-another"}}

	for name, test := range map[string]struct {
		job        *batchv1.Job
		wantOwner  string
		wantWayOut string
		reason     string
	}{
		"nobody's":                  {makeJob("build"), "nobody", "delete that Job, or", "a user created it"},
		"another SequentialJob's":   {ownedBy(api(), makeJob("build")), "SequentialJob api (UID uid-of-api)", "delete that Job, or", "nothing deletes it automatically"},
		"an earlier web's":          {ownedBy(another(makeObject()), makeJob("build")), "SequentialJob web (UID uid-of-another)", "that is an earlier SequentialJob", "its owner is gone, so the garbage collector deletes it"},
		"another kind's":            {cron, "CronJob web (UID uid-of-web)", "delete that Job, or", "the owner's kind counts too"},
		"an owner does not control": {mentioned, "nobody", "delete that Job, or", "only a controller reference counts"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ownerOf(test.job); got != test.wantOwner {
				t.Errorf("belongs to %q, want %q: %s", got, test.wantOwner, test.reason)
			}
			if got := wayOut(test.job, makeObject()); !strings.HasPrefix(got, test.wantWayOut) {
				t.Errorf("the way out is %q, want %q…: %s", got, test.wantWayOut, test.reason)
			}
		})
	}
}
