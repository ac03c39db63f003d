package finding_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

func TestFlood(t *testing.T) {
	run := history.Run{}
	for id := range 300 {
		r := request(id+1, 1, "update", "sequentialjobs/status", "web", "web", 10*ms, 200, 200, 1)
		if id%3 == 0 {
			r.Call.Verb, r.Received = "get", 2000*ms
		}
		run.Requests = append(run.Requests, r)
	}
	got := finding.Flood(run)
	want := "Your controller made 300 requests in 2.0 s:\n     200 update sequentialjobs/status\n     100 get sequentialjobs/status"
	assert.Equal(t, "Flood", got.What, want)
	assert.Equal(t, "its check", got.Check, finding.CheckFlood)
	assert.Equal(t, "where to read on", got.Read, "lessons/03-reconcile/README.md#your-own-writes")
}

func TestFloodOfDeletions(t *testing.T) {
	run := history.Run{}
	for id := range 8 {
		run.Requests = append(run.Requests, request(id+1, 1, "delete", "jobs", "web/build", "web-build", 10*ms, 200, 200, 1))
	}
	got := finding.Flood(run)
	assert.Contains(t, "its reason", got.Why, "deletionTimestamp")
	assert.Equal(t, "where to read on", got.Read, "lessons/06-failure/README.md#stop-first-then-report")
}

func TestFloodAtTheStore(t *testing.T) {
	run := history.Run{Requests: []history.Request{
		request(1, 1, "patch", "workspaces/status", "web", "web", 10*ms, 200, 5, 0),
		request(2, 1, "get", "buckets", "web", "ws-1", 20*ms, 200, 0, 0),
		request(3, 1, "get", "buckets", "web", "ws-1", 30*ms, 200, 0, 0),
	}}
	got := finding.Flood(run)
	assert.Contains(t, "Flood", got.What, "       2 get buckets\n       1 patch workspaces/status")
	assert.Contains(t, "its reason", got.Why, "a reconcile that always looks")
	assert.Equal(t, "where to read on", got.Read, "lessons/09-finalizers/README.md#what-was-conveyed")
}

func TestFloodOfWatches(t *testing.T) {
	run := history.Run{Requests: []history.Request{request(1, 1, "list", "jobs", "-", "", 10*ms, 200, 200, 0)}}
	for id := range 300 {
		run.Streams = append(run.Streams, history.Stream{ID: id + 1, Instance: 1, Resource: "jobs", Opened: 3000 * ms, Code: 200})
	}
	got := finding.Flood(run)
	assert.Contains(t, "Flood", got.What, "Your controller made 301 requests in 3.0 s:\n     300 watch jobs\n       1 list jobs\nIt opened the same watches again and again.")
	assert.Contains(t, "its reason", got.Why, "A watch stays open")
	assert.Equal(t, "where to read on", got.Read, "lessons/01-control-loop/README.md#the-informer-keeps-a-copy")
	assert.Equal(t, "when it was", got.At, 3000*ms)
}

func TestFloodOfRefusals(t *testing.T) {
	run := history.Run{}
	for id := range 8 {
		r := request(id+1, 1, "create", "jobs", "web/build", "web-build", 10*ms, 201, 201, 1)
		if id < 2 {
			r = refusal(id+1, "patch", "sequentialjobs/status", "the status is not valid")
		}
		run.Requests = append(run.Requests, r)
	}
	got := finding.Flood(run)
	assert.Contains(t, "Flood", got.What, "2 of them were refused, most often with: 403 Forbidden: the status is not valid")
	assert.Contains(t, "its reason", got.Why, "refused first")
	assert.Equal(t, "where to read on", got.Read, "lessons/03-reconcile/README.md#what-to-return")
}

// refusal is a request that was refused in these words.
func refusal(id int, verb, resource, message string) history.Request {
	r := request(id, 1, verb, resource, "web/build", "web-build", 20*ms, 403, 403, 0)
	r.Reason, r.Message = "Forbidden", message
	return r
}

