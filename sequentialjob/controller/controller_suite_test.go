package controller_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/controller"
)

func TestController(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "SequentialJob controller")
}

var (
	server   *envtest.Environment
	admin    client.Client // reads and writes the API server itself
	operator *runningOperator
)

var _ = BeforeSuite(func() {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		Fail("these specs run against a real API server, and KUBEBUILDER_ASSETS doesn't say where its binaries are: run `make test`, which builds them and sets it")
	}
	SetDefaultEventuallyTimeout(2 * time.Minute) // it ends what hangs, and decides nothing else
	SetDefaultEventuallyPollingInterval(10 * time.Millisecond)
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))

	goroutines := goleak.IgnoreCurrent()
	DeferCleanup(func() {
		Eventually(func() error { return goleak.Find(goroutines) }).Should(Succeed(), "goroutines left running")
	})

	server = &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "config", "crd")},
		ErrorIfCRDPathMissing: true,
	}
	restConfig, err := server.Start()
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { Expect(server.Stop()).To(Succeed()) })

	restConfig.QPS = -1
	admin, err = client.New(restConfig, client.Options{Scheme: newScheme()})
	Expect(err).NotTo(HaveOccurred())

	operator = startOperator(restConfig)
	DeferCleanup(func() { operator.stop() })
})

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	return scheme
}

// runningOperator is the controller in its manager, as main sets it up, behind a transport that
// records its requests.
type runningOperator struct {
	config   *rest.Config
	requests *requestLog
	stop     func()
}

func startOperator(restConfig *rest.Config) *runningOperator {
	requests := &requestLog{}
	restConfig = rest.CopyConfig(restConfig)
	restConfig.Wrap(requests.wrap)
	running := &runningOperator{config: restConfig, requests: requests}
	running.start()
	return running
}

func (o *runningOperator) start() {
	manager, err := ctrl.NewManager(o.config, ctrl.Options{
		Scheme:  newScheme(),
		Cache:   controller.CacheOptions(),
		Metrics: metricsserver.Options{BindAddress: "0"},
		// Restarting it in one process adds a controller of the same name again.
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(controller.Setup(manager)).To(Succeed())

	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- manager.Start(ctx) }()
	o.stop = func() {
		cancel()
		Expect(<-stopped).To(Succeed())
		o.stop = func() {}
	}
	Expect(manager.GetCache().WaitForCacheSync(ctx)).To(BeTrue())
}

// whileDown does something that the operator sees only when it starts again.
func (o *runningOperator) whileDown(something func()) {
	o.stop()
	something()
	o.start()
}
