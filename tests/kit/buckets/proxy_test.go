package buckets_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

func TestRequestsAreRecorded(t *testing.T) {
	b := newBench(t)
	_, js := b.client(1)
	must.Succeed(t, create(t.Context(), js, "ws-1"))
	store, err := js.ObjectStore(t.Context(), "ws-1")
	must.Succeed(t, err)
	if _, err := store.PutString(t.Context(), "greeting", "hello"); err != nil {
		t.Fatalf("what is in a bucket passes: %v", err)
	}
	if err := js.DeleteObjectStore(t.Context(), "another"); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Fatal(err)
	}
	for range js.ObjectStoreNames(t.Context()).Name() {
	}
	for range js.ObjectStores(t.Context()).Status() {
	}
	must.Succeed(t, js.DeleteObjectStore(t.Context(), "ws-1"))

	var got []string
	for _, r := range b.log.Run().Requests {
		got = append(got, r.Call.String())
	}
	want := []string{"create buckets web #1", "get buckets web #1", "delete buckets another #1", "list buckets - #1", "list buckets - #2", "delete buckets web #1"}
	if len(got) != len(want) {
		t.Fatalf("recorded %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("recorded %q, want %q", got[i], want[i])
		}
	}
	if r := b.request("create buckets web #1"); r.Code != 200 || r.Returned != 200 || r.UID == "" || r.Object.Name != "ws-1" || r.Committed == 0 || r.Answered < r.Committed {
		t.Errorf("recorded %+v", r)
	}
	for _, list := range []string{"list buckets - #1", "list buckets - #2"} {
		if r := b.request(list); !slices.Equal(r.Listed, []string{"ws-1"}) {
			t.Errorf("recorded %+v", r)
		}
	}
	if r := b.request("get buckets web #1"); r.Listed != nil {
		t.Errorf("recorded a list of one bucket: %+v", r)
	}
	if r := b.request("delete buckets another #1"); r.Code != 404 || r.Message != "stream not found" {
		t.Errorf("recorded %+v", r)
	}
}

func TestFaultsOfRequests(t *testing.T) {
	for action, test := range map[string]struct {
		want   func(error) bool
		exists bool // afterwards
		killed bool
		reason string
	}{
		"lose request":       {is(context.DeadlineExceeded), false, false, "the client waits in vain"},
		"lose reply":         {is(context.DeadlineExceeded), true, false, "the client waits in vain for what has been done"},
		"answer 503":         {isCode(10008), false, false, "the server did nothing"},
		"answer 500":         {isCode(10118), false, false, "the server did nothing"},
		"no responders":      {is(nats.ErrNoResponders), false, false, "the server did nothing"},
		"cut before":         {is(context.DeadlineExceeded), false, false, "the client reconnects, and its call still waits"},
		"cut after commit":   {is(context.DeadlineExceeded), true, false, "likewise"},
		"cut after reply":    {anything, true, false, "the response was delivered first"},
		"crash before":       {isAny, false, true, "the process is gone"},
		"crash after commit": {isAny, true, true, "the process is gone, and the bucket is there"},
		"crash after reply":  {anything, true, true, "the response was delivered first"},
	} {
		t.Run(action, func(t *testing.T) {
			b := newBench(t)
			_, js := b.client(1)
			b.inject(action + ": create buckets web #1")
			if err := create(t.Context(), js, "ws-1"); !test.want(err) {
				t.Errorf("the client got %v: %s", err, test.reason)
			}
			b.eventually("the fault's effect on the bucket: "+test.reason, func() bool { return b.exists("ws-1") == test.exists })
			b.eventually("the fault's effect on the process: "+test.reason, func() bool { return b.alive(1) != test.killed })
			if run := b.log.Run(); len(run.Faults) != 1 || run.Faults[0].String() != action+": create buckets web #1" || b.request("create buckets web #1").Fault != 1 {
				t.Errorf("recorded %v", run.Faults)
			}
			b.eventually("no request is under way", func() bool { busy, _ := b.proxy.Busy(); return !busy })
			if !test.killed { // it may not have noticed yet that the connection was cut
				b.eventually("the client works again", func() bool { return create(t.Context(), js, "ws-1") == nil })
			}
		})
	}
}

func is(want error) func(error) bool { return func(err error) bool { return errors.Is(err, want) } }

