package buckets_test

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

var _ = Describe("A program with the credentials of one bucket", func() {
	var (
		server  *natsserver.Server
		admin   jetstream.JetStream
		program jetstream.JetStream // has the credentials of ws-1
		refused chan error          // what the server has refused to it
	)

	BeforeEach(func(ctx context.Context) {
		owner := newOwner()
		server = owner.startServer(unlimited)
		path := owner.credentials()
		store := connect(buckets.Options{URL: server.URL(), Credentials: path, Timeout: patience})
		ours := wanted("ws-1")
		ours.Capacity = natsserver.Storage / 2
		create(ctx, store, ours)
		create(ctx, store, wanted("ws-2"))
		_, admin = server.Client(nats.UserCredentials(path))
		put(ctx, objects(ctx, admin, "ws-1"), "own", "of its own")
		put(ctx, objects(ctx, admin, "ws-2"), "secret", "of another")

		creds, err := owner.issuer().Issue("ws-1")
		Expect(err).NotTo(HaveOccurred())
		refused = make(chan error, 100)
		_, program = server.Client(nats.UserCredentialBytes(creds), nats.CustomInboxPrefix(buckets.InboxPrefix("ws-1")),
			nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
	})

	It("puts, overwrites, gets, lists and deletes objects", func(ctx context.Context) {
		bucket := objects(ctx, program, "ws-1")
		content := string(make([]byte, natsserver.Storage/8)) // many chunks, so that the server waits for the client in between
		put(ctx, bucket, "big", "small")
		put(ctx, bucket, "big", content)
		put(ctx, bucket, "other", "hello")
		Expect(bucket.GetString(ctx, "big")).To(Equal(content))
		Expect(bucket.List(ctx)).To(HaveLen(3))
		Expect(bucket.Delete(ctx, "big")).To(Succeed())
		_, err := bucket.GetString(ctx, "big")
		Expect(err).To(MatchError(jetstream.ErrObjectNotFound))
		watcher, err := bucket.Watch(ctx, jetstream.UpdatesOnly())
		Expect(err).NotTo(HaveOccurred())
		put(ctx, bucket, "watched", "hello")
		Eventually(watcher.Updates()).Should(Receive(HaveField("Name", "watched")))
		Expect(watcher.Stop()).To(Succeed())
		status, err := bucket.Status(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(status.Size()).To(BeNumerically("<", len(content)), "the chunks of what was overwritten and deleted are gone")
		Expect(refused).NotTo(Receive())
	})

	// The server checks no permission for the subject to which a consumer delivers.
	It("has no consumer deliver into another bucket", func(ctx context.Context) {
		deliver := func(consumer, subject string) {
			config := fmt.Sprintf(`{"stream_name": "OBJ_ws-1", "config": {"name": %q, "deliver_subject": %q, "ack_policy": "none"}}`, consumer, subject)
			response, err := program.Conn().RequestWithContext(ctx, "$JS.API.CONSUMER.CREATE.OBJ_ws-1."+consumer, []byte(config))
			Expect(err).NotTo(HaveOccurred())
			Expect(string(response.Data)).To(ContainSubstring("consumer_create_response"))
		}
		inbox := buckets.InboxPrefix("ws-1") + ".own"
		own, err := program.Conn().SubscribeSync(inbox)
		Expect(err).NotTo(HaveOccurred())

		deliver("into-another", "$O.ws-2.M.c2VjcmV0")
		deliver("own", inbox)
		for range 2 { // a chunk of the object, and what describes it
			_, err := own.NextMsgWithContext(ctx)
			Expect(err).NotTo(HaveOccurred())
		}
		other, err := admin.Stream(ctx, "OBJ_ws-2")
		Expect(err).NotTo(HaveOccurred())
		Expect(other.CachedInfo().State.LastSeq).To(BeEquivalentTo(2))
		Expect(objects(ctx, admin, "ws-2").GetString(ctx, "secret")).To(Equal("of another"))
	})

	DescribeTable("is refused",
		func(ctx context.Context, attempt func(nc *nats.Conn, subject string) error, subject string) {
			Expect(attempt(program.Conn(), subject)).To(Succeed(), "the server does not respond to what it refuses")
			var err error
			Eventually(refused).Should(Receive(&err))
			Expect(err).To(SatisfyAll(MatchError(nats.ErrPermissionViolation), MatchError(ContainSubstring(`"`+subject+`"`))))

			Expect(objects(ctx, admin, "ws-2").GetString(ctx, "secret")).To(Equal("of another"))
			Expect(objects(ctx, admin, "ws-1").GetString(ctx, "own")).To(Equal("of its own"))
		},
		Entry("putting into another bucket", publish, "$O.ws-2.C.x"),
		Entry("overwriting an object of another bucket", publish, "$O.ws-2.M.c2VjcmV0"),
		Entry("looking up another bucket", publish, "$JS.API.STREAM.INFO.OBJ_ws-2"),
		Entry("getting from another bucket", publish, "$JS.API.DIRECT.GET.OBJ_ws-2.$O.ws-2.M.c2VjcmV0"),
		Entry("consuming another bucket", publish, "$JS.API.CONSUMER.CREATE.OBJ_ws-2.x"),
		Entry("purging another bucket", publish, "$JS.API.STREAM.PURGE.OBJ_ws-2"),
		Entry("deleting another bucket", publish, "$JS.API.STREAM.DELETE.OBJ_ws-2"),
		Entry("deleting its own bucket", publish, "$JS.API.STREAM.DELETE.OBJ_ws-1"),
		Entry("changing its own bucket", publish, "$JS.API.STREAM.UPDATE.OBJ_ws-1"),
		Entry("creating a bucket", publish, "$JS.API.STREAM.CREATE.OBJ_ws-3"),
		Entry("listing all buckets", publish, "$JS.API.STREAM.LIST"),
		Entry("listing the names of all buckets", publish, "$JS.API.STREAM.NAMES"),
		Entry("receiving responses to others", subscribe, "_INBOX.>"),
		Entry("receiving responses to programs with another bucket", subscribe, "_INBOX_ws-2.>"),
		Entry("receiving what is put into a bucket", subscribe, "$O.>"),
		Entry("receiving what the store tells", subscribe, "$JS.EVENT.ADVISORY.>"),
	)
})

func publish(nc *nats.Conn, subject string) error { return nc.Publish(subject, nil) }

func subscribe(nc *nats.Conn, subject string) error {
	_, err := nc.SubscribeSync(subject)
	return err
}
