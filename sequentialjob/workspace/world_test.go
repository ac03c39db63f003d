package workspace_test

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

// world is what one spec sees: a namespace, an object store, and the controller.
type world struct {
	ctx       context.Context
	namespace string
	server    *natsserver.Server
	operator  *operator
}

// newWorld has a server that runs, and the controller with it.
func newWorld(ctx context.Context) *world { return worldWith(ctx, natsserver.Start()) }

func worldWith(ctx context.Context, server *natsserver.Server) *world {
	w := &world{ctx: ctx, namespace: newNamespace(ctx), server: server}
	w.operator = startOperator(w.namespace, w.store())
	return w
}

// store connects to the server as the operator does.
func (w *world) store() *buckets.Store {
	store, err := buckets.Connect(buckets.Options{URL: w.server.URL(), Timeout: time.Second})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(store.Close)
	return store
}

func (w *world) create(edit ...func(*v1alpha1.Workspace)) *v1alpha1.Workspace {
	GinkgoHelper()
	object := &v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "files"},
		Spec:       v1alpha1.WorkspaceSpec{Capacity: resource.MustParse("1Mi")},
	}
	for _, edit := range edit {
		edit(object)
	}
	Expect(admin.Create(w.ctx, object)).To(Succeed())
	return object
}

func (w *world) get() *v1alpha1.Workspace {
	GinkgoHelper()
	object := &v1alpha1.Workspace{}
	Expect(admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "files"}, object)).To(Succeed())
	return object
}

func (w *world) edit(change func(*v1alpha1.Workspace)) {
	GinkgoHelper()
	object := w.get()
	before := object.DeepCopy()
	change(object)
	Expect(admin.Patch(w.ctx, object, client.MergeFrom(before))).To(Succeed())
}

func (w *world) delete() {
	GinkgoHelper()
	Expect(admin.Delete(w.ctx, w.get())).To(Succeed())
}

// condition waits until a condition of the present generation has a status and a reason, and returns its message.
func (w *world) condition(conditionType string, want string) string {
	GinkgoHelper()
	var message string
	Eventually(func(g Gomega) {
		object := w.get()
		condition := meta.FindStatusCondition(object.Status.Conditions, conditionType)
		g.Expect(condition).NotTo(BeNil(), "condition %s", conditionType)
		g.Expect(string(condition.Status)+" "+condition.Reason).To(Equal(want), "condition %s: %s", conditionType, condition.Message)
		g.Expect(condition.ObservedGeneration).To(Equal(object.Generation))
		message = condition.Message
	}).Should(Succeed())
	return message
}

func (w *world) ready(want string) string { return w.condition(v1alpha1.ConditionReady, want) }

// gone waits until the Workspace has gone.
func (w *world) gone() {
	GinkgoHelper()
	Eventually(func() bool {
		err := admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "files"}, &v1alpha1.Workspace{})
		return apierrors.IsNotFound(err)
	}).Should(BeTrue(), "Workspace files should be gone")
}

func (w *world) secret() *corev1.Secret {
	GinkgoHelper()
	secret := &corev1.Secret{}
	Expect(admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "files-workspace"}, secret)).To(Succeed())
	return secret
}

func (w *world) hasSecret() (bool, error) {
	err := admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "files-workspace"}, &corev1.Secret{})
	return err == nil, client.IgnoreNotFound(err)
}

// collectSecret removes the Secret of a Workspace that is gone, as the garbage collector would.
func (w *world) collectSecret() {
	GinkgoHelper()
	Expect(admin.Delete(w.ctx, w.secret())).To(Succeed())
}

// streams is a client of the store that can do everything.
func (w *world) streams() jetstream.JetStream {
	_, js := w.server.Client()
	return js
}

// bucket is that of a Workspace as the store has it; nil if there is none.
func (w *world) bucket(object *v1alpha1.Workspace) *buckets.Bucket {
	GinkgoHelper()
	bucket, err := w.store().Look(w.ctx, v1alpha1.BucketName(object.UID))
	Expect(err).NotTo(HaveOccurred())
	return bucket
}

// change changes settings of a bucket as somebody with the NATS client does.
func (w *world) change(object *v1alpha1.Workspace, change func(*jetstream.StreamConfig)) {
	GinkgoHelper()
	js := w.streams()
	stream, err := js.Stream(w.ctx, "OBJ_"+v1alpha1.BucketName(object.UID))
	Expect(err).NotTo(HaveOccurred())
	settings := stream.CachedInfo().Config
	change(&settings)
	_, err = js.UpdateStream(w.ctx, settings)
	Expect(err).NotTo(HaveOccurred())
}

// purge removes all content of a bucket, as somebody with the NATS client does.
func (w *world) purge(object *v1alpha1.Workspace) {
	GinkgoHelper()
	stream, err := w.streams().Stream(w.ctx, "OBJ_"+v1alpha1.BucketName(object.UID))
	Expect(err).NotTo(HaveOccurred())
	Expect(stream.Purge(w.ctx)).To(Succeed())
}

// put writes a file into the bucket, as a step does.
func (w *world) put(object *v1alpha1.Workspace, name, content string) {
	GinkgoHelper()
	store, err := w.streams().ObjectStore(w.ctx, v1alpha1.BucketName(object.UID))
	Expect(err).NotTo(HaveOccurred())
	_, err = store.PutString(w.ctx, name, content)
	Expect(err).NotTo(HaveOccurred())
}

// events returns the events about the Workspace: "Warning ContentLost".
func (w *world) events() []string {
	GinkgoHelper()
	list := &eventsv1.EventList{}
	Expect(admin.List(w.ctx, list, client.InNamespace(w.namespace))).To(Succeed())
	reasons := []string{}
	for _, event := range list.Items {
		reasons = append(reasons, event.Type+" "+event.Reason)
	}
	return reasons
}
