package e2e_test

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/kinds"
)

// What controllers of Workspaces are held to, and what only the finished operator does.
var _ = Describe("A controller of Workspaces, on a real cluster with an object store:", Ordered, func() {
	BeforeAll(installStore, NodeTimeout(6*time.Minute))

	BeforeEach(func(ctx SpecContext) {
		enter(ctx)
		on.observe(ctx, append([]kinds.Kind{kinds.Workspace}, kinds.Default...)...)
		on.watchPods(context.WithoutCancel(ctx))
	}, NodeTimeout(time.Minute))

	// handOn is a run whose second step needs the file of the first.
	handOn := func(first, second string) *v1alpha1.SequentialJob {
		run := aSequence("run", first, second)
		run.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse("1Mi"))}
		return run
	}

	rule("K24", func(ctx SpecContext) {
		run := handOn("--say=compiled --put=app", "--get=app")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		Expect(saidIn(ctx, run, "two")).To(ContainElement("got app: compiled"))

		bucket := v1alpha1.BucketName(workspaceOf(ctx, run).UID)
		store := openStore(ctx)
		Expect(store.names(ctx)).To(ContainElement(bucket))
		Expect(server.Delete(ctx, run)).To(Succeed())
		store.awaitGone(ctx, bucket)
		on.awaitNothing(ctx)
		awaitNoWorkspace(ctx)
	})

	It("gives a program no other bucket than its own", func(ctx SpecContext) {
		others := handOn("--say=secret --put=app", "--sleep=60s")
		Expect(server.Create(ctx, others)).To(Succeed())
		on.awaitRunning(ctx, others, "two")
		bucket := v1alpha1.BucketName(workspaceOf(ctx, others).UID)

		thief := handOn("", "--get=app")
		thief.Name = "thief"
		thief.Spec.Steps[1].JobTemplate.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "WORKSPACE_BUCKET", Value: bucket}}
		Expect(server.Create(ctx, thief)).To(Succeed())
		on.awaitStanding(ctx, thief, "one=Succeeded two=Failed Succeeded=False", v1alpha1.ReasonStepFailed)
		Expect(saidIn(ctx, thief, "two")).To(ContainElements(
			ContainSubstring("Permissions Violation"), ContainSubstring("error: get file app of the Workspace")))
	}, SpecTimeout(4*time.Minute))

	rule("K26", func(ctx SpecContext) {
		run := handOn("--sleep=60s", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")
		bucket := v1alpha1.BucketName(workspaceOf(ctx, run).UID)

		store := openStore(ctx)
		stream, err := store.Stream(ctx, "OBJ_"+bucket)
		Expect(err).NotTo(HaveOccurred())
		config := stream.CachedInfo().Config
		capacity := config.MaxBytes
		config.MaxBytes *= 2
		_, err = store.UpdateStream(ctx, config)
		Expect(err).NotTo(HaveOccurred())
		until(ctx, func() (string, error) {
			now, err := stream.Info(ctx)
			if err == nil && now.Config.MaxBytes != capacity {
				return fmt.Sprintf("bucket %s may hold %d bytes and not %d", bucket, now.Config.MaxBytes, capacity), nil
			}
			return "", err
		})
		on.awaitRunning(ctx, run, "one")
	})

	rule("K27", func(ctx SpecContext) {
		run := handOn("--sleep=20s", "--get=app")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")
		on.log.Stimulate("admin", "deletes the bucket of the run")
		Expect(openStore(ctx).DeleteObjectStore(ctx, v1alpha1.BucketName(workspaceOf(ctx, run).UID))).To(Succeed())
		on.awaitStanding(ctx, run, "one=Succeeded two=Skipped Succeeded=False", v1alpha1.ReasonWorkspaceLost)
	})

	rule("K25", func(ctx SpecContext) {
		run := handOn("", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		workspace := workspaceOf(ctx, run)
		scaleStore(ctx, 0)
		on.log.Stimulate("admin", "scales the object store to zero")
		DeferCleanup(func(ctx SpecContext) { scaleStore(ctx, 1) }, NodeTimeout(3*time.Minute))

		Expect(server.Delete(ctx, run)).To(Succeed())
		until(ctx, func() (string, error) {
			if err := server.Get(ctx, client.ObjectKeyFromObject(workspace), workspace); apierrors.IsNotFound(err) {
				Fail(fmt.Sprintf("Workspace %s is gone. But the object store was down, so nobody could know whether its bucket was deleted.", workspace.Name))
			} else if err != nil {
				return "", err
			}
			ready := meta.FindStatusCondition(workspace.Status.Conditions, v1alpha1.ConditionReady)
			switch {
			case workspace.DeletionTimestamp == nil:
				return fmt.Sprintf("Workspace %s was not being deleted, although its run was gone", workspace.Name), nil
			case ready == nil || ready.Status == metav1.ConditionTrue || ready.Reason == v1alpha1.ReasonReady:
				return fmt.Sprintf("the status of Workspace %s did not say that it is not ready", workspace.Name), nil
			case judged == finished && ready.Reason != v1alpha1.ReasonStoreUnavailable:
				return fmt.Sprintf("the Workspace said %s and not %s", ready.Reason, v1alpha1.ReasonStoreUnavailable), nil
			}
			return "", nil
		})
		on.log.Stimulate("admin", "scales the object store to one")
		scaleStore(ctx, 1)
		awaitNoWorkspace(ctx)
		openStore(ctx).awaitGone(ctx, v1alpha1.BucketName(workspace.UID))
	})
})

