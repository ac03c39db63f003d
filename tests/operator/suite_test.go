// Package operator_test holds the finished operator, run as a process on a full cluster with real
// Jobs and real garbage collection, to what it promises.
package operator_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/tests/kit/audit"
	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/subject"
)

// Bounds end what hangs, and decide nothing else: most of what is waited for takes a second or two.
const (
	eventually = 3 * time.Minute
	aLot       = SpecTimeout(10 * time.Minute)
)

// What all specs share. Each has a namespace and an operator of its own.
var (
	theCluster *cluster.Cluster
	server     client.WithWatch // as administrator
	operator   subject.Subject
	logs       string // folder with the operators' logs

	starts int // how many operators were started
)

func TestOperator(t *testing.T) {
	log.SetLogger(GinkgoLogr)
	RegisterFailHandler(Fail)
	RunSpecs(t, "Operator")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	SetDefaultEventuallyTimeout(eventually)
	SetDefaultEventuallyPollingInterval(50 * time.Millisecond)
	EnforceDefaultTimeoutsWhenUsingContexts()
	logs = GinkgoT().TempDir()
	var err error
	operator, err = subject.Finished(logs)
	Expect(err).NotTo(HaveOccurred())
	Expect(operator.Build(ctx)).To(Succeed())

	// Not with ctx, which ends with this node.
	theCluster, err = cluster.Start(context.Background(), cluster.Options{
		Full: true, CRDs: []string{operator.CRDs}, AuditUsers: []string{process.User},
	})
	Expect(err).NotTo(HaveOccurred())
	server, err = kinds.NewClient(theCluster.Config())
	Expect(err).NotTo(HaveOccurred())
}, NodeTimeout(10*time.Minute))

var _ = AfterSuite(func() {
	if theCluster == nil {
		return
	}
	if server != nil {
		var refused []audit.Request
		for _, request := range requestsSince(time.Time{}) {
			if request.Code == 401 || request.Code == 403 {
				refused = append(refused, request)
			}
		}
		Expect(refused).To(BeEmpty(), "the role that the operator ships has to suffice for all that it did in these specs")
	}
	Expect(theCluster.Stop()).To(Succeed())
})

// startOperator starts an operator and waits until it is ready. It is stopped after the spec, unless
// it has ended by then, and has to end well.
func startOperator(ctx context.Context, flags ...string) *process.Process {
	GinkgoHelper()
	started := launchOperator(ctx, flags...)
	Expect(started.AwaitReady(ctx)).To(Succeed())
	return started
}

func launchOperator(ctx context.Context, flags ...string) *process.Process {
	GinkgoHelper()
	starts++
	name := fmt.Sprint("operator-", starts)
	started, err := operator.Start(ctx, theCluster, filepath.Join(logs, name), flags...)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() {
		if CurrentSpecReport().Failed() {
			AddReportEntry("log of "+name, readLog(started))
		}
		select {
		case <-started.Ended():
		default:
			stopWell(started)
		}
	})
	return started
}

// stopWell ends an operator by SIGTERM, for which it has ten seconds.
func stopWell(running *process.Process) {
	GinkgoHelper()
	Expect(running.Stop()).To(Succeed())
	Expect(running.Outcome().ExitCode).To(BeZero(), "exit code after SIGTERM; the operator's log:\n%s", readLog(running))
}

// requestsSince returns the operators' requests that the API server got since a moment and has
// answered by now.
func requestsSince(moment time.Time) []audit.Request {
	GinkgoHelper()
	all, err := audit.Read(theCluster.AuditLog(), process.User)
	Expect(err).NotTo(HaveOccurred())
	var requests []audit.Request
	for _, request := range all {
		if !request.Received.Before(moment) {
			requests = append(requests, request)
		}
	}
	return requests
}

// requestsOf waits until all requests of operators that have ended since a moment are logged, and
// returns them. Their watches, which end with them, are logged last; there are three each.
func requestsOf(ctx context.Context, operators int, since time.Time) []audit.Request {
	GinkgoHelper()
	var requests []audit.Request
	Eventually(ctx, func() []string {
		requests = requestsSince(since)
		return watches(requests)
	}).Should(HaveLen(3 * operators))
	return requests
}
