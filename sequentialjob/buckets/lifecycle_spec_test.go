package buckets_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

var _ = Describe("A bucket", func() {
	It("is created, looked up, listed, updated and deleted", func(ctx context.Context) {
		store := storeOf(natsserver.Start())
		Expect(store.Look(ctx, "ws-1")).To(BeNil())
		Expect(store.List(ctx)).To(BeEmpty())

		w := wanted("ws-1")
		created := create(ctx, store, w)
		Expect(created.Name).To(Equal("ws-1"))
		Expect(created.Owner).To(Equal(w.Owner))
		Expect(created.Retain).To(BeFalse())
		Expect(created.Capacity).To(BeEquivalentTo(1 << 20))
		Expect(created.Bytes).To(BeZero())
		Expect(created.Emptied).To(BeFalse())
		Expect(created.Created.Location()).To(Equal(time.UTC))
		Expect(created.Created.Truncate(time.Microsecond)).To(Equal(created.Created))
		Expect(created.Differs(w)).To(BeEmpty())
		Expect(created.Locked()).To(BeEmpty())
		Expect(look(ctx, store, "ws-1")).To(Equal(created))
		create(ctx, store, wanted("ws-2"))
		Expect(names(store.List(ctx))).To(Equal([]string{"ws-1", "ws-2"}))

		w.Capacity, w.Retain, w.Owner.Cluster = 2<<20, true, "cluster-2"
		Expect(created.Differs(w)).To(Equal([]string{"max_bytes", "metadata"}))
		updated, err := store.Update(ctx, w)
		Expect(err).NotTo(HaveOccurred())
		Expect(updated.Created).To(Equal(created.Created))
		Expect(updated.Capacity).To(BeEquivalentTo(2 << 20))
		Expect(updated.Retain).To(BeTrue())
		Expect(updated.Owner).To(Equal(w.Owner))
		Expect(look(ctx, store, "ws-1").Differs(w)).To(BeEmpty())

		Expect(store.Delete(ctx, "ws-1")).To(Succeed())
		Expect(store.Look(ctx, "ws-1")).To(BeNil())
		Expect(store.Delete(ctx, "ws-1")).To(Succeed())
		_, err = store.Update(ctx, w)
		Expect(err).To(MatchError(buckets.ErrGone))
		Expect(names(store.List(ctx))).To(Equal([]string{"ws-2"}))
	})

	It("costs one request for each question and each act", func(ctx context.Context) {
		server := natsserver.Start()
		observer, _ := server.Client()
		requests, err := observer.SubscribeSync("$JS.API.>")
		Expect(err).NotTo(HaveOccurred())
		Expect(observer.Flush()).To(Succeed())
		store := storeOf(server)

		create(ctx, store, wanted("ws-1"))
		look(ctx, store, "ws-1")
		_, err = store.Update(ctx, wanted("ws-1"))
		Expect(err).NotTo(HaveOccurred())
		Expect(store.List(ctx)).To(HaveLen(1))
		Expect(store.Delete(ctx, "ws-1")).To(Succeed())

		var subjects []string
		for range 5 {
			request, err := requests.NextMsgWithContext(ctx)
			Expect(err).NotTo(HaveOccurred())
			subjects = append(subjects, request.Subject)
		}
		Expect(subjects).To(Equal([]string{
			"$JS.API.STREAM.CREATE.OBJ_ws-1", "$JS.API.STREAM.INFO.OBJ_ws-1", "$JS.API.STREAM.UPDATE.OBJ_ws-1",
			"$JS.API.STREAM.LIST", "$JS.API.STREAM.DELETE.OBJ_ws-1",
		}))
	})

	It("is as nats.go creates it", func(ctx context.Context) {
		server := natsserver.Start()
		w := wanted("ws-1")
		create(ctx, storeOf(server), w)
		others := othersOf(server)
		ours, err := others.Stream(ctx, "OBJ_ws-1")
		Expect(err).NotTo(HaveOccurred())

		config := ours.CachedInfo().Config
		_, err = others.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: "ws-2", MaxBytes: w.Capacity, Description: config.Description, Metadata: config.Metadata,
		})
		Expect(err).NotTo(HaveOccurred())
		theirs, err := others.Stream(ctx, "OBJ_ws-2")
		Expect(err).NotTo(HaveOccurred())
		Expect(cmp.Diff(theirs.CachedInfo().Config, config, cmpopts.IgnoreFields(jetstream.StreamConfig{}, "Name", "Subjects"))).To(BeEmpty())
		Expect(config.Storage).To(Equal(jetstream.FileStorage))
		Expect(config.Subjects).To(Equal([]string{"$O.ws-1.C.>", "$O.ws-1.M.>"}))

		objects := objects(ctx, others, "ws-1")
		put(ctx, objects, "greeting", "hello")
		put(ctx, objects, "greeting", "hello again")
		Expect(objects.GetString(ctx, "greeting")).To(Equal("hello again"))
		Expect(objects.List(ctx)).To(HaveLen(1))
	})

	It("has another time of creation when it was deleted and created again", func(ctx context.Context) {
		store := storeOf(natsserver.Start())
		create(ctx, store, wanted("ws-2")) // with the last bucket, the server removes a folder that the next one needs
		first := create(ctx, store, wanted("ws-1"))
		Expect(create(ctx, store, wanted("ws-1"))).To(Equal(first), "the response to the first request could have been lost")
		Expect(store.Delete(ctx, "ws-1")).To(Succeed())
		Expect(create(ctx, store, wanted("ws-1")).Created).To(BeTemporally(">", first.Created))
	})

	It("keeps its content when its capacity becomes less than that", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		w := wanted("ws-1")
		create(ctx, store, w)
		objects := objects(ctx, othersOf(server), "ws-1")
		content := string(make([]byte, 300<<10))
		put(ctx, objects, "big", content)

		w.Capacity = 100 << 10
		updated, err := store.Update(ctx, w)
		Expect(err).NotTo(HaveOccurred())
		Expect(updated.Capacity).To(BeEquivalentTo(100 << 10))
		Expect(updated.Bytes).To(BeNumerically(">", 300<<10))
		Expect(objects.GetString(ctx, "big")).To(Equal(content))
		_, err = objects.PutString(ctx, "small", "no room")
		Expect(err).To(HaveOccurred())
	})

	It("is not emptied by clients that delete their objects", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		create(ctx, store, wanted("ws-1"))
		objects := objects(ctx, othersOf(server), "ws-1")
		for _, object := range []string{"a", "b", "c", "a", "b"} {
			put(ctx, objects, object, "content")
			Expect(look(ctx, store, "ws-1").Emptied).To(BeFalse())
			Expect(objects.Delete(ctx, object)).To(Succeed())
			Expect(look(ctx, store, "ws-1").Emptied).To(BeFalse())
		}
		_, err := objects.List(ctx)
		Expect(err).To(MatchError(jetstream.ErrNoObjectsFound))
	})

	It("is emptied by a purge, until there is content again", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		create(ctx, store, wanted("ws-1"))
		others := othersOf(server)
		objects := objects(ctx, others, "ws-1")
		put(ctx, objects, "greeting", "hello")
		stream, err := others.Stream(ctx, "OBJ_ws-1")
		Expect(err).NotTo(HaveOccurred())
		Expect(stream.Purge(ctx)).To(Succeed())
		Expect(look(ctx, store, "ws-1").Emptied).To(BeTrue())
		put(ctx, objects, "greeting", "hello again")
		Expect(look(ctx, store, "ws-1").Emptied).To(BeFalse())
	})

	It("is anchored: no client lists that, and a first put that fails does not empty it", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		Expect(create(ctx, store, wanted("ws-1")).Blank).To(BeTrue())
		for range 2 {
			Expect(store.Anchor(ctx, "ws-1")).To(Succeed())
		}
		Expect(look(ctx, store, "ws-1").Blank).To(BeFalse())
		others := othersOf(server)
		objects := objects(ctx, others, "ws-1")
		_, err := objects.List(ctx)
		Expect(err).To(MatchError(jetstream.ErrNoObjectsFound))
		broken := io.MultiReader(strings.NewReader(strings.Repeat("x", 300<<10)), iotest.ErrReader(errors.New("broken")))
		_, err = objects.Put(ctx, jetstream.ObjectMeta{Name: "big"}, broken)
		Expect(err).To(MatchError("broken"))
		Expect(look(ctx, store, "ws-1").Emptied).To(BeFalse())

		stream, err := others.Stream(ctx, "OBJ_ws-1")
		Expect(err).NotTo(HaveOccurred())
		Expect(stream.Purge(ctx)).To(Succeed())
		Expect(look(ctx, store, "ws-1").Emptied).To(BeTrue())
	})

	It("says that it has no room for the anchor", func(ctx context.Context) {
		store := storeOf(natsserver.Start())
		tiny := wanted("ws-1")
		tiny.Capacity = 1
		create(ctx, store, tiny)
		Expect(store.Anchor(ctx, "ws-1")).To(beRefused(10077))
	})

	It("is emptied by its age", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		create(ctx, store, wanted("ws-1"))
		others := othersOf(server)
		put(ctx, objects(ctx, others, "ws-1"), "greeting", "hello")
		change(ctx, others, "ws-1", func(c *jetstream.StreamConfig) { c.MaxAge, c.Duplicates = time.Second, time.Second })
		Eventually(func() bool { return look(ctx, store, "ws-1").Emptied }).Should(BeTrue())
	})

	It("is listed whatever somebody has made of its subjects", func(ctx context.Context) {
		server := natsserver.Start()
		store := storeOf(server)
		create(ctx, store, wanted("ws-1"))
		change(ctx, othersOf(server), "ws-1", func(c *jetstream.StreamConfig) { c.Subjects = []string{"elsewhere"} })
		Expect(names(store.List(ctx))).To(Equal([]string{"ws-1"}))
	})

	It("is in the list of all buckets, which spans several pages and includes those of other owners", func(ctx context.Context) {
		server := natsserver.Start()
		others := othersOf(server)
		const all = 300 // a page has 256
		for i := range all {
			_, err := others.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "foreign-" + time.Duration(i).String(), MaxBytes: 1 << 10})
			Expect(err).NotTo(HaveOccurred())
		}
		_, err := others.CreateStream(ctx, jetstream.StreamConfig{Name: "no-bucket", Subjects: []string{"orders"}, MaxBytes: 1 << 10})
		Expect(err).NotTo(HaveOccurred())

		list, err := storeOf(server).List(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(list).To(HaveLen(all))
		Expect(list).To(HaveEach(HaveField("Owner", buckets.Owner{})))
	})
})

func names(list []buckets.Bucket, err error) []string {
	Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, bucket := range list {
		all = append(all, bucket.Name)
	}
	return all
}

// change changes the configuration of a bucket's stream, as somebody with access to the store can.
func change(ctx context.Context, others jetstream.JetStream, bucket string, edit func(*jetstream.StreamConfig)) {
	stream, err := others.Stream(ctx, "OBJ_"+bucket)
	Expect(err).NotTo(HaveOccurred())
	config := stream.CachedInfo().Config
	edit(&config)
	_, err = others.UpdateStream(ctx, config)
	Expect(err).NotTo(HaveOccurred())
}
