package workspace_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/internal/natsserver"
	"example.com/controller-course/sequentialjob/workspace"
)

func TestWorkspace(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Workspace controller")
}

var (
	restConfig *rest.Config
	admin      client.Client // reads and writes the API server itself
)

var _ = BeforeSuite(func() {
	natsserver.Require()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		Fail("these specs run against a real API server, and KUBEBUILDER_ASSETS doesn't say where its binaries are: run `make test`, which builds them and sets it")
	}
	SetDefaultEventuallyTimeout(2 * time.Minute) // it ends what hangs, and decides nothing else
	SetDefaultEventuallyPollingInterval(10 * time.Millisecond)
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))

	goroutines := goleak.IgnoreCurrent()
	puts := goleak.IgnoreTopFunction("github.com/nats-io/nats.go/jetstream.(*jetStream).resetPendingAcksOnReconnect") // of the specs' own clients
	server := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "config", "crd")}, ErrorIfCRDPathMissing: true}
	DeferCleanup(func() {
		Expect(server.Stop()).To(Succeed())
		Eventually(func() error { return goleak.Find(goroutines, puts) }).Should(Succeed(), "goroutines left running")
	})
	var err error
	restConfig, err = server.Start()
	Expect(err).NotTo(HaveOccurred())
	restConfig.QPS = -1
	admin, err = client.New(restConfig, client.Options{Scheme: newScheme()})
	Expect(err).NotTo(HaveOccurred())
})

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	Expect(clientgoscheme.AddToScheme(scheme)).To(Succeed())
	Expect(v1alpha1.AddToScheme(scheme)).To(Succeed())
	return scheme
}

// operator is the controller in its manager, for one namespace.
type operator struct {
	options   workspace.Options
	namespace string
	stop      func()

	// beforeStatus is called before each status write, which fails if it does; nil for nothing. It is set while the operator is down.
	beforeStatus func() error
	// beforeRead is called before each live read of a Workspace; nil for nothing. It is set while the operator is down.
	beforeRead func()
}

// startOperator starts the controller with a store. A look at all buckets takes place at start only, so that nothing but events and
// notifications brings about what specs wait for.
func startOperator(namespace string, store *buckets.Store) *operator {
	o := &operator{namespace: namespace, options: workspace.Options{Cluster: "cluster-1", Interval: time.Hour}}
	if store != nil {
		o.options.Store = store
	}
	o.start()
	DeferCleanup(func() { o.stop() })
	return o
}

func (o *operator) start() {
	caches := cache.Options{
		ReaderFailOnMissingInformer: true,
		// Not DefaultNamespaces: with it, each manager that is stopped early leaves a goroutine of controller-runtime behind.
		DefaultFieldSelector: fields.OneTermEqualSelector("metadata.namespace", o.namespace),
		ByObject:             map[client.Object]cache.ByObject{&v1alpha1.Workspace{}: {}},
	}
	workspace.AddToCache(&caches)
	rests := rest.CopyConfig(restConfig)
	rests.Wrap(func(next http.RoundTripper) http.RoundTripper { return transport{o, next} })
	manager, err := ctrl.NewManager(rests, ctrl.Options{
		Scheme: newScheme(), Cache: caches, Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: config.Controller{SkipNameValidation: new(true)}, // each spec has a controller of that name
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(workspace.Setup(manager, o.options)).To(Succeed())

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

// transport calls beforeStatus and beforeRead.
type transport struct {
	*operator
	next http.RoundTripper
}

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	single := strings.Contains(request.URL.Path, "/workspaces/")
	switch {
	case t.beforeRead != nil && single && request.Method == http.MethodGet:
		t.beforeRead()
	case t.beforeStatus != nil && single && request.Method == http.MethodPatch && strings.HasSuffix(request.URL.Path, "/status"):
		if err := t.beforeStatus(); err != nil {
			return nil, err
		}
	}
	return t.next.RoundTrip(request)
}

// whileDown does something that the controller sees only when it starts again.
func (o *operator) whileDown(something func()) {
	o.stop()
	something()
	o.start()
}

func newNamespace(ctx context.Context) string {
	namespace := &corev1.Namespace{}
	namespace.GenerateName = "spec-"
	Expect(admin.Create(ctx, namespace)).To(Succeed())
	return namespace.Name
}
