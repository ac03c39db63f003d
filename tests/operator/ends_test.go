package operator_test

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/kit/process"
)

var _ = Describe("An operator that ends", func() {
	It("runs no step twice when it is killed during each of them and started again", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		jobs := record(ctx, namespace)
		run := aSequence(namespace, "run", "--sleep=1s", "--sleep=1s", "--sleep=1s")
		Expect(server.Create(ctx, run)).To(Succeed())
		for _, step := range []string{"one", "two", "three"} {
			started := startOperator(ctx)
			jobs.awaitCreated(ctx, "run/"+step)
			started.Kill()
		}
		startOperator(ctx)
		Eventually(ctx, where(ctx, run)).Should(Equal(allSucceeded("one", "two", "three")))
		ended, err := current(ctx, run)
		Expect(err).NotTo(HaveOccurred())
		expectOneJobEach(jobs, ended)
	}, aLot)

	It("does so within ten seconds of SIGTERM, well, in the middle of its work, which the next one goes on with", func(ctx SpecContext) {
		const runs = 30
		namespace := newNamespace(ctx)
		jobs := record(ctx, namespace)
		started := startOperator(ctx)
		Expect(inParallel(runs, func(i int) error {
			return server.Create(ctx, aSequence(namespace, fmt.Sprint("run-", i), "", ""))
		})).To(Succeed())
		Eventually(ctx, func() ([]string, error) { return jobs.so() }).Should(ContainElement(HaveSuffix("/two created")))
		stopWell(started)

		startOperator(ctx)
		for i := range runs {
			run := aSequence(namespace, fmt.Sprint("run-", i), "", "")
			Eventually(ctx, where(ctx, run)).Should(Equal(allSucceeded("one", "two")), run.Name)
			ended, err := current(ctx, run)
			Expect(err).NotTo(HaveOccurred())
			expectOneJobEach(jobs, ended)
		}
	}, aLot)

	It("writes nothing when it starts on 500 finished objects", func(ctx SpecContext) {
		const objects = 500
		namespace := newNamespace(ctx)
		first := startOperator(ctx)
		model := aSequence(namespace, "model", "")
		Expect(server.Create(ctx, model)).To(Succeed())
		Eventually(ctx, where(ctx, model)).Should(Equal(allSucceeded("one")))
		stopWell(first)
		model, err := current(ctx, model)
		Expect(err).NotTo(HaveOccurred())
		Expect(inParallel(objects-1, func(i int) error {
			twin := aSequence(namespace, fmt.Sprint("twin-", i), "")
			if err := server.Create(ctx, twin); err != nil {
				return err
			}
			before := twin.DeepCopy()
			twin.Status = model.Status
			return server.Status().Patch(ctx, twin, client.MergeFrom(before))
		})).To(Succeed())

		begun := time.Now()
		second := startOperator(ctx)
		Eventually(ctx, second.Metrics).WithArguments(map[string]string(nil)).Should(And(
			HaveKeyWithValue("controller_runtime_reconcile_total", BeNumerically(">=", objects)),
			HaveKeyWithValue("workqueue_depth", BeZero()),
			HaveKeyWithValue("controller_runtime_active_workers", BeZero())))
		stopWell(second)
		Expect(writes(requestsOf(ctx, 1, begun))).To(BeEmpty())
	}, aLot)

	// Outside a pod, the operator takes the namespace of its lease from its kubeconfig.
	It("hands over to the standby, whether it is killed or asked to stop", func(ctx SpecContext) {
		namespace := newNamespace(ctx)
		jobs := record(ctx, namespace)
		first := launchOperator(ctx, "--leader-elect")
		Eventually(ctx, leader).WithArguments(ctx).ShouldNot(BeEmpty())
		firstID := leader(ctx)
		second := launchOperator(ctx, "--leader-elect")
		Expect(second.AwaitReady(ctx)).To(Succeed())

		By("killing the leader")
		run := aSequence(namespace, "run", "--sleep=10s", "--sleep=1s", "--sleep=3s", "--sleep=1s") // the second one waits longer than 10 s for the lease
		Expect(server.Create(ctx, run)).To(Succeed())
		jobs.awaitCreated(ctx, "run/one")
		first.Kill()
		jobs.awaitCreated(ctx, "run/three")
		Expect(leader(ctx)).NotTo(Equal(firstID))

		By("asking the second one to go, which gives up its lease")
		launchOperator(ctx, "--leader-elect")
		stopWell(second)
		Eventually(ctx, where(ctx, run)).Should(Equal(allSucceeded("one", "two", "three", "four")))
		ended, err := current(ctx, run)
		Expect(err).NotTo(HaveOccurred())
		expectOneJobEach(jobs, ended)
	}, aLot)
})

// leader returns who holds the operators' lease; empty when nobody does.
func leader(ctx context.Context) string {
	leases := &coordinationv1.LeaseList{}
	if err := server.List(ctx, leases, client.InNamespace(process.Namespace)); err != nil || len(leases.Items) != 1 {
		return ""
	}
	return ptr.Deref(leases.Items[0].Spec.HolderIdentity, "")
}

// inParallel calls do with 0 to n-1, a few at a time, and returns the first error.
func inParallel(n int, do func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(20)
	for i := range n {
		group.Go(func() error { return do(i) })
	}
	return group.Wait()
}
