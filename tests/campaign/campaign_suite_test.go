package campaign_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/tests/campaign"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/subject"
)

// beAs is set for this program when it runs as a wrong controller.
const beAs = "BE_A_CONTROLLER_THAT"

func TestMain(m *testing.M) {
	if how := os.Getenv(beAs); how != "" {
		misbehave(how)
		return
	}
	os.Exit(m.Run())
}

func TestCampaign(t *testing.T) {
	log.SetLogger(GinkgoLogr)
	RegisterFailHandler(Fail)
	RunSpecs(t, "Campaign")
}

var (
	operator subject.Subject
	scene    *campaign.Worker
	learned  = map[string]*campaign.Baseline{} // by scenario
)

var _ = BeforeSuite(func(ctx SpecContext) {
	var err error
	operator, err = subject.Finished(GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	Expect(operator.Build(ctx)).To(Succeed())
	// Not with ctx, which ends with this node.
	worker, err := campaign.StartWorker(context.Background(), operator, GinkgoT().TempDir())
	Expect(err).NotTo(HaveOccurred())
	scene = &worker
}, NodeTimeout(5*time.Minute))

var _ = AfterSuite(func() {
	if scene != nil {
		Expect(scene.Stop()).To(Succeed())
	}
})

var _ = Describe("A campaign", func() {
	It("lets the finished operator survive a sample of all plans", func(ctx SpecContext) {
		report, err := campaign.Run(ctx, campaign.Options{
			Subject: operator, Dir: GinkgoT().TempDir(), Workers: 2, Repeat: 1, Smoke: true, Tally: silence{},
			Scenarios: campaign.WithoutStore(),
		})
		Expect(err).NotTo(HaveOccurred())
		Expect(report.Results).To(HaveLen(campaign.SmokeSize))
		var missed []campaign.Plan
		for _, result := range report.Results {
			Expect(result.Findings).To(BeEmpty(), "%s", result.Plan)
			if len(result.Missed) > 0 {
				missed = append(missed, result.Plan)
			}
		}
		// Under load, one write may do what two did in the runs without faults, so that a plan's fault finds nothing to strike.
		// This is rare: most faults that miss are a mistake in the campaign.
		Expect(len(missed)).To(BeNumerically("<=", campaign.SmokeSize/10), "their faults struck nothing: %v", missed)
	}, SpecTimeout(10*time.Minute))
})

var _ = DescribeTable("The finished operator survives", func(ctx SpecContext, line string) {
	plan, err := campaign.ParsePlan(line)
	Expect(err).NotTo(HaveOccurred())
	want := learned[plan.Scenario]
	if want == nil {
		want, err = scene.Learn(ctx, operator.Binary, plan.Scenario)
		Expect(err).NotTo(HaveOccurred())
		learned[plan.Scenario] = want
	}
	result, err := scene.Play(ctx, operator.Binary, plan, want)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Findings).To(BeEmpty())
	Expect(result.Missed).To(BeEmpty())
},
	Entry(nil, SpecTimeout(3*time.Minute), "workspace: no fault"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace: lose reply: create buckets web #1"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace: crash after commit: create buckets web #1"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace: lose reply: delete buckets web #1"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace: commit late: create buckets web #1"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace-late: no fault"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace-lost: no fault"),
	Entry(nil, SpecTimeout(3*time.Minute), "store-down: no fault"),
	Entry(nil, SpecTimeout(3*time.Minute), "workspace-unmarked: no fault"),
)

var _ = DescribeTable("A controller that", func(ctx SpecContext, how string, check finding.Check, what string) {
	shorter(10 * time.Second)
	plan, err := campaign.ParsePlan("ttl: no fault")
	Expect(err).NotTo(HaveOccurred())
	result, err := scene.Play(ctx, wrong(how), plan, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Findings).NotTo(BeEmpty())
	Expect(result.Findings[0].Check).To(Equal(check), "%+v", result.Findings[0])
	Expect(result.Findings[0].What).To(ContainSubstring(what))

	By("leaving the next run alone")
	result, err = scene.Play(ctx, operator.Binary, plan, nil)
	Expect(err).NotTo(HaveOccurred())
	Expect(result.Findings).To(BeEmpty())
},
	Entry("exits immediately, without an error", SpecTimeout(time.Minute), "exits", finding.CheckStart, "code 0"),
	Entry("panics", SpecTimeout(time.Minute), "panics", finding.CheckPanic, "no controller today"),
	Entry("never watches anything", SpecTimeout(time.Minute), "sleeps", finding.CheckWatch, "watch"),
	Entry("floods the API server", SpecTimeout(time.Minute), "floods", finding.CheckFlood, "requests"),
	Entry("prints without end", SpecTimeout(time.Minute), "prints", finding.CheckWatch, "watch"),
)

// shorter makes the judge wait less in a spec, for what will not come.
func shorter(time time.Duration) {
	DeferCleanup(campaign.SetPatience, campaign.SetPatience(time))
}

// wrong is a program that misbehaves.
func wrong(how string) string {
	self, err := os.Executable()
	Expect(err).NotTo(HaveOccurred())
	script := filepath.Join(GinkgoT().TempDir(), "controller")
	Expect(os.WriteFile(script, fmt.Appendf(nil, "#!/bin/sh\n%s=%s exec '%s'\n", beAs, how, self), 0o755)).To(Succeed())
	return script
}

func misbehave(how string) {
	switch how {
	case "exits":
	case "panics":
		panic("no controller today")
	case "sleeps":
		time.Sleep(time.Hour)
	case "floods":
		flood()
	case "prints":
		for {
			fmt.Println("a line of a log that is of no use to anybody, again and again")
		}
	}
}

// flood asks for all Jobs, all the time.
func flood() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		panic(err)
	}
	config.QPS = -1
	jobs, err := batchclient.NewForConfig(config)
	if err != nil {
		panic(err)
	}
	for {
		_, _ = jobs.Jobs("").List(context.Background(), metav1.ListOptions{})
	}
}

// silence is for progress that nobody reads.
type silence struct{}

func (silence) Learning(int)         {}
func (silence) Learned(string, int)  {}
func (silence) Running(int)          {}
func (silence) Done(campaign.Result) {}
