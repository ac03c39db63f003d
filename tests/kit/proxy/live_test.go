package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
)

// TestLive has client-go talk to a real API server through the proxy.
func TestLive(t *testing.T) {
	const crd = "../../../sequentialjob/config/crd/batch.example.com_sequentialjobs.yaml"
	c, err := cluster.Start(context.Background(), cluster.Options{CRDs: []string{crd}})
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, c.Stop()) })
	for _, test := range []struct {
		name   string
		native bool
		run    func(*live)
	}{
		{name: "a typed client", run: (*live).typedClient},
		{name: "a typed client in its own form", native: true, run: (*live).typedClient},
		{name: "an informer in its own form", native: true, run: (*live).nativeInformer},
		{name: "a conflict", run: (*live).conflict},
		{name: "a lost read", run: (*live).lostRead},
		{name: "a request with a gateway's response is retried", run: (*live).gateway},
		{name: "a cut", run: (*live).cutWatch},
		{name: "a missed delete", run: (*live).missedDelete},
		{name: "a stale start", run: (*live).staleStart},
		{name: "410", run: (*live).expired},
		{name: "another run's namespace", run: (*live).foreign},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newLive(t, c, test.native)) })
	}
}

// live is a proxy before a real API server.
type live struct {
	*bench
	server    *rest.Config
	namespace string
	admin     batchclient.JobInterface
}

func newLive(t *testing.T, c *cluster.Cluster, native bool) *live {
	forbidLeaks(t)
	client := kubernetes.NewForConfigOrDie(c.Config())
	space, err := client.CoreV1().Namespaces().Create(t.Context(),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "run-"}}, metav1.CreateOptions{})
	must.Succeed(t, err)
	b := newBenchAt(t, c.Config(), space.Name, func(options *proxy.Options) { options.Native = native })
	return &live{bench: b, server: c.Config(), namespace: space.Name, admin: client.BatchV1().Jobs(space.Name)}
}

// client is that of an instance of the controller.
func (l *live) client(instance int) kubernetes.Interface {
	l.Helper()
	config, err := l.proxy.Door(instance)
	must.Succeed(l, err)
	return kubernetes.NewForConfigOrDie(config)
}

func newJob(step string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: "web-" + step, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "batch.example.com/v1alpha1", Kind: "SequentialJob", Name: "web", UID: "u"},
		}},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: step, Image: "none"}},
		}}},
	}
}

// create creates a Job as another client.
func (l *live) create(step string) {
	l.Helper()
	_, err := l.admin.Create(l.Context(), newJob(step), metav1.CreateOptions{})
	must.Succeed(l, err)
}