func isAny(err error) bool { return err != nil }

func anything(error) bool { return true }

func isCode(code jetstream.ErrorCode) func(error) bool {
	return func(err error) bool {
		refused, is := errors.AsType[*jetstream.APIError](err)
		return is && refused.ErrorCode == code
	}
}

func TestALateResponse(t *testing.T) {
	b := newBench(t)
	_, js := b.client(1)
	b.inject("answer late: create buckets web #1")
	created := make(chan error, 1)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() { created <- create(ctx, js, "ws-1") }()
	b.eventually("the bucket is there", func() bool { return b.exists("ws-1") })
	b.eventually("a request that is kept is not under way", func() bool { busy, _ := b.proxy.Busy(); return !busy })
	select {
	case err := <-created:
		t.Fatalf("the client got %v before Heal", err)
	default:
	}
	b.proxy.Heal()
	must.Succeed(t, <-created)
}

func TestARequestOfADeadProcess(t *testing.T) {
	b := newBench(t)
	_, js := b.client(1)
	b.inject("commit late: create buckets web #1")
	if err := create(t.Context(), js, "ws-1"); err == nil {
		t.Fatal("the process is gone, and its client got a response")
	}
	b.eventually("the process is gone", func() bool { return !b.alive(1) })
	if b.exists("ws-1") {
		t.Fatal("the bucket is there before Heal")
	}
	_, successor := b.client(2)
	if err := successor.DeleteObjectStore(t.Context(), "ws-1"); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Fatal(err)
	}
	b.proxy.Heal()
	b.eventually("the bucket is there after all", func() bool { return b.exists("ws-1") })
	b.eventually("no request is under way", func() bool { busy, _ := b.proxy.Busy(); return !busy })
	if r := b.request("create buckets web #1"); r.Code != 200 || r.Answered != 0 {
		t.Errorf("recorded %+v", r)
	}
}

func TestAdvisories(t *testing.T) {
	for name, test := range map[string]struct {
		fault      string
		want       []string // what the client receives
		reconnects uint64
		reason     string
	}{
		"no fault":  {"", []string{"CREATED", "DELETED", "CREATED", "DELETED"}, 0, "each is delivered once"},
		"cut":       {"cut at: DELETED buckets web #1", []string{"CREATED", "CREATED", "DELETED"}, 1, "the client reconnects, and this one is lost"},
		"lost from": {"lose from: DELETED buckets web #1", []string{"CREATED"}, 0, "and the client does not notice"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			client, _ := b.client(1)
			received := make(chan string, 10)
			_, err := client.Subscribe("$JS.EVENT.ADVISORY.STREAM.>", func(m *nats.Msg) {
				event, _, _ := cutAdvisory(m.Subject)
				received <- event
			})
			must.Succeed(t, err)
			must.Succeed(t, client.FlushTimeout(patience))
			if test.fault != "" {
				b.inject(test.fault)
			}
			js := b.direct()
			must.Succeed(t, create(t.Context(), js, "ws-1"))
			must.Succeed(t, js.DeleteObjectStore(t.Context(), "ws-1"))
			b.eventually("the first deletion was noticed", func() bool { return len(b.log.Run().Frames) == 2 })
			b.eventually("the client is connected again", func() bool { return client.Stats().Reconnects == test.reconnects && client.IsConnected() })
			must.Succeed(t, client.FlushTimeout(patience)) // its subscription is there again
			must.Succeed(t, create(t.Context(), js, "ws-1"))
			must.Succeed(t, js.DeleteObjectStore(t.Context(), "ws-1"))
			b.eventually("all were recorded", func() bool { return len(b.log.Run().Frames) == 4 })
			if first := b.log.Run().Streams[0]; first.Code != 200 || first.Resource != buckets.Resource || first.Ended > 0 != (test.reconnects > 0) {
				t.Errorf("the subscription was recorded as %+v", first)
			}
			var got []string
			for range test.want {
				select {
				case event := <-received:
					got = append(got, event)
				case <-time.After(patience):
					t.Fatalf("received %q, want %q: %s", got, test.want, test.reason)
				}
			}
			must.Succeed(t, client.FlushTimeout(patience))
			if len(received) > 0 {
				t.Errorf("received %q and %d more, want %q: %s", got, len(received), test.want, test.reason)
			}
			for i, want := range test.want {
				if got[i] != want {
					t.Errorf("received %q, want %q: %s", got, test.want, test.reason)
					break
				}
			}
			run := b.log.Run()
			if moment := run.Frames[1].Moment; moment != (history.Moment{Type: "DELETED", Resource: buckets.Resource, Object: "web", Nth: 1}) {
				t.Errorf("the deletion was recorded as %q", moment)
			}
			if (run.Frames[1].Delivered == 0) != (test.fault != "") {
				t.Errorf("recorded %+v", run.Frames[1])
			}
		})
	}
}