// saidIn returns what the one pod of a step has printed, as lines without their times.
func saidIn(ctx context.Context, run *v1alpha1.SequentialJob, step string) (lines []string) {
	GinkgoHelper()
	for _, line := range said(ctx, run, step) {
		lines = append(lines, line.text)
	}
	return lines
}

// natsNamespace is where config/nats has the server.
const natsNamespace = "nats"

// installStore installs an object store: for the operator one with keys, as a user would, and for a lesson's controller one that
// everybody may use. Afterwards there is none again.
func installStore(ctx SpecContext) {
	folder := "store"
	if judged == finished {
		folder = "nats"
	}
	config := filepath.Join(repoRoot, "tests", "e2e", folder)
	removeStore(ctx) // that of a run that was ended
	onNode(ctx, "sh", "-c", "rm -rf /var/local/e2e-nats && mkdir -p /var/local/e2e-nats && chown 65532:65532 /var/local/e2e-nats")
	DeferCleanup(func(ctx SpecContext) {
		releaseWorkspaces(ctx)
		removeStore(ctx)
		if judged == finished {
			kubectl(ctx, "apply", "--kustomize", finished.config())
			awaitRollout(ctx)
		}
	}, NodeTimeout(4*time.Minute))
	kubectl(ctx, "apply", "--kustomize", config)
	if judged == finished {
		_, err := pipeToKubectl(ctx, newKeys(ctx), "create", "--filename", "-")
		Expect(err).NotTo(HaveOccurred())
		awaitRollout(ctx)
	}
	kubectl(ctx, "-n", natsNamespace, "rollout", "status", "deployment/nats", fmt.Sprintf("--timeout=%s", startTimeout))
}

