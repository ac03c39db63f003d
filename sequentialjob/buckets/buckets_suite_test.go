package buckets_test

import (
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"

	"example.com/controller-course/sequentialjob/internal/natsserver"
)

func TestBuckets(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Buckets")
}

var _ = BeforeSuite(func() {
	natsserver.Require()
	SetDefaultEventuallyTimeout(time.Minute) // it ends what hangs, and decides nothing else
	SetDefaultEventuallyPollingInterval(5 * time.Millisecond)

	goroutines := goleak.IgnoreCurrent()
	// A put leaves one behind now and then, in the specs' own clients.
	puts := goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect")
	DeferCleanup(func() {
		Eventually(func() error { return goleak.Find(goroutines, puts) }).Should(Succeed(), "goroutines left running")
	})
})
