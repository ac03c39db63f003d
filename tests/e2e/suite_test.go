// Package e2e_test holds the finished operator to what it promises on a cluster with real containers,
// installed as a user would. 'make e2e' runs it.
package e2e_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"example.com/controller-course/scripts/repo"
	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// What 'make e2e' tells.
var (
	kubeconfig = os.Getenv("E2E_KUBECONFIG")
	kubectlBin = os.Getenv("E2E_KUBECTL")
	logsFolder = os.Getenv("E2E_LOGS")       // what failing specs leave to look at
	nextImage  = os.Getenv("E2E_NEXT_IMAGE") // of the operator
	node       = os.Getenv("E2E_NODE")       // the container that is the cluster's node
)

// What all specs share. Each has a namespace of its own.
var (
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
	RunSpecs(t, "The operator on a real cluster")
}

var _ = BeforeSuite(func(ctx SpecContext) {
	SetDefaultEventuallyTimeout(90 * time.Second) // most of what is waited for takes a few
	SetDefaultEventuallyPollingInterval(100 * time.Millisecond)
	EnforceDefaultTimeoutsWhenUsingContexts()
	connect()

	By("removing what the run before has left")
	kubectl(ctx, "delete", "--kustomize", config("default"), "--ignore-not-found")
	kubectl(ctx, "delete", "namespaces", "--selector", ownLabel)

	By("installing the operator as a user would")
	kubectl(ctx, "apply", "--kustomize", config("default"))
	awaitRollout(ctx)
}, NodeTimeout(5*time.Minute))

func connect() {
	GinkgoHelper()
	restConfig, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	Expect(err).NotTo(HaveOccurred())
	restConfig.QPS = -1 // not throttled
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	server, err = client.NewWithWatch(restConfig, client.Options{Scheme: scheme})
	Expect(err).NotTo(HaveOccurred())
	clients, err = kubernetes.NewForConfig(restConfig)
	Expect(err).NotTo(HaveOccurred())
	repoRoot, err = repo.Root()
	Expect(err).NotTo(HaveOccurred())
}

// config is the path of something below the operator's config.
func config(parts ...string) string {
	return filepath.Join(append([]string{repoRoot, "sequentialjob", "config"}, parts...)...)
}
