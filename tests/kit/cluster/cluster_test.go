package cluster_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/controller-course/tests/kit/cluster"
)

var _ = Describe("A control plane", func() {
	It("starts, and leaves no processes and files when stopped", func() {
		c := start(cluster.Options{})
		dir := c.Dir()
		Expect(processesOf(dir)).NotTo(BeEmpty())
		Expect(c.Stop()).To(Succeed())
		Expect(c.Stop()).To(Succeed(), "a second time")
		Expect(processesOf(dir)).To(BeEmpty())
		Expect(dir).NotTo(BeADirectory())
		Expect(c.Done()).To(BeClosed())
	})

	It("stops when its context ends", func() {
		ctx, cancel := context.WithCancel(context.Background())
		c, err := cluster.Start(ctx, cluster.Options{})
		Expect(err).NotTo(HaveOccurred())
		cancel()
		Eventually(func() map[int]string { return processesOf(c.Dir()) }, eventually).Should(BeEmpty())
	})

	It("gives up a start when its context ends", func() {
		ctx, cancel := context.WithCancel(context.Background())
		dir := GinkgoT().TempDir()
		go func() {
			defer GinkgoRecover()
			defer cancel()
			Eventually(func() map[int]string { return processesOf(dir) }, eventually).ShouldNot(BeEmpty())
		}()
		_, err := cluster.Start(ctx, cluster.Options{Dir: dir})
		Expect(err).To(MatchError(context.Canceled))
		Expect(processesOf(dir)).To(BeEmpty())
	})

	It("names the log of a component that does not start", func() {
		dir := GinkgoT().TempDir()
		_, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, APIServerFlags: map[string]string{"no-such-flag": "x"}})
		Expect(err).To(MatchError(And(
			ContainSubstring(filepath.Join(dir, "logs", "kube-apiserver.log")),
			ContainSubstring("unknown flag: --no-such-flag"))))
		Expect(processesOf(dir)).To(BeEmpty())
	})

	It("goes down with an error when a component dies", func() {
		c := start(cluster.Options{Dir: GinkgoT().TempDir()})
		kill(c.Dir(), "etcd")
		Eventually(c.Done(), eventually).Should(BeClosed())
		Expect(c.Stop()).To(MatchError(And(
			ContainSubstring("ended by itself"), ContainSubstring(filepath.Join("logs", "etcd.log")))))
		Expect(processesOf(c.Dir())).To(BeEmpty())
	})

	It("knows users, logs their requests, and applies manifests", func(ctx SpecContext) {
		c := start(cluster.Options{AuditUsers: []string{"system:serviceaccount:ops:robot"}})
		crd, err := os.ReadFile("testdata/widgets.yaml")
		Expect(err).NotTo(HaveOccurred())
		Expect(c.Apply(ctx, append(crd, `---
apiVersion: test.example.com/v1
kind: Widget
metadata: {name: w}
---
# nothing here
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [configmaps], verbs: [list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, namespace: ops, name: robot}]
`...))).To(Succeed())

		config, err := c.AddServiceAccount("ops", "robot")
		Expect(err).NotTo(HaveOccurred())
		robot := kubernetes.NewForConfigOrDie(config)
		Expect(robot.CoreV1().ConfigMaps("default").List(ctx, metav1.ListOptions{})).Error().NotTo(HaveOccurred())
		_, err = robot.CoreV1().Secrets("default").List(ctx, metav1.ListOptions{})
		Expect(apierrors.IsForbidden(err)).To(BeTrue(), "%v", err)

		Eventually(func() (string, error) {
			log, err := os.ReadFile(c.AuditLog())
			return string(log), err
		}, eventually).Should(And(
			ContainSubstring(`"username":"system:serviceaccount:ops:robot"`),
			ContainSubstring(`"resource":"secrets"`)))
	})
})

