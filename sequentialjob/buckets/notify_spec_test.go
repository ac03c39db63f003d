package buckets_test

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

// told is what a store tells.
type told struct {
	buckets chan string
	gaps    chan struct{}
}

// notify subscribes to what a store tells, until ctx ends.
func notify(ctx context.Context, store *buckets.Store) told {
	t := told{buckets: make(chan string, 100), gaps: make(chan struct{}, 100)}
	Expect(store.Notify(ctx, func(bucket string) { t.buckets <- bucket }, func() { t.gaps <- struct{}{} })).To(Succeed())
	return t
}

var _ = Describe("Notify", func() {
	It("tells of each bucket that is created, updated or deleted, and of nothing else", func(ctx context.Context) {
		server := natsserver.Start()
		others := othersOf(server)
		told := notify(ctx, storeOf(server))

		_, err := others.CreateStream(ctx, jetstream.StreamConfig{Name: "no-bucket", Subjects: []string{"orders"}, MaxBytes: 1 << 10})
		Expect(err).NotTo(HaveOccurred())
		_, err = others.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "foreign", MaxBytes: 1 << 10})
		Expect(err).NotTo(HaveOccurred())
		Eventually(told.buckets).Should(Receive(Equal("foreign")))
		change(ctx, others, "foreign", func(c *jetstream.StreamConfig) { c.Description = "changed" })
		Eventually(told.buckets).Should(Receive(Equal("foreign")))
		stream, err := others.Stream(ctx, "OBJ_foreign")
		Expect(err).NotTo(HaveOccurred())
		Expect(stream.Purge(ctx)).To(Succeed())
		Expect(others.DeleteObjectStore(ctx, "foreign")).To(Succeed())
		Eventually(told.buckets).Should(Receive(Equal("foreign")))

		create(ctx, storeOf(server), wanted("ws-1"))
		Eventually(told.buckets).Should(Receive(Equal("ws-1")))
		Expect(told.buckets).NotTo(Receive())
		Expect(told.gaps).NotTo(Receive())
	})

	It("tells of a gap after an outage, and goes on", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		told := notify(ctx, store)
		create(ctx, store, wanted("ws-1"))
		Eventually(told.buckets).Should(Receive(Equal("ws-1")))

		for range 2 {
			server.Kill()
			server.Start()
			Eventually(told.gaps).Should(Receive())
			change(ctx, othersOf(server), "ws-1", func(c *jetstream.StreamConfig) { c.Description += "changed" })
			Eventually(told.buckets).Should(Receive(Equal("ws-1")))
		}
	})

	It("tells of a gap when a store that could not be reached can be", func(ctx context.Context) {
		server := natsserver.New()
		store := storeOf(server)
		told := notify(ctx, store)
		server.Start()
		Eventually(told.gaps).Should(Receive())
		create(ctx, store, wanted("ws-1"))
		Eventually(told.buckets).Should(Receive(Equal("ws-1")))
	})

	It("tells of a gap when it was told more than it could take", func(ctx context.Context) {
		server := natsserver.Start(`max_payload: 8MB`)
		publisher, _ := server.Client()
		store := storeOf(server)
		blocked, gaps := make(chan struct{}), make(chan struct{}, 100)
		Expect(store.Notify(ctx, func(string) { <-blocked }, func() { gaps <- struct{}{} })).To(Succeed())

		const limit = 64 << 20 // of what waits for a subscriber, in bytes
		advisory := make([]byte, 8<<20)
		for range limit/len(advisory) + 2 {
			Expect(publisher.Publish("$JS.EVENT.ADVISORY.STREAM.UPDATED.OBJ_ws-1", advisory)).To(Succeed())
			Expect(publisher.Flush()).To(Succeed())
			Expect(store.List(ctx)).To(BeEmpty(), "its response comes after the advisory, on the same connection")
		}
		Expect(gaps).NotTo(Receive())
		close(blocked)
		Eventually(gaps).Should(Receive())
	})

	It("ends with its context", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		others, _ := server.Client()
		ctx, cancel := context.WithCancel(ctx)
		notify(ctx, store)
		cancel()
		Eventually(func() error {
			_, err := others.Request("$JS.EVENT.ADVISORY.STREAM.CREATED.OBJ_ws-1", nil, time.Second)
			return err
		}).Should(MatchError(nats.ErrNoResponders), "somebody is subscribed")
		Expect(store.List(context.Background())).To(BeEmpty())
	})

	It("says that its user may not receive notifications, and does not blame that for anything else", func(ctx context.Context) {
		server := natsserver.Start(`authorization { users: [{ user: a, password: secret, permissions: { publish: ">", subscribe: "_INBOX.>" } }] }`)
		store := connect(buckets.Options{URL: "nats://a:secret@" + server.Address(), Timeout: patience})
		for range 2 {
			Expect(store.Notify(ctx, func(string) {}, func() {})).To(beUnavailable(`Permissions Violation for Subscription to "$JS.EVENT.ADVISORY.STREAM.*.*"`))
		}
		Expect(store.List(ctx)).To(BeEmpty())

		hasty := connect(buckets.Options{URL: "nats://a:secret@" + server.Address(), Timeout: impatience})
		Expect(hasty.Notify(ctx, func(string) {}, func() {})).NotTo(Succeed())
		server.Pause()
		Expect(listing(ctx, hasty)()).To(beUnavailable("has not responded in time"))
	})

	It("fails if the store does not confirm the subscription", func(ctx context.Context) {
		server := natsserver.Start()
		store := connect(buckets.Options{URL: server.URL(), Timeout: impatience})
		server.Pause()
		Expect(store.Notify(ctx, func(string) {}, func() {})).To(beUnavailable("has not responded in time"))
	})
})
