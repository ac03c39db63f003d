package buckets_test

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/identities"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

var _ = Describe("A store that refuses", func() {
	// The server reserves a bucket's capacity when it is created, so a store can be full without any content.
	It("says that it has no room", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		big := wanted("big")
		big.Capacity = natsserver.Storage
		create(ctx, store, big)

		_, err := store.Create(ctx, wanted("ws-1"))
		Expect(err).To(beRefused(10047))
		Expect(err).To(MatchError("creating bucket ws-1: the object store refuses that: insufficient storage resources available (10047)"))
		Expect(store.Look(ctx, "ws-1")).To(BeNil())

		_, err = store.Create(ctx, big)
		Expect(err).To(beRefused(10047), "it looks for room before it looks for the name")
		Expect(look(ctx, store, "big").Differs(big)).To(BeEmpty())
		big.Capacity++
		_, err = store.Update(ctx, big)
		Expect(err).To(beRefused(10047))
		Expect(look(ctx, store, "big").Capacity).To(BeEquivalentTo(natsserver.Storage))
	})

	It("says that its account has too many buckets", func(ctx context.Context) {
		server := natsserver.Start(`accounts { A { jetstream: { max_streams: 1 }, users: [{ user: a, password: secret }] } }`)
		store := connect(buckets.Options{URL: "nats://a:secret@" + server.Address(), Timeout: patience})
		create(ctx, store, wanted("ws-1"))
		_, err := store.Create(ctx, wanted("ws-2"))
		Expect(err).To(beRefused(10027))
	})

	It("keeps to the limits of the account that is made for buckets", func(ctx context.Context) {
		owner := newOwner()
		server := owner.startServer(identities.Limits{Storage: natsserver.Storage / 2, Buckets: 2})
		store := connect(buckets.Options{URL: server.URL(), Credentials: owner.credentials(), Timeout: patience})
		big := wanted("big")
		big.Capacity = natsserver.Storage/2 + 1
		_, err := store.Create(ctx, big)
		Expect(err).To(beRefused(10047), "more than the account may store, and less than the server does")
		create(ctx, store, wanted("ws-1"))
		create(ctx, store, wanted("ws-2"))
		_, err = store.Create(ctx, wanted("ws-3"))
		Expect(err).To(beRefused(10027))
	})

	It("says that its account has no JetStream", func(ctx context.Context) {
		server := natsserver.Start(`accounts { A { users: [{ user: a, password: secret }] }, B { jetstream: enabled } }`)
		store := connect(buckets.Options{URL: "nats://a:secret@" + server.Address(), Timeout: patience})
		_, err := store.Create(ctx, wanted("ws-1"))
		Expect(err).To(beRefused(10039))
		_, err = store.Look(ctx, "ws-1")
		Expect(err).To(beRefused(10039))
		_, err = store.List(ctx)
		Expect(err).To(beRefused(10039))
		Expect(store.Delete(ctx, "ws-1")).To(beRefused(10039))
	})

	DescribeTable("does not take over a bucket that has the name",
		func(ctx context.Context, edit func(*buckets.Wanted)) {
			store := storeOf(natsserver.Start())
			w := wanted("ws-1")
			before := create(ctx, store, w)
			edit(&w)
			_, err := store.Create(ctx, w)
			Expect(err).To(MatchError(buckets.ErrExists))
			Expect(look(ctx, store, "ws-1")).To(Equal(before))
		},
		Entry("with another owner", func(w *buckets.Wanted) { w.Owner.UID = "another" }),
		Entry("with another capacity", func(w *buckets.Wanted) { w.Capacity++ }),
		Entry("that must stay", func(w *buckets.Wanted) { w.Retain = true }),
	)

	It("does not take over a bucket of somebody else", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		_, err := othersOf(server).CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "ws-1", MaxBytes: 1 << 20})
		Expect(err).NotTo(HaveOccurred())
		_, err = store.Create(ctx, wanted("ws-1"))
		Expect(err).To(MatchError(buckets.ErrExists))
		Expect(look(ctx, store, "ws-1").Owner).To(BeZero())
	})

	It("names the stream's subjects if another stream has them", func(ctx context.Context) {
		server := natsserver.Start()
		_, err := othersOf(server).CreateStream(ctx, jetstream.StreamConfig{Name: "all", Subjects: []string{"$O.>"}, MaxBytes: 1 << 10})
		Expect(err).NotTo(HaveOccurred())
		_, err = storeOf(server).Create(ctx, wanted("ws-1"))
		Expect(err).To(beRefused(10065))
	})

	DescribeTable("differs from one that is not available by the code of its error",
		func(ctx context.Context, code int, want OmegaMatcher) {
			server := natsserver.NewWith() // without JetStream, so that another client can respond
			server.Start()
			others, _ := server.Client()
			_, err := others.Subscribe("$JS.API.STREAM.INFO.OBJ_ws-1", func(m *nats.Msg) {
				_ = m.Respond(fmt.Appendf(nil, `{"error":{"code":503,"err_code":%d,"description":"made up"}}`, code)) // without it, Look would fail
			})
			Expect(err).NotTo(HaveOccurred())
			Expect(others.Flush()).To(Succeed())
			_, err = storeOf(server).Look(ctx, "ws-1")
			Expect(err).To(want)
		},
		Entry("incomplete results", 10004, beUnavailable("made up")),
		Entry("no leader", 10008, beUnavailable("made up")),
		Entry("not the leader", 10009, beUnavailable("made up")),
		Entry("creating failed", 10049, beUnavailable("made up")),
		Entry("deleting failed", 10050, beUnavailable("made up")),
		Entry("something failed", 10051, beUnavailable("made up")),
		Entry("updating failed", 10069, beUnavailable("made up")),
		Entry("stream offline", 10118, beUnavailable("made up")),
		Entry("stream offline, with the reason", 10194, beUnavailable("made up")),
		Entry("JetStream not enabled", 10076, beUnavailable("made up")),
		Entry("JetStream not enabled for the account", 10039, beRefused(10039)),
		Entry("insufficient resources", 10023, beRefused(10023)),
		Entry("an error that we don't know", 19999, beRefused(19999)),
	)
})
