package buckets_test

import (
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
)

func TestBuckets(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Buckets")
}

var _ = BeforeSuite(func() {
	if os.Getenv("NATS_SERVER") == "" {
		Fail("these specs run against a real NATS server, and NATS_SERVER doesn't say where its binary is: run `make test`, which builds it and sets that")
	}
	SetDefaultEventuallyTimeout(5 * time.Second) // it ends what hangs, and decides nothing else
	SetDefaultEventuallyPollingInterval(5 * time.Millisecond)

	goroutines := goleak.IgnoreCurrent()
	// A put leaves one behind now and then, in the specs' own clients.
	puts := goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect")
	DeferCleanup(func() {
		Eventually(func() error { return goleak.Find(goroutines, puts) }).Should(Succeed(), "goroutines left running")
	})
})