var _ = Describe("A full cluster", func() {
	It("leaves no processes and files when its owner is killed", func() {
		dir := GinkgoT().TempDir()
		owner := exec.Command(os.Args[0])
		owner.Env = append(os.Environ(), ownerDir+"="+dir)
		owner.Stderr = GinkgoWriter
		output, err := owner.StdoutPipe()
		Expect(err).NotTo(HaveOccurred())
		Expect(owner.Start()).To(Succeed())
		line, err := bufio.NewReader(output).ReadString('\n')
		Expect(err).NotTo(HaveOccurred())
		Expect(line).To(Equal("started: <nil>\n"))
		Expect(processesOf(dir)).To(HaveLen(15), "5 programs, each with its guard and the guard's watcher")

		Expect(owner.Process.Kill()).To(Succeed())
		_ = owner.Wait()
		Eventually(func() map[int]string { return processesOf(dir) }, eventually).Should(BeEmpty())
	})

	It("runs two at the same time, each of which completes Jobs, collects garbage and ends namespaces", func(ctx SpecContext) {
		first := start(cluster.Options{Full: true, CRDs: []string{"testdata"}})
		second := start(cluster.Options{Full: true, CRDs: []string{"testdata"}})
		for _, c := range []*cluster.Cluster{first, second} {
			expectToWork(ctx, c)
		}
		Expect(first.Stop()).To(Succeed())
		Expect(second.Stop()).To(Succeed())
		Expect(processesOf(first.Dir())).To(BeEmpty())
		Expect(processesOf(second.Dir())).To(BeEmpty())
	}, SpecTimeout(10*time.Minute))
})

// expectToWork has a Job run, its owner's deletion take it away, and its namespace go.
func expectToWork(ctx context.Context, c *cluster.Cluster) {
	GinkgoHelper()
	client := kubernetes.NewForConfigOrDie(c.Config())
	Expect(c.Apply(ctx, []byte(`
apiVersion: v1
kind: Namespace
metadata: {name: work}
---
apiVersion: test.example.com/v1
kind: Widget
metadata: {name: owner, namespace: work}
`))).To(Succeed())
	owner, err := widgets(c).Namespace("work").Get(ctx, "owner", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())

	begin := time.Now()
	job := makeJob("once")
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())}
	Expect(client.BatchV1().Jobs("work").Create(ctx, job, metav1.CreateOptions{})).Error().NotTo(HaveOccurred())
	Eventually(ctx, func() (int32, error) {
		job, err := client.BatchV1().Jobs("work").Get(ctx, "once", metav1.GetOptions{})
		return job.Status.Succeeded, err
	}, eventually).Should(BeEquivalentTo(1))
	GinkgoWriter.Println("Job complete after", time.Since(begin))

	begin = time.Now()
	Expect(widgets(c).Namespace("work").Delete(ctx, "owner", metav1.DeleteOptions{})).To(Succeed())
	Eventually(ctx, func() bool {
		_, err := client.BatchV1().Jobs("work").Get(ctx, "once", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, eventually).Should(BeTrue())
	GinkgoWriter.Println("garbage collected after", time.Since(begin))

	begin = time.Now()
	Expect(client.CoreV1().Namespaces().Delete(ctx, "work", metav1.DeleteOptions{})).To(Succeed())
	Eventually(ctx, func() bool {
		_, err := client.CoreV1().Namespaces().Get(ctx, "work", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, eventually).Should(BeTrue())
	GinkgoWriter.Println("namespace gone after", time.Since(begin))
}

// start starts a cluster that is stopped after the spec at the latest, and
// writes how long that took to the spec's output.
func start(options cluster.Options) *cluster.Cluster {
	GinkgoHelper()
	begin := time.Now()
	c, err := cluster.Start(context.Background(), options)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { _ = c.Stop() })
	log, err := os.ReadFile(filepath.Join(c.Dir(), "logs", "cluster.log"))
	Expect(err).NotTo(HaveOccurred())
	GinkgoWriter.Printf("%sall: %s\n", log, time.Since(begin).Round(time.Millisecond))
	return c
}