func TestRefused(t *testing.T) {
	const user = `User "system:serviceaccount:controller-system:controller" cannot `
	create := "jobs.batch is forbidden: " + user + `create resource "jobs" in API group "batch" in the namespace "plan-1"`
	got, is := finding.Refused(history.Run{
		Requests: []history.Request{
			refusal(1, "create", "jobs", create),
			refusal(2, "create", "jobs", create),
			refusal(3, "list", "configmaps", `configmaps is forbidden: `+user+`list resource "configmaps" in API group "" at the cluster scope`),
			refusal(4, "update", "sequentialjobs/status", user+`update resource "sequentialjobs/status" in API group "batch.example.com" in the namespace "plan-1"`),
		},
		Streams: []history.Stream{{ID: 1, Instance: 1, Resource: "jobs", Opened: 10 * ms, Code: 403}},
	})
	want := finding.Finding{
		What: "The API server refused these requests, because your controller's role does not allow them:\n" +
			"  create jobs (2 times)\n  list configmaps (once)\n  update sequentialjobs/status (once)\n  watch jobs (once)\n" +
			"The starter's role allows patch: write with r.Status().Patch. Add a marker only if you need another verb.\n" +
			"If your controller needs them, add these markers above its code:\n" +
			"  // +kubebuilder:rbac:groups=batch,resources=jobs,verbs=create;watch\n" +
			"  // +kubebuilder:rbac:groups=\"\",resources=configmaps,verbs=list\n" +
			"  // +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/status,verbs=update",
		When: "The first time at 0.010 s.", At: 10 * ms, Requests: []int{1, 3, 4},
	}
	want.Check, want.Title, want.Why, want.Read = "rbac", got.Title, got.Why, got.Read
	assert.Equal(t, "Refused", got, want)
	assert.Equal(t, "whether a request was refused", is, true)
}

func TestRefusedStatus(t *testing.T) {
	const reminder = "A status is written through its subresource"
	for resource, want := range map[string]bool{"sequentialjobs": true, "sequentialjobs/status": false} {
		message := `User "system:serviceaccount:a:b" cannot patch resource "` + resource + `" in API group "batch.example.com" in the namespace "plan-1"`
		got, _ := finding.Refused(history.Run{Requests: []history.Request{refusal(1, "patch", resource, message)}})
		assert.Equal(t, "whether it reminds of Status(), for "+resource, strings.Contains(got.What, reminder), want)
	}
}

func TestRefusedOwnerReference(t *testing.T) {
	got, is := finding.Refused(history.Run{Requests: []history.Request{refusal(1, "create", "jobs", `jobs.batch "web-fetch" is forbidden: `+
		`cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`)}})
	assert.Equal(t, "whether a permission is missing", is, true)
	assert.Contains(t, "the finding", got.What, "OwnerReferencesPermissionEnforcement",
		"// +kubebuilder:rbac:groups=batch.example.com,resources=sequentialjobs/finalizers,verbs=update")
	_, is = finding.Refused(history.Run{Requests: []history.Request{refusal(1, "create", "jobs", `jobs.batch "web-fetch" is forbidden: `+
		`cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1alpha1 Kind SequentialJob`)}})
	assert.Equal(t, "whether a permission is missing for an owner that can't exist", is, false)
}

func TestRefusedByTheAPIServer(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{})
	must.Succeed(t, err)
	defer c.Stop()
	config, err := c.AddServiceAccount("ops", "robot")
	must.Succeed(t, err)
	admin, robot := kubernetes.NewForConfigOrDie(c.Config()).CoreV1(), kubernetes.NewForConfigOrDie(config).CoreV1()
	byRole := robot.Namespaces().Delete(t.Context(), metav1.NamespaceDefault, metav1.DeleteOptions{})
	byAdmission := admin.Namespaces().Delete(t.Context(), metav1.NamespaceDefault, metav1.DeleteOptions{})
	for _, test := range []struct {
		err  error
		want bool
	}{{byRole, true}, {byAdmission, false}} {
		run := history.Run{Requests: []history.Request{refusal(1, "delete", "namespaces", test.err.Error())}}
		if !apierrors.IsForbidden(test.err) {
			t.Fatalf("%v, want a refusal", test.err)
		}
		_, is := finding.Refused(run)
		assert.Equal(t, "whether a permission is missing, of "+test.err.Error(), is, test.want)
	}
}

func TestRefusedInALog(t *testing.T) {
	log := `{"level":"error","error":"jobs.batch is forbidden: User \"system:serviceaccount:a:b\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"e2e\""}
{"level":"error","error":"jobs.batch is forbidden: User \"system:serviceaccount:a:b\" cannot create resource \"jobs\" in API group \"batch\" in the namespace \"e2e\""}
E1121 reflector.go: configmaps is forbidden: User "system:serviceaccount:a:b" cannot list resource "configmaps" in API group "" at the cluster scope
pods "web" is forbidden: exceeded quota`
	found, was := finding.RefusedIn(log)
	assert.Equal(t, "whether the role refused something", was, true)
	assert.Contains(t, "the finding", found.What, "create jobs (2 times)", "list configmaps (once)",
		"// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=create",
		`// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list`)
	if found, was := finding.RefusedIn(`pods "web" is forbidden: exceeded quota`); was {
		t.Errorf("refused by a quota, not by the role: %v", found)
	}
}
