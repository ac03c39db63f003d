package e2e_test

import (
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/repo"
)

// The settings that the course passes to the specs.
var (
	kubeconfig = os.Getenv("E2E_KUBECONFIG")
	kubectlBin = os.Getenv("E2E_KUBECTL")
	logsFolder = os.Getenv("E2E_LOGS")       // what failing specs leave to look at
	nextImage  = os.Getenv("E2E_NEXT_IMAGE") // of the operator
	node       = os.Getenv("E2E_NODE")       // the container that is the cluster's node
	// What is judged: a lesson's program, if there are roles for it; a lesson's API, if there are CRDs; else the operator.
	roles = os.Getenv("E2E_ROLES") // the file with those of the program
	crds  = os.Getenv("E2E_CRDS")  // the folder with those of the API
)

// What all specs share. Each has a namespace of its own.
var (
	admin    *rest.Config
	server   client.WithWatch // as administrator
	clients  kubernetes.Interface
	repoRoot string
)

func TestE2E(t *testing.T) {
	if kubeconfig == "" {
		t.Skip("these specs need a cluster with real containers: 'make e2e' makes one and runs them")
	}
	log.SetLogger(GinkgoLogr)
	RegisterFailHandler(Fail)
	RunSpecs(t, "On a real cluster")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	SetDefaultEventuallyTimeout(patience)
	SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	EnforceDefaultTimeoutsWhenUsingContexts()
	connect()
	judged = finished
	if roles != "" {
		judged = lessons
	}

	By("removing what the run before has left")
	releaseWorkspaces(ctx)
	for _, one := range []installation{finished, lessons} {
		kubectl(ctx, "delete", "--kustomize", one.config(), "--ignore-not-found")
	}
	kubectl(ctx, "delete", "namespaces", "--selector", ownLabel, "--wait=false")

	if isAPI() {
		Eventually(ctx, isServed).Should(BeFalse())
		DeferCleanup(bringBackTheAPI, NodeTimeout(time.Minute)) // each spec has its CRD served by itself
		return
	}
	By("installing what is judged")
	install(ctx)
}, NodeTimeout(8*time.Minute))

// isAPI says that what is judged is an API: there is no program.
func isAPI() bool { return crds != "" }

// patience is how long something may take that has to happen, after the last thing that did. Most of it takes a
// few seconds; what a busy machine needs to start a container must not count against a controller.
const patience = 90 * time.Second

func connect() {
	GinkgoHelper()
	var err error
	admin, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	Expect(err).NotTo(HaveOccurred())
	admin.QPS = -1 // not throttled
	server, err = kinds.NewClient(admin)
	Expect(err).NotTo(HaveOccurred())
	clients, err = kubernetes.NewForConfig(admin)
	Expect(err).NotTo(HaveOccurred())
	repoRoot, err = repo.Root()
	Expect(err).NotTo(HaveOccurred())
}