func TestReceives(t *testing.T) {
	const of = "$JS.EVENT.ADVISORY.STREAM."
	for pattern, want := range map[string]bool{
		of + ">": true, of + "*.OBJ_ws-1": false, of + "*.*": true, of + "UPDATED.>": true, of + "UPDATED.OBJ_ws-1": true,
		of + "DELETED.>": false, of + "DELETED.OBJ_ws-1": false, ">": true, "_INBOX.>": false,
	} {
		if got := buckets.Receives(pattern, "UPDATED"); got != want {
			t.Errorf("%s receives updates: %t, want %t", pattern, got, want)
		}
	}
}

func TestAdvisoriesAreDeliveredAgainAfterHeal(t *testing.T) {
	b := newBench(t)
	client, _ := b.client(1)
	received := make(chan *nats.Msg, 10)
	_, err := client.ChanSubscribe("$JS.EVENT.ADVISORY.STREAM.DELETED.>", received)
	must.Succeed(t, err)
	must.Succeed(t, client.FlushTimeout(patience))
	b.inject("lose from: DELETED buckets web #1")
	js := b.direct()
	for _, bucket := range []string{"ws-1", "ws-2"} {
		must.Succeed(t, create(t.Context(), js, bucket))
	}
	must.Succeed(t, js.DeleteObjectStore(t.Context(), "ws-1"))
	b.eventually("the deletion was recorded", func() bool { return len(b.log.Run().Frames) == 1 })
	b.proxy.Heal()
	must.Succeed(t, js.DeleteObjectStore(t.Context(), "ws-2"))
	select {
	case m := <-received:
		if _, bucket, _ := cutAdvisory(m.Subject); bucket != "OBJ_ws-2" {
			t.Errorf("received %s", m.Subject)
		}
	case <-time.After(patience):
		t.Error("nothing was received after Heal")
	}
	if fault := b.log.Run().Faults[0]; fault.Healed == 0 {
		t.Errorf("recorded %+v", fault)
	}
}

// cutAdvisory returns the event and the stream in the subject of an advisory.
func cutAdvisory(subject string) (event, stream string, is bool) {
	const start = len("$JS.EVENT.ADVISORY.STREAM.")
	for i := start; i < len(subject); i++ {
		if subject[i] == '.' {
			return subject[start:i], subject[i+1:], true
		}
	}
	return "", "", false
}

func TestParseFault(t *testing.T) {
	for _, line := range []string{"lose reply: create buckets web #1", "answer 503: delete buckets web #2", "cut at: DELETED buckets web #1", "lose from: UPDATED buckets web #3"} {
		if fault, err := buckets.ParseFault(line); err != nil || fault.String() != line {
			t.Errorf("ParseFault(%q) = %s, %v", line, fault, err)
		}
	}
	for _, line := range []string{"", "lose reply", "answer 504: create buckets web #1", "cut at: DELETED buckets web", "lose from: #1"} {
		if fault, err := buckets.ParseFault(line); err == nil {
			t.Errorf("ParseFault(%q) = %s, want an error", line, fault)
		}
	}
}

func TestAPurgeIsStruckLikeOtherWrites(t *testing.T) {
	purge, update := history.Call{Verb: "purge", Resource: buckets.Resource, Object: "web", Nth: 1}, history.Call{Verb: "update", Resource: buckets.Resource, Object: "web", Nth: 1}
	if got, want := buckets.ActionsOn(purge), buckets.ActionsOn(update); !slices.Equal(got, want) {
		t.Errorf("the faults of %s are %v, want %v", purge, got, want)
	}
	fault, err := buckets.ParseFault("answer 503: next 2 writes buckets web")
	must.Succeed(t, err)
	if !fault.Next.Covers(purge) {
		t.Errorf("%s does not strike %s", fault, purge)
	}
}
