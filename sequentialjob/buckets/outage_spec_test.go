package buckets_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
)

// requests are all requests of a store, by what they do.
func requests(store *buckets.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"looking up bucket ws-1": func(ctx context.Context) error { _, err := store.Look(ctx, "ws-1"); return err },
		"creating bucket ws-1":   func(ctx context.Context) error { _, err := store.Create(ctx, wanted("ws-1")); return err },
		"updating bucket ws-1":   func(ctx context.Context) error { _, err := store.Update(ctx, wanted("ws-1")); return err },
		"deleting bucket ws-1":   func(ctx context.Context) error { return store.Delete(ctx, "ws-1") },
		"listing buckets":        func(ctx context.Context) error { _, err := store.List(ctx); return err },
	}
}

// listing returns a request, for Eventually.
func listing(ctx context.Context, store *buckets.Store) func() error {
	return func() error { return requests(store)["listing buckets"](ctx) }
}

// expectUnavailable sends each request, which must fail for a reason with this text.
func expectUnavailable(ctx context.Context, store *buckets.Store, text string) {
	GinkgoHelper()
	for doing, request := range requests(store) {
		err := request(ctx)
		Expect(err).To(beUnavailable(text), doing)
		Expect(err.Error()).To(HavePrefix(doing + ": "))
	}
}

// refuser is a server that closes each connection: with the reason, or before its client could read it.
type refuser struct {
	net.Listener
	refuses atomic.Bool
	cutOff  atomic.Int64 // connections closed without the reason
}

func startRefuser() *refuser {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	r := &refuser{Listener: listener}
	go func() {
		for {
			connection, err := r.Accept()
			if err != nil {
				return // the spec has ended
			}
			r.serve(connection)
		}
	}()
	DeferCleanup(listener.Close)
	return r
}

func (r *refuser) serve(connection net.Conn) {
	defer connection.Close()
	_, _ = fmt.Fprint(connection, `INFO {"version": "2.12.0", "max_payload": 1048576, "headers": true, "auth_required": true}`+"\r\n")
	received := bufio.NewReader(connection)
	for _, line := range []string{"CONNECT", "PING"} {
		if got, err := received.ReadString('\n'); err != nil || !strings.HasPrefix(got, line) {
			return
		}
	}
	if r.refuses.Load() {
		_, _ = fmt.Fprint(connection, "-ERR 'Authorization Violation'\r\n")
		return
	}
	r.cutOff.Add(1)
}

// expectCutOff returns after two more connections were cut off: after the second, the client knows of the first.
func (r *refuser) expectCutOff() {
	GinkgoHelper()
	before := r.cutOff.Load()
	Eventually(r.cutOff.Load).Should(BeNumerically(">=", before+2))
}

