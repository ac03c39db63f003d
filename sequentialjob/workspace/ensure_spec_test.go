package workspace_test

import (
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

var _ = Describe("A Workspace", func() {
	It("gets a bucket with its mark and a Secret, and the finalizer that guards the bucket", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		Expect(w.get().Finalizers).To(ConsistOf(v1alpha1.FinalizerBucket))
		bucket := w.bucket(object)
		Expect(bucket.Capacity).To(BeEquivalentTo(1 << 20))
		Expect(bucket.Owner).To(Equal(buckets.Owner{Cluster: "cluster-1", UID: string(object.UID), Namespace: w.namespace, Name: "files"}))
		status := w.get().Status
		Expect(status.Bucket.Name).To(Equal(bucket.Name))
		Expect(status.Bucket.Created.Time).To(BeTemporally("==", bucket.Created))
		Expect(status.Binding.Name).To(Equal("files-workspace"))
		secret := w.secret()
		Expect(metav1.IsControlledBy(secret, object)).To(BeTrue())
		Expect(secret.Data).To(HaveKeyWithValue("URL", []byte(w.server.URL())))
		Expect(secret.Data).To(HaveKeyWithValue("BUCKET", []byte(bucket.Name)))
		Expect(secret.Data).NotTo(HaveKey("CREDENTIALS"))
		Eventually(w.events).Should(ContainElement("Normal Ready"))
	})

	It("has its new capacity conveyed, and says that it holds more than a lower one", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.put(object, "notes", string(make([]byte, 300<<10)))
		w.edit(func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse("100Ki") })
		Expect(w.ready("True Overfull")).To(ContainSubstring("new ones are refused"))
		Expect(w.bucket(object).Capacity).To(BeEquivalentTo(100 << 10))
		Expect(w.get().Status.Bucket.Generation).To(BeEquivalentTo(2))

		w.edit(func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse("2Mi") })
		w.ready("True Ready")
	})

	// abandoned is a Workspace with a bucket that a process created before it died.
	abandoned := func(w *world) (*v1alpha1.Workspace, *buckets.Bucket) {
		object := w.create(func(object *v1alpha1.Workspace) { object.Finalizers = []string{v1alpha1.FinalizerBucket} })
		created, err := w.store().Create(w.ctx, buckets.Wanted{
			Name: v1alpha1.BucketName(object.UID), Capacity: 1 << 20,
			Owner: buckets.Owner{Cluster: "cluster-1", UID: string(object.UID), Namespace: w.namespace, Name: "files"},
		})
		Expect(err).NotTo(HaveOccurred())
		return object, created
	}

	It("finds the bucket that a process created before it died", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.operator.stop()
		_, created := abandoned(w)
		w.operator.start()
		w.ready("True Ready")
		Expect(w.get().Status.Bucket.Created.Time).To(BeTemporally("==", created.Created))
	})

	It("anchors a bucket that was emptied before a status relied on it", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.operator.stop()
		object, _ := abandoned(w)
		w.put(object, "notes", "hello")
		w.purge(object)
		Expect(w.bucket(object).Emptied).To(BeTrue())
		w.operator.start()
		w.ready("True Ready")
		Expect(w.bucket(object).Emptied).To(BeFalse())
	})

	It("anchors a bucket after its update, because with other settings the store does not keep the anchor", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.operator.stop()
		object, _ := abandoned(w)
		js := w.streams()
		stream, err := js.Stream(ctx, "OBJ_"+v1alpha1.BucketName(object.UID))
		Expect(err).NotTo(HaveOccurred())
		settings := stream.CachedInfo().Config
		settings.Retention = jetstream.InterestPolicy
		Expect(js.DeleteStream(ctx, settings.Name)).To(Succeed())
		_, err = js.CreateStream(ctx, settings)
		Expect(err).NotTo(HaveOccurred())
		w.operator.start()
		w.ready("True Ready")
		Expect(w.bucket(object).Emptied).To(BeFalse())
	})

	It("waits for a store that is down at start, and says so", func(ctx SpecContext) {
		w := worldWith(ctx, natsserver.New())
		w.create()
		Expect(w.ready("Unknown StoreUnavailable")).To(ContainSubstring(w.server.URL()))
		Eventually(w.events).Should(ContainElement("Warning StoreUnavailable"))
		w.server.Start()
		w.ready("True Ready")
	})

	It("says that JetStream is not enabled", func(ctx SpecContext) {
		server := natsserver.NewWith()
		server.Start()
		w := worldWith(ctx, server)
		w.create()
		Expect(w.ready("Unknown StoreUnavailable")).To(ContainSubstring("JetStream"))
	})

	It("says that the store has no room, and continues once it has", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create(func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse("1Ei") })
		Expect(w.ready("False StoreRefused")).To(ContainSubstring("insufficient storage"))
		Eventually(w.events).Should(ContainElement("Warning StoreRefused"))
		w.edit(func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse("1Mi") })
		w.ready("True Ready")
	})

	It("leaves a bucket of its name alone that does not have its mark", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.operator.stop()
		object := w.create()
		_, err := w.streams().CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: v1alpha1.BucketName(object.UID)})
		Expect(err).NotTo(HaveOccurred())
		before := w.bucket(object)
		w.operator.start()
		w.ready("False BucketConflict")
		Expect(w.bucket(object)).To(Equal(before))

		w.delete()
		w.gone()
		Expect(w.bucket(object)).To(Equal(before))
	})

	It("leaves a Secret of its name alone that it does not own, and continues once the name is free", func(ctx SpecContext) {
		w := newWorld(ctx)
		theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "files-workspace", Labels: map[string]string{v1alpha1.LabelWorkspace: "files"}}}
		Expect(admin.Create(ctx, theirs)).To(Succeed())
		w.create()
		w.ready("False SecretConflict")
		Expect(w.secret().ResourceVersion).To(Equal(theirs.ResourceVersion))
		Expect(admin.Delete(ctx, theirs)).To(Succeed())
		w.operator.whileDown(func() {}) // nothing tells of the deletion of another owner's Secret
		w.ready("True Ready")
	})

	It("gets its Secret again after somebody has deleted or changed it", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create()
		w.ready("True Ready")
		Expect(admin.Delete(ctx, w.secret())).To(Succeed())
		Eventually(w.hasSecret).Should(BeTrue())

		secret := w.secret()
		secret.Data["BUCKET"] = []byte("another")
		Expect(admin.Update(ctx, secret)).To(Succeed())
		Eventually(func() string { return string(w.secret().Data["BUCKET"]) }).Should(Equal(w.get().Status.Bucket.Name))
	})

	It("gets its Secret again while the store refuses its new spec, and while the store is down", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create()
		w.ready("True Ready")
		w.edit(func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse("1Ei") })
		w.ready("False StoreRefused")
		Expect(admin.Delete(ctx, w.secret())).To(Succeed())
		Eventually(w.hasSecret).Should(BeTrue())

		w.server.Kill()
		w.edit(func(object *v1alpha1.Workspace) { object.Spec.Capacity = resource.MustParse("2Mi") })
		w.ready("Unknown StoreUnavailable")
		Expect(admin.Delete(ctx, w.secret())).To(Succeed())
		Eventually(w.hasSecret).Should(BeTrue())
		w.condition(v1alpha1.ConditionBindingReady, "True Ready")

		w.server.Start()
		w.ready("True Ready")
	})

	It("gives its Secret the label again that somebody has removed, and goes on noticing what becomes of it", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create()
		w.ready("True Ready")
		secret := w.secret()
		secret.Labels = nil
		Expect(admin.Update(ctx, secret)).To(Succeed())
		Eventually(func() map[string]string { return w.secret().Labels }).Should(HaveKeyWithValue(v1alpha1.LabelWorkspace, "files"))

		secret = w.secret()
		secret.Data["BUCKET"] = []byte("another")
		Expect(admin.Update(ctx, secret)).To(Succeed())
		Eventually(func() string { return string(w.secret().Data["BUCKET"]) }).Should(Equal(w.get().Status.Bucket.Name))
	})

	It("asks the store for nothing while it is up to date, not even after a restart, but for one look at all", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create()
		w.ready("True Ready")
		asked := w.server.Requests(func() {
			w.operator.whileDown(func() {})
			w.edit(func(object *v1alpha1.Workspace) { object.Annotations = map[string]string{"note": "x"} })
			other := w.create(func(object *v1alpha1.Workspace) { object.Name = "probe" })
			Eventually(func() *buckets.Bucket { return w.bucket(other) }).ShouldNot(BeNil())
		})
		Expect(asked).To(ContainElement("STREAM.LIST"))
		Expect(asked).NotTo(ContainElement(ContainSubstring(string(w.get().UID))))
	})

	It("says without a store that there is none, and takes no finalizer", func(ctx SpecContext) {
		w := &world{ctx: ctx, namespace: newNamespace(ctx)}
		w.operator = startOperator(w.namespace, nil)
		w.create()
		Expect(w.ready("False NoStore")).To(ContainSubstring("NATS_URL"))
		Expect(w.get().Finalizers).To(BeEmpty())
		w.delete()
		w.gone()
	})
})
