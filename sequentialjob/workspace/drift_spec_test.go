package workspace_test

import (
	"errors"
	"sync/atomic"

	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

var _ = Describe("A bucket that somebody changes", func() {
	double := func(settings *jetstream.StreamConfig) { settings.MaxBytes *= 2 }

	It("gets its settings back at once", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.change(object, double)
		Eventually(func() int64 { return w.bucket(object).Capacity }).Should(BeEquivalentTo(1 << 20))
		Eventually(w.events).Should(ContainElement("Warning Restored"))
		w.ready("True Ready")
	})

	It("gets its settings back after a restart, if it was changed meanwhile", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.operator.whileDown(func() { w.change(object, double) })
		Eventually(func() int64 { return w.bucket(object).Capacity }).Should(BeEquivalentTo(1 << 20))
	})

	It("gets its settings back after a restart, even if the cache is stale at first", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		var edited atomic.Bool
		w.operator.whileDown(func() {
			w.change(object, double)
			w.operator.beforeRead = func() {
				defer GinkgoRecover()
				if !edited.Swap(true) {
					w.edit(func(object *v1alpha1.Workspace) { object.Labels = map[string]string{"touched": "yes"} })
				}
			}
		})
		Eventually(func() int64 { return w.bucket(object).Capacity }).Should(BeEquivalentTo(1 << 20))
		Expect(edited.Load()).To(BeTrue())
	})

	It("gets its settings back after an outage, if it was changed meanwhile", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.server.Kill()
		w.server.Start() // the controller's connection comes back a moment later
		w.change(object, double)
		Eventually(func() int64 { return w.bucket(object).Capacity }).Should(BeEquivalentTo(1 << 20))
	})

	It("is left alone for a while if somebody keeps changing it, and the status says so", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		for range 3 {
			w.change(object, double)
			Eventually(func() int64 { return w.bucket(object).Capacity }).Should(BeEquivalentTo(1 << 20))
		}
		w.change(object, double)
		Expect(w.ready("False Disputed")).To(ContainSubstring("max_bytes"))
		Eventually(func() int64 { return w.bucket(object).Capacity }).Should(BeEquivalentTo(1 << 20))
		w.ready("True Ready")
	})

	It("and deletes: its files are lost, for good", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		Expect(w.store().Delete(ctx, v1alpha1.BucketName(object.UID))).To(Succeed())
		Expect(w.ready("False ContentLost")).To(ContainSubstring("was deleted"))
		Eventually(w.events).Should(ContainElement("Warning ContentLost"))
		w.operator.whileDown(func() {})
		w.edit(func(object *v1alpha1.Workspace) { object.Labels = map[string]string{"touched": "yes"} })
		w.ready("False ContentLost")
		Expect(w.bucket(object)).To(BeNil())
		w.delete()
		w.gone()
	})

	It("and replaces: its files are lost, and the new bucket is not taken for the old one", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.operator.whileDown(func() {
			js := w.streams()
			stream, err := js.Stream(ctx, "OBJ_"+v1alpha1.BucketName(object.UID))
			Expect(err).NotTo(HaveOccurred())
			settings := stream.CachedInfo().Config
			Expect(js.DeleteStream(ctx, settings.Name)).To(Succeed())
			_, err = js.CreateStream(ctx, settings)
			Expect(err).NotTo(HaveOccurred())
		})
		Expect(w.ready("False ContentLost")).To(ContainSubstring("in its place"))
	})

	It("and purges: its files are lost, which only a look shows", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.put(object, "notes", "hello")
		w.purge(object)
		w.operator.whileDown(func() {})
		Expect(w.ready("False ContentLost")).To(ContainSubstring("were removed"))
	})

	DescribeTable("and deletes: that is not forgotten if the status write fails",
		func(ctx SpecContext, fail func(*world) error) {
			w := newWorld(ctx)
			object := w.create()
			w.ready("True Ready")
			var failed atomic.Bool
			w.operator.whileDown(func() {
				Expect(w.store().Delete(ctx, v1alpha1.BucketName(object.UID))).To(Succeed())
				w.operator.beforeStatus = func() error {
					if failed.Swap(true) {
						return nil
					}
					return fail(w)
				}
			})
			w.ready("False ContentLost")
			Expect(failed.Load()).To(BeTrue())
		},
		Entry("with a conflict", func(w *world) error {
			w.edit(func(object *v1alpha1.Workspace) { object.Labels = map[string]string{"touched": "yes"} })
			return nil
		}),
		Entry("for another reason", func(*world) error { return errors.New("the API server does not respond") }),
	)

	It("and seals: that can't be put back, and nothing is tried", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.change(object, func(settings *jetstream.StreamConfig) { settings.Sealed = true })
		Expect(w.ready("False CannotRestore")).To(ContainSubstring("sealed"))
		w.delete()
		w.gone()
		Expect(w.bucket(object)).To(BeNil())
	})

	It("and takes its mark away: it is not touched any more", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create()
		w.ready("True Ready")
		w.change(object, func(settings *jetstream.StreamConfig) { settings.Metadata = nil })
		w.ready("False BucketConflict")
		w.delete()
		w.gone()
		Expect(w.bucket(object)).NotTo(BeNil())
	})
})
