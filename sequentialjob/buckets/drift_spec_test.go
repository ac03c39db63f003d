package buckets_test

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/internal/natsserver"
)

var _ = Describe("A bucket that somebody changes", func() {
	DescribeTable("is put back, with its content",
		func(ctx context.Context, edit func(*jetstream.StreamConfig), settings ...string) {
			server := natsserver.Start()
			store, others := storeOf(server), othersOf(server)
			w := wanted("ws-1")
			created := create(ctx, store, w)
			objects := objects(ctx, others, "ws-1")
			put(ctx, objects, "greeting", "hello")

			change(ctx, others, "ws-1", edit)
			changed := look(ctx, store, "ws-1")
			Expect(changed.Differs(w)).To(Equal(settings))
			Expect(changed.Locked()).To(BeEmpty())

			updated, err := store.Update(ctx, w)
			Expect(err).NotTo(HaveOccurred())
			Expect(updated.Differs(w)).To(BeEmpty())
			Expect(updated.Created).To(Equal(created.Created))
			Expect(objects.GetString(ctx, "greeting")).To(Equal("hello"))
			put(ctx, objects, "greeting", "hello again")
			Expect(objects.GetString(ctx, "greeting")).To(Equal("hello again"))
		},
		Entry("description", func(c *jetstream.StreamConfig) { c.Description = "mine" }, "description"),
		Entry("subjects", func(c *jetstream.StreamConfig) { c.Subjects = c.Subjects[:1] }, "subjects"),
		Entry("max_msgs", func(c *jetstream.StreamConfig) { c.MaxMsgs = 100 }, "max_msgs"),
		Entry("max_bytes, less", func(c *jetstream.StreamConfig) { c.MaxBytes = 1 << 10 }, "max_bytes"),
		Entry("max_bytes, no limit", func(c *jetstream.StreamConfig) { c.MaxBytes = -1 }, "max_bytes"),
		Entry("max_age", func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }, "max_age"),
		Entry("max_msgs_per_subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 100 }, "max_msgs_per_subject"),
		Entry("max_msg_size", func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1 << 10 }, "max_msg_size"),
		Entry("discard", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld }, "discard"),
		Entry("discard_new_per_subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject, c.DiscardNewPerSubject = 100, true },
			"max_msgs_per_subject", "discard_new_per_subject"),
		Entry("no_ack", func(c *jetstream.StreamConfig) { c.NoAck = true }, "no_ack"),
		Entry("compression", func(c *jetstream.StreamConfig) { c.Compression = jetstream.S2Compression }, "compression"),
		Entry("allow_rollup_hdrs", func(c *jetstream.StreamConfig) { c.AllowRollup = false }, "allow_rollup_hdrs"),
		Entry("allow_direct", func(c *jetstream.StreamConfig) { c.AllowDirect = false }, "allow_direct"),
		Entry("mirror_direct", func(c *jetstream.StreamConfig) { c.MirrorDirect = true }, "mirror_direct"),
		Entry("allow_atomic", func(c *jetstream.StreamConfig) { c.AllowAtomicPublish = true }, "allow_atomic"),
		Entry("allow_batched", func(c *jetstream.StreamConfig) { c.AllowBatchPublish = true }, "allow_batched"),
		Entry("max_consumers", func(c *jetstream.StreamConfig) { c.MaxConsumers = 1 }, "max_consumers"),
		Entry("placement", func(c *jetstream.StreamConfig) { c.Placement = &jetstream.Placement{Tags: []string{"ssd"}} }, "placement"),
		Entry("sources", func(c *jetstream.StreamConfig) { c.Sources = []*jetstream.StreamSource{{Name: "other"}} }, "sources"),
		Entry("subject_transform", func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "$O.ws-1.C.>", Destination: "lost.>"}
		}, "subject_transform"),
		Entry("republish", func(c *jetstream.StreamConfig) {
			c.RePublish = &jetstream.RePublish{Source: ">", Destination: "leak.>"}
		}, "republish"),
		Entry("consumer_limits", func(c *jetstream.StreamConfig) { c.ConsumerLimits.MaxAckPending = 1 }, "consumer_limits"),
		Entry("the mark", func(c *jetstream.StreamConfig) { c.Metadata = nil }, "metadata"),
		Entry("the mark, in part", func(c *jetstream.StreamConfig) { delete(c.Metadata, "batch.example.com/name") }, "metadata"),
		Entry("whether it must stay", func(c *jetstream.StreamConfig) { c.Metadata["batch.example.com/retain"] = "true" }, "metadata"),
		Entry("several", func(c *jetstream.StreamConfig) { c.Compression, c.MaxBytes = jetstream.S2Compression, 1<<10 }, "max_bytes", "compression"),
	)

	DescribeTable("is locked if the server does not change that back",
		func(ctx context.Context, edit func(*jetstream.StreamConfig), settings ...string) {
			server := natsserver.Start()
			store, others := storeOf(server), othersOf(server)
			create(ctx, store, wanted("ws-1"))
			put(ctx, objects(ctx, others, "ws-1"), "greeting", "hello")

			change(ctx, others, "ws-1", edit)
			Expect(look(ctx, store, "ws-1").Locked()).To(Equal(settings))
			_, err := store.Update(ctx, wanted("ws-1"))
			Expect(err).To(beRefused(10052))
			Expect(look(ctx, store, "ws-1").Locked()).To(Equal(settings))
			Expect(store.Delete(ctx, "ws-1")).To(Succeed())
		},
		Entry("sealed", func(c *jetstream.StreamConfig) { c.Sealed = true }, "sealed", "deny_delete", "deny_purge"),
		Entry("deny_delete", func(c *jetstream.StreamConfig) { c.DenyDelete = true }, "deny_delete"),
		Entry("deny_purge", func(c *jetstream.StreamConfig) { c.DenyPurge, c.AllowRollup = true, false }, "deny_purge"),
		Entry("allow_msg_ttl", func(c *jetstream.StreamConfig) { c.AllowMsgTTL = true }, "allow_msg_ttl"),
		Entry("subject_delete_marker_ttl", func(c *jetstream.StreamConfig) { c.SubjectDeleteMarkerTTL = time.Hour }, "allow_msg_ttl"),
		Entry("allow_msg_schedules", func(c *jetstream.StreamConfig) { c.AllowMsgSchedules, c.Discard = true, jetstream.DiscardOld }, "allow_msg_schedules"),
	)

	It("is put back without its content if its retention was changed", func(ctx context.Context) {
		server := natsserver.Start()
		store, others := storeOf(server), othersOf(server)
		w := wanted("ws-1")
		create(ctx, store, w)
		objects := objects(ctx, others, "ws-1")
		put(ctx, objects, "greeting", "hello")

		change(ctx, others, "ws-1", func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy })
		changed := look(ctx, store, "ws-1")
		Expect(changed.Differs(w)).To(Equal([]string{"retention"}))
		Expect(changed.Emptied).To(BeTrue())
		updated, err := store.Update(ctx, w)
		Expect(err).NotTo(HaveOccurred())
		Expect(updated.Differs(w)).To(BeEmpty())
		put(ctx, objects, "greeting", "hello again")
		Expect(objects.GetString(ctx, "greeting")).To(Equal("hello again"))
	})

	It("is not compared by what the server fills in, nor by what others add to its metadata", func(ctx context.Context) {
		server := natsserver.Start()
		store, others := storeOf(server), othersOf(server)
		w := wanted("ws-1")
		create(ctx, store, w)
		change(ctx, others, "ws-1", func(c *jetstream.StreamConfig) {
			Expect(c.Metadata).To(HaveKey(HavePrefix("_nats.")))
			Expect(c.Duplicates).To(BeNumerically(">", 0))
			c.Metadata["team"] = "a"
			c.Duplicates = time.Minute
		})
		bucket := look(ctx, store, "ws-1")
		Expect(bucket.Differs(w)).To(BeEmpty())
		Expect(bucket.Locked()).To(BeEmpty())
	})
})
