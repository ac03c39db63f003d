package proxy_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

// goleak, in newBench, says whether anything is left after all this.
func TestCloseUnderLoad(t *testing.T) {
	b := newBench(t)
	b.inject("hold: ADDED jobs web/build #1", "commit late: "+create)
	b.server.delay("GET " + sequences + "/slow")
	var clients sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for n := 1; n <= 3; n++ {
		one := b.instance(n)
		_, s := one.open(jobs, fromList)
		clients.Go(func() {
			for version := 11; version < 200; version++ {
				select {
				case s.lines <- added("build", version):
				case <-ctx.Done():
					return
				}
			}
		})
		for _, path := range []string{sequences, sequences + "/slow", "/version"} {
			clients.Go(func() {
				for ctx.Err() == nil {
					if reply := one.ask(http.MethodGet, path, ""); reply.cut != nil {
						return
					}
				}
			})
		}
		clients.Go(func() { one.ask(http.MethodPost, jobs, job("build", 0)) })
	}
	b.eventually("load", func() bool {
		run := b.log.Run()
		return len(run.Frames) > 100 && len(run.Requests) > 50
	})
	closed := make(chan error)
	go func() { closed <- b.proxy.Close() }()
	err, _ := receive(t, closed, "Close returns")
	must.Succeed(t, err)
	cancel()
	clients.Wait()
	if _, err := b.proxy.Door(9); err == nil {
		t.Error("a closed proxy opens doors")
	}
}

// A client that does not read its watch delays no other, and does not keep the proxy open.
func TestAClientThatDoesNotRead(t *testing.T) {
	b := newBench(t)
	one := b.instance(1)
	deaf, err := net.Dial("tcp", strings.TrimPrefix(one.url, "http://"))
	must.Succeed(t, err)
	defer deaf.Close()
	_, err = deaf.Write([]byte("GET " + jobs + "?watch=true&resourceVersion=10 HTTP/1.1\r\nHost: x\r\n\r\n"))
	must.Succeed(t, err)
	flood := b.server.next(t)
	w, s := one.open(jobs, fromList)
	big := frame("ADDED", strings.Replace(job("build", 11), `"name":"web-build"`,
		`"name":"web-build","annotations":{"a":"`+strings.Repeat("x", 1<<20)+`"}`, 1))
	for range 14 { // more than fits on the way
		flood.send(big)
	}
	s.send(added("ship", 12))
	w.want("ADDED web-ship@12")
	must.Succeed(t, b.proxy.Close())
}

func TestClientsThatGoAwayAreForgotten(t *testing.T) {
	b := newBench(t)
	b.inject("hold: ADDED jobs web/build #1")
	w, s := b.instance(1).open(jobs, fromList)
	s.send(added("build", 11))
	b.awaitReceived(1)
	w.stop()
	b.eventually("the watch is forgotten", func() bool { return b.log.Run().Streams[0].Ended > 0 })
	assert.Equal(t, "whether a controller without watches is up to date", b.proxy.UpToDate(1), false)
}
