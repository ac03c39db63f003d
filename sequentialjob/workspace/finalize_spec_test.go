package workspace_test

import (
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
)

var _ = Describe("A Workspace that is deleted", func() {
	It("goes once its bucket is gone", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.put(object, "notes", "hello")
		w.delete()
		w.gone()
		Expect(w.bucket(object)).To(BeNil())
	})

	It("leaves others' finalizers", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create(func(object *v1alpha1.Workspace) { object.Finalizers = []string{"example.com/backup"} })
		w.ready("True Ready")
		w.delete()
		w.ready("False Deleted")
		Expect(w.get().Finalizers).To(ConsistOf("example.com/backup"))
		Expect(w.bucket(object)).To(BeNil())
		w.edit(func(object *v1alpha1.Workspace) { object.Finalizers = nil })
		w.gone()
	})

	It("stays while the store is down, says why, and goes once the store is up again", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.server.Kill()
		w.delete()
		Expect(w.ready("Unknown StoreUnavailable")).To(ContainSubstring("can't go yet"))
		w.server.Start()
		w.gone()
		Expect(w.bucket(object)).To(BeNil())
	})

	It("goes although its bucket was deleted before, and although it never had one", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.operator.whileDown(func() {
			Expect(w.store().Delete(ctx, v1alpha1.BucketName(object.UID))).To(Succeed())
			w.delete()
		})
		w.gone()

		w.operator.whileDown(func() {
			w.create(func(object *v1alpha1.Workspace) { object.Finalizers = []string{v1alpha1.FinalizerBucket} })
			w.delete()
		})
		w.gone()
	})

	DescribeTable("keeps its bucket with deletionPolicy Retain, marked so that nobody sweeps it", func(ctx SpecContext, change func(*jetstream.StreamConfig)) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.operator.whileDown(func() {
			w.change(object, change)
			w.edit(func(object *v1alpha1.Workspace) { object.Spec.DeletionPolicy = v1alpha1.DeletionPolicyRetain })
			w.delete()
		})
		w.gone()
		Expect(w.bucket(object).Retain).To(BeTrue())
		w.collectSecret()
		w.operator.whileDown(func() {}) // which looks at all buckets
		w.create()
		w.ready("True Ready")
		Expect(w.bucket(object)).NotTo(BeNil())
	},
		Entry("as it is", func(*jetstream.StreamConfig) {}),
		Entry("when somebody has sealed it", func(settings *jetstream.StreamConfig) { settings.Sealed = true }),
		Entry("when somebody has changed its limit", func(settings *jetstream.StreamConfig) { settings.MaxBytes /= 2 }),
	)

	It("is not confused with the next one of its name", func(ctx SpecContext) {
		w := newWorld(ctx)
		first := w.create()
		w.ready("True Ready")
		w.delete()
		w.gone()
		second := w.create()
		Expect(w.ready("False SecretConflict")).To(ContainSubstring("an earlier Workspace"))
		w.collectSecret()
		w.ready("True Ready")
		Expect(w.bucket(first)).To(BeNil())
		Expect(w.bucket(second)).NotTo(BeNil())
	})
})

var _ = Describe("A look at all buckets", func() {
	orphan := func(w *world, edit ...func(*buckets.Wanted)) string {
		wanted := buckets.Wanted{
			Name: "ws-11111111-2222-3333-4444-555555555555", Capacity: 1 << 20,
			Owner: buckets.Owner{Cluster: "cluster-1", UID: "11111111-2222-3333-4444-555555555555", Namespace: w.namespace, Name: "files"},
		}
		for _, edit := range edit {
			edit(&wanted)
		}
		_, err := w.store().Create(w.ctx, wanted)
		Expect(err).NotTo(HaveOccurred())
		return wanted.Name
	}
	names := func(w *world) []string {
		all, err := w.store().List(w.ctx)
		Expect(err).NotTo(HaveOccurred())
		var names []string
		for _, bucket := range all {
			names = append(names, bucket.Name)
		}
		return names
	}

	It("sweeps a bucket whose Workspace is gone, also if there is another one of that name", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.operator.whileDown(func() { orphan(w) })
		Eventually(func() []string { return names(w) }).Should(ConsistOf(v1alpha1.BucketName(object.UID)))
	})

	It("leaves what is another cluster's, what is to be retained, and what has no mark of a Workspace", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		var kept []string
		w.operator.whileDown(func() {
			kept = []string{
				orphan(w, func(wanted *buckets.Wanted) { wanted.Name, wanted.Owner.Cluster = "ws-a", "cluster-2" }),
				orphan(w, func(wanted *buckets.Wanted) { wanted.Name, wanted.Retain = "ws-b", true }),
				orphan(w, func(wanted *buckets.Wanted) { wanted.Name = "reports" }),
				v1alpha1.BucketName(object.UID),
			}
			orphan(w)
		})
		Eventually(func() []string { return names(w) }).Should(ConsistOf(kept))
		Expect(admin.Get(ctx, client.ObjectKeyFromObject(object), object)).To(Succeed())
	})
})