// releaseWorkspaces deletes all Workspaces. Their finalizers go too: without its object store the operator can't remove them, and
// they would keep their namespaces and their CRD from going.
func releaseWorkspaces(ctx context.Context) {
	GinkgoHelper()
	workspaces := &v1alpha1.WorkspaceList{}
	if err := server.List(ctx, workspaces); meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return // the API is not installed
	} else {
		Expect(err).NotTo(HaveOccurred())
	}
	for _, workspace := range workspaces.Items {
		Expect(client.IgnoreNotFound(server.Delete(ctx, &workspace))).To(Succeed())
		released := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`))
		Expect(client.IgnoreNotFound(server.Patch(ctx, &workspace, released))).To(Succeed())
	}
}

// removeStore removes what config/nats has and the operator alone has not.
func removeStore(ctx context.Context) {
	GinkgoHelper()
	kubectl(ctx, "delete", "--kustomize", operatorConfig("nats/server"), "--ignore-not-found")
	kubectl(ctx, "delete", "persistentvolume", "e2e-nats", "--ignore-not-found")
	kubectl(ctx, "delete", "clusterrole/sequentialjob-workspace-role", "clusterrolebinding/sequentialjob-workspaces", "--ignore-not-found")
	kubectl(ctx, "-n", finished.namespace, "delete", "secret", "sequentialjob-object-store", "--ignore-not-found")
}

// newKeys makes the keys as a user would.
func newKeys(ctx context.Context) string {
	GinkgoHelper()
	command := exec.CommandContext(ctx, "go", "run", "./sequentialjob/natskeys")
	command.Dir = repoRoot
	keys, err := command.Output()
	Expect(err).NotTo(HaveOccurred())
	return string(keys)
}

func scaleStore(ctx context.Context, replicas int) {
	GinkgoHelper()
	kubectl(ctx, "-n", natsNamespace, "scale", "deployment/nats", fmt.Sprintf("--replicas=%d", replicas))
	kubectl(ctx, "-n", natsNamespace, "rollout", "status", "deployment/nats", fmt.Sprintf("--timeout=%s", startTimeout))
	if replicas == 0 {
		kubectl(ctx, "-n", natsNamespace, "wait", "--for=delete", "pods", "--all", fmt.Sprintf("--timeout=%s", startTimeout))
	}
}

// workspaceOf returns the Workspace of a run's own.
func workspaceOf(ctx context.Context, run *v1alpha1.SequentialJob) *v1alpha1.Workspace {
	GinkgoHelper()
	workspaces := &v1alpha1.WorkspaceList{}
	Expect(server.List(ctx, workspaces, client.InNamespace(run.Namespace))).To(Succeed())
	for i, workspace := range workspaces.Items {
		if metav1.IsControlledBy(&workspace, run) {
			return &workspaces.Items[i]
		}
	}
	Fail("SequentialJob " + run.Name + " has no Workspace of its own")
	return nil
}

func awaitNoWorkspace(ctx context.Context) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		left, err := kinds.Names(ctx, server, on.namespace, kinds.Workspace, kinds.Secret)
		if len(left) > 0 {
			return fmt.Sprintf("there was still %v", left), err
		}
		return "", err
	})
}

// A store is a connection to the object store, as somebody who may do everything with buckets.
type store struct{ jetstream.JetStream }

// openStore connects to the object store until the spec ends.
func openStore(ctx context.Context) store {
	GinkgoHelper()
	var options []nats.Option
	if judged == finished {
		keys := &corev1.Secret{}
		Expect(server.Get(ctx, client.ObjectKey{Namespace: finished.namespace, Name: "sequentialjob-object-store"}, keys)).To(Succeed())
		options = append(options, nats.UserCredentialBytes(keys.Data["operator.creds"]))
	}
	connection, err := nats.Connect("nats://"+forward(natsNamespace, "service/nats", 4222), options...)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(connection.Close)
	stream, err := jetstream.New(connection)
	Expect(err).NotTo(HaveOccurred())
	return store{stream}
}

// forward has a port of something in the cluster at an address here, until the spec ends.
func forward(namespace, what string, port int) (address string) {
	GinkgoHelper()
	command := kubectlCommand(context.Background(), "-n", namespace, "port-forward", what, fmt.Sprintf(":%d", port))
	said, err := command.StdoutPipe()
	Expect(err).NotTo(HaveOccurred())
	Expect(command.Start()).To(Succeed())
	DeferCleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	Expect(err).NotTo(HaveOccurred())
	_, err = fmt.Sscanf(line, "Forwarding from %s ->", &address)
	Expect(err).NotTo(HaveOccurred(), "kubectl port-forward said %q", line)
	return address
}

func (s store) names(ctx context.Context) (names []string) {
	GinkgoHelper()
	listed := s.ObjectStoreNames(ctx)
	for name := range listed.Name() {
		names = append(names, name)
	}
	Expect(listed.Error()).NotTo(HaveOccurred())
	return names
}

func (s store) awaitGone(ctx context.Context, bucket string) {
	GinkgoHelper()
	Eventually(ctx, func() []string { return s.names(ctx) }).ShouldNot(ContainElement(bucket))
}