// label changes a Job as another client.
func (l *live) label(step, value string) {
	l.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{"state":%q}}}`, value)
	_, err := l.admin.Patch(l.Context(), "web-"+step, types.MergePatchType, patch, metav1.PatchOptions{})
	must.Succeed(l, err)
}

// remove deletes a Job as another client.
func (l *live) remove(step string) {
	l.Helper()
	background := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}
	must.Succeed(l, l.admin.Delete(l.Context(), "web-"+step, background))
}

// seen is what an informer reports.
type seen struct {
	*live
	events chan string // "add web-build new", "update ...", "delete ...", "gone web-build"
	stop   func()
}

// informer runs an informer of Jobs, as an instance.
func (l *live) informer(instance int) *seen {
	l.Helper()
	factory := informers.NewSharedInformerFactoryWithOptions(l.client(instance), 0, informers.WithNamespace(l.namespace))
	s := &seen{live: l, events: make(chan string, 100)}
	tell := func(what string, object any) {
		job := object.(*batchv1.Job)
		s.events <- fmt.Sprintf("%s %s %s", what, job.Name, job.Labels["state"])
	}
	_, err := factory.Batch().V1().Jobs().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("add", object) },
		UpdateFunc: func(_, object any) { tell("update", object) },
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				tell("gone", gone.Obj)
				return
			}
			tell("delete", object)
		},
	})
	must.Succeed(l, err)
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = func() { cancel(); factory.Shutdown() }
	l.Cleanup(s.stop)
	factory.StartWithContext(ctx)
	return s
}

func (s *seen) want(events ...string) {
	s.Helper()
	for _, want := range events {
		if got, _ := receive(s, s.events, want); got != want {
			s.Fatalf("the informer reported %q, want %q", got, want)
		}
	}
}

func (l *live) awaitHeld(moment string) {
	l.Helper()
	l.eventually(moment+" is held", func() bool {
		return slices.ContainsFunc(l.log.Run().Frames, func(frame history.Frame) bool {
			return frame.Moment.String() == moment && frame.Fault > 0
		})
	})
}

func (l *live) typedClient() {
	jobs, ctx := l.client(1).BatchV1().Jobs(l.namespace), l.Context()
	list, err := jobs.List(ctx, metav1.ListOptions{})
	must.Succeed(l, err)
	events, err := jobs.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
	must.Succeed(l, err)
	defer events.Stop()
	created, err := jobs.Create(ctx, newJob("build"), metav1.CreateOptions{})
	must.Succeed(l, err)
	created.Labels = map[string]string{"a": "b"}
	_, err = jobs.Update(ctx, created, metav1.UpdateOptions{})
	must.Succeed(l, err)
	if got, err := jobs.Get(ctx, "web-build", metav1.GetOptions{}); err != nil || got.Labels["a"] != "b" {
		l.Fatalf("%v, %v", got, err)
	}
	must.Succeed(l, jobs.Delete(ctx, "web-build", metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}))
	if _, err := jobs.Get(ctx, "web-build", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		l.Fatal(err)
	}
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		if event := <-events.ResultChan(); event.Type != want || event.Object.(*batchv1.Job).Name != "web-build" {
			l.Fatalf("received %v, want %s", event, want)
		}
	}
	l.wantCalls(
		"list jobs - #1 200 200", "create jobs web/build #1 201 201", "update jobs web/build #1 200 200",
		"get jobs web/build #1 200 200", "delete jobs web/build #1 200 200", "get jobs web/build #2 404 404",
	)
	requests := l.log.Run().Requests
	if got := requests[1]; got.UID != string(created.UID) || fmt.Sprint(got.ResourceVersion) == "0" {
		l.Errorf("recorded %+v", got)
	}
	if got := requests[5]; got.Reason != string(metav1.StatusReasonNotFound) || got.Message == "" {
		l.Errorf("recorded %+v", got)
	}
}

func (l *live) nativeInformer() {
	l.create("build")
	s := l.informer(1)
	s.want("add web-build ")
	l.awaitUp(1)
	l.label("build", "new")
	s.want("update web-build new")
	if frames := l.log.Run().Frames; len(frames) > 0 {
		l.Errorf("frames were read: %v", frames)
	}
}

func (l *live) conflict() {
	l.inject("write first: update jobs web/build #1")
	jobs, ctx := l.client(1).BatchV1().Jobs(l.namespace), l.Context()
	created, err := jobs.Create(ctx, newJob("build"), metav1.CreateOptions{})
	must.Succeed(l, err)
	if _, err := jobs.Update(ctx, created, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		l.Fatalf("the update did not conflict: %v", err)
	}
	got, err := jobs.Get(ctx, "web-build", metav1.GetOptions{})
	must.Succeed(l, err)
	if got.Annotations[proxy.ConflictAnnotation] == "" || got.Generation != created.Generation {
		l.Errorf("annotations %v, generation %d", got.Annotations, got.Generation)
	}
	_, err = jobs.Update(ctx, got, metav1.UpdateOptions{})
	must.Succeed(l, err)
}

// client-go would retry a read whose connection ends before the response starts.
func (l *live) lostRead() {
	l.inject("lose request: list jobs - #1", "lose reply: list jobs - #2")
	jobs := l.client(1).BatchV1().Jobs(l.namespace)
	for range 2 {
		if _, err := jobs.List(l.Context(), metav1.ListOptions{}); err == nil {
			l.Error("client-go has seen no error")
		}
	}
	l.awaitQuiet()
	l.wantCalls("list jobs - #1 0 0", "list jobs - #2 200 0")
}

func (l *live) gateway() {
	l.inject("answer 503 after commit: " + create)
	_, err := l.client(1).BatchV1().Jobs(l.namespace).Create(l.Context(), newJob("build"), metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		l.Errorf("the client received %v", err)
	}
	l.wantCalls("create jobs web/build #1 201 503", "create jobs web/build #2 409 409")
}

func (l *live) cutWatch() {
	l.inject("cut: MODIFIED jobs web/build #1")
	l.create("build")
	s := l.informer(1)
	s.want("add web-build ")
	l.awaitUp(1)
	l.label("build", "new")
	s.want("update web-build new")
	l.awaitUp(1)
	l.wantPending(0)
}

func (l *live) missedDelete() {
	l.inject("hold, cut, 410: DELETED jobs web/build #1")
	l.create("build")
	s := l.informer(1)
	s.want("add web-build ")
	l.awaitUp(1)
	l.remove("build")
	l.awaitHeld("DELETED jobs web/build #1")
	l.create("ship")
	l.proxy.Heal()
	l.awaitUp(1)
	reported := map[string]bool{<-s.events: true, <-s.events: true}
	if !reported["gone web-build "] || !reported["add web-ship "] {
		l.Errorf("the informer reported %v", reported)
	}
}

func (l *live) staleStart() {
	l.inject(staleStart)
	first := l.informer(1)
	l.awaitUp(1)
	l.create("build")
	first.want("add web-build ")
	l.label("build", "new")
	first.want("update web-build new")
	l.create("ship")
	first.want("add web-ship ")
	first.stop()

	second := l.informer(2)
	second.want("add web-build ")
	l.awaitUp(2)
	l.awaitHeld("ADDED jobs web/ship #1")
	l.awaitQuiet()
	live, err := l.client(2).BatchV1().Jobs(l.namespace).Get(l.Context(), "web-build", metav1.GetOptions{})
	if err != nil || live.Labels["state"] != "new" {
		l.Errorf("a live read got %v, %v", live, err)
	}
	l.proxy.Heal()
	second.want("update web-build new", "add web-ship ")
	l.wantOneFault(staleStart)
}

// expired compares the response with the API server's own.
func (l *live) expired() {
	l.inject("hold, cut, 410: DELETED jobs web/build #1")
	path := "/apis/batch/v1/namespaces/" + l.namespace + "/jobs"
	l.create("build")
	one := l.instance(1)
	w := one.watch(path, "resourceVersion=0")
	l.awaitReceived(1)
	l.remove("build")
	l.awaitHeld("DELETED jobs web/build #1")
	l.proxy.Heal()
	w.want("ADDED web-build@" + fmt.Sprint(l.log.Run().Frames[0].ResourceVersion))
	_ = w.wantEnd()
	ours := <-one.watch(path, "resourceVersion=2").lines

	// The API server has changes of a kind since the kind exists.
	ctx, cancel := context.WithTimeout(l.Context(), patience)
	defer cancel()
	there := "/apis/batch.example.com/v1alpha1/namespaces/" + l.namespace + "/sequentialjobs"
	theirs, err := kubernetes.NewForConfigOrDie(l.server).BatchV1().RESTClient().Get().AbsPath(there).
		Param("watch", "true").Param("resourceVersion", "1").SetHeader("Accept", "application/json").DoRaw(ctx)
	must.Succeed(l, err)
	versions := regexp.MustCompile(`version: .*\)`)
	without := func(response string) string { return versions.ReplaceAllString(compact(response), "") }
	assert.Equal(l, "what the proxy says, instead of the API server", without(ours), without(string(theirs)))
}

// foreign compares what the API server says of another run's namespace with what it says of one that does not exist.
func (l *live) foreign() {
	const nowhere = "does-not-exist"
	b := newBenchAt(l.T, l.server, "run-of-its-own", func(options *proxy.Options) {
		options.Confined, options.Foreign = true, func(namespace string) bool { return namespace == l.namespace }
	})
	l.create("build")
	one, object := b.instance(1), strings.Replace(compact(elsewhere(l.namespace, job("build", 0))), `"uid":"uid-build"`, `"labels":{}`, 1)
	ask := func(method, namespace, path, contentType, body string) string {
		l.Helper()
		there := "/api/v1/namespaces/" + namespace
		if strings.HasPrefix(path, "jobs") {
			there = "/apis/batch/v1/namespaces/" + namespace + "/" + path
		}
		reply := one.askAs(method, there, contentType, strings.ReplaceAll(body, l.namespace, namespace))
		return fmt.Sprint(reply.code, " ", versions.ReplaceAllString(strings.ReplaceAll(reply.body, namespace, "there"), ""))
	}
	const json, merge, apply = "application/json", "application/merge-patch+json", "application/apply-patch+yaml"
	for _, test := range []struct{ method, path, contentType, body, says string }{
		{http.MethodGet, "", json, "", `404 .*namespaces \\"there\\" not found`},
		{http.MethodDelete, "", json, "", `404 .*namespaces \\"there\\" not found`},
		{http.MethodGet, "jobs", json, "", `200 .*"items":\[\]`},
		{http.MethodGet, "jobs/web-build", json, "", `404 .*jobs.batch \\"web-build\\" not found`},
		{http.MethodPost, "jobs", json, object, `404 .*namespaces \\"there\\" not found`},
		{http.MethodPut, "jobs/web-build", json, object, `404 .*not found`},
		{http.MethodPatch, "jobs/web-build", merge, `{}`, `404 .*not found`},
		{http.MethodPatch, "jobs/web-build?fieldManager=a", apply, object, `404 .*not found`},
		{http.MethodDelete, "jobs/web-build", json, "", `404 .*not found`},
		{http.MethodDelete, "jobs", json, "", `200 .*"items":\[\]`},
	} {
		got, want := ask(test.method, l.namespace, test.path, test.contentType, test.body), ask(test.method, nowhere, test.path, test.contentType, test.body)
		if got != want || !regexp.MustCompile(test.says).MatchString(got) {
			l.Errorf("%s %s in another run's namespace: %s\nin one that does not exist: %s\nwant %s", test.method, test.path, got, want, test.says)
		}
	}
	one.watch("/apis/batch/v1/namespaces/"+l.namespace+"/jobs", fromStart)
	b.awaitUp(1) // without a single event
	_, err := l.admin.Get(l.Context(), "web-build", metav1.GetOptions{})
	must.Succeed(l, err)
	assert.Equal(l, "frames of the controller's watches", len(b.log.Run().Frames), 1)
}

var versions = regexp.MustCompile(`"(resourceVersion|uid)":"[^"]*"`)