var _ = Describe("A store that is not available", func() {
	It("is used as soon as its server starts, and nothing that failed until then happens", func(ctx context.Context) {
		server := natsserver.New()
		store := connect(buckets.Options{URL: server.URL(), Timeout: impatience})
		expectUnavailable(ctx, store, "the NATS server at "+server.URL()+" can't be reached")
		server.Start()
		Eventually(listing(ctx, store)).Should(Succeed())
		Expect(storeOf(server).List(ctx)).To(BeEmpty())
	})

	It("is used again when its server is back, and no deletion that failed until then happens", func(ctx context.Context) {
		server := natsserver.Start()
		store := connect(buckets.Options{URL: server.URL(), Timeout: impatience})
		created := create(ctx, storeOf(server), wanted("ws-1"))
		put(ctx, objects(ctx, othersOf(server), "ws-1"), "greeting", "hello")

		server.Kill()
		Eventually(listing(ctx, store)).Should(beUnavailable("connection refused"))
		expectUnavailable(ctx, store, "the NATS server at "+server.URL()+" can't be reached: ")

		server.Start()
		Eventually(listing(ctx, store)).Should(Succeed())
		Expect(look(ctx, storeOf(server), "ws-1").Created).To(Equal(created.Created))
		Expect(objects(ctx, othersOf(server), "ws-1").GetString(ctx, "greeting")).To(Equal("hello"))
	})

	It("is used again after many outages", func(ctx context.Context) {
		server := natsserver.Start()
		store := connect(buckets.Options{URL: server.URL(), Timeout: impatience})
		for range 3 {
			server.Kill()
			server.Start()
			Eventually(listing(ctx, store)).Should(Succeed())
		}
	})

	It("does not keep a request waiting that it does not respond to", func(ctx context.Context) {
		server := natsserver.Start()
		store := connect(buckets.Options{URL: server.URL(), Timeout: impatience})
		server.Pause()
		expectUnavailable(ctx, store, "has not responded in time: context deadline exceeded")
	})

	It("has its time for each page of a list", func(ctx context.Context) {
		const timeout, pages = 2 * time.Second, 3
		server := natsserver.NewWith() // without JetStream, which the spec plays: pages that take longer than the timeout all together
		server.Start()
		nc, _ := server.Client()
		_, err := nc.Subscribe("$JS.API.STREAM.LIST", func(request *nats.Msg) {
			time.Sleep(timeout * 2 / 5)
			var asked struct{ Offset int }
			_ = json.Unmarshal(request.Data, &asked)
			_ = request.Respond(fmt.Appendf(nil, `{"total": %d, "streams": [{"config": {"name": "OBJ_ws-%d"}}]}`, pages, asked.Offset))
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(nc.Flush()).To(Succeed())
		Expect(connect(buckets.Options{URL: server.URL(), Timeout: timeout}).List(ctx)).To(HaveLen(pages))
	})

	It("lets the caller give up", func(ctx context.Context) {
		store := storeOf(natsserver.Start())
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		for doing, request := range requests(store) {
			Expect(request(ctx)).To(SatisfyAll(beUnavailable("the NATS server at"), MatchError(context.Canceled)), doing)
		}
	})

	It("says that its server has no JetStream", func(ctx context.Context) {
		server := natsserver.NewWith()
		server.Start()
		expectUnavailable(ctx, storeOf(server), "JetStream is not enabled on the NATS server at "+server.URL())
	})

	It("says that it was closed", func(ctx context.Context) {
		store := storeOf(natsserver.Start())
		store.Close()
		expectUnavailable(ctx, store, "connection closed")
		Expect(store.Notify(ctx, func(string) {}, func() {})).To(beUnavailable("connection closed"))
	})

	It("says that authorization was refused, never gives up, and keeps the password to itself", func(ctx context.Context) {
		server := natsserver.Start(`authorization { user: a, password: secret }`)
		store := connect(buckets.Options{URL: "nats://a:mistaken@" + server.Address(), Timeout: patience})
		Eventually(listing(ctx, store)).Should(beUnavailable("authorization was refused"))
		expectUnavailable(ctx, store, "authorization was refused by the NATS server at "+server.URL()+": nats: ")
		for doing, request := range requests(store) {
			Expect(request(ctx)).NotTo(MatchError(ContainSubstring("mistaken")), doing)
		}

		server.Stop()
		Eventually(listing(ctx, store)).Should(beUnavailable("can't be reached"))
		server.Start()
		Eventually(listing(ctx, store)).Should(beUnavailable("authorization was refused"))
		server.Stop()
		server.Reconfigure("secret", "mistaken")
		server.Start()
		Eventually(listing(ctx, store)).Should(Succeed())
	})

	It("still says that authorization was refused when later attempts are cut off before the server has said it again", func(ctx context.Context) {
		server := startRefuser()
		store := connect(buckets.Options{URL: "nats://" + server.Addr().String(), Timeout: patience})
		server.expectCutOff()
		server.refuses.Store(true)
		Eventually(listing(ctx, store)).Should(beUnavailable("authorization was refused"))
		server.refuses.Store(false)
		server.expectCutOff()
		expectUnavailable(ctx, store, "authorization was refused by the NATS server at "+store.URL()+": nats: ")
	})

	It("says which request its user is not permitted", func(ctx context.Context) {
		server := natsserver.Start(`authorization { users: [{ user: a, password: secret, permissions: { publish: "$JS.API.STREAM.INFO.*" } }] }`)
		url := "nats://a:secret@" + server.Address()
		Expect(connect(buckets.Options{URL: url, Timeout: patience}).Look(ctx, "ws-1")).To(BeNil())
		store := connect(buckets.Options{URL: url, Timeout: impatience}) // the server refuses a request, and does not respond to it
		Eventually(func() error { return store.Delete(ctx, "ws-1") }).Should(beUnavailable(`permissions violation: Permissions Violation for Publish to "$JS.API.STREAM.DELETE.OBJ_ws-1"`))
	})
})

var _ = Describe("Connect", func() {
	It("accepts several URLs, and none of them need be right now", func(ctx context.Context) {
		server := natsserver.Start()
		down := natsserver.FreeAddress()
		store := connect(buckets.Options{URL: "nats://user:secret@" + down + ", " + server.URL(), Timeout: patience})
		Expect(store.URL()).To(Equal("nats://" + down + "," + server.URL()))
		Expect(store.List(ctx)).To(BeEmpty())
	})

	It("reads the credentials again with each connection", func(ctx context.Context) {
		owner := newOwner()
		server := owner.startServer(unlimited)
		path := newOwner().credentials()
		store := connect(buckets.Options{URL: server.URL(), Credentials: path, Timeout: impatience})
		Eventually(listing(ctx, store)).Should(beUnavailable("authorization was refused"))

		owner.writeCredentials(path)
		Eventually(listing(ctx, store)).Should(Succeed())

		server.Kill()
		Eventually(func() string {
			err := listing(ctx, store)()
			Expect(err).NotTo(MatchError(ContainSubstring("authorization")), "that was before")
			return err.Error()
		}).Should(ContainSubstring("connection refused"))

		Expect(os.Remove(path)).To(Succeed())
		server.Start()
		Eventually(listing(ctx, store)).Should(beUnavailable(path))
	})
})
