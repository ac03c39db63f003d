package config_test

import (
	"context"
	"os"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// TestOnAPIServer checks what only an API server can tell: whether it takes what is installed and
// the samples, whether their pods meet the Pod Security Standard, and whether the roles are bound.
func TestOnAPIServer(t *testing.T) {
	server := startAPIServer(t)
	ctx := context.Background()
	installed := render(t, "default")
	for _, object := range installed {
		if _, isCRD := object.(*apiextensionsv1.CustomResourceDefinition); isCRD {
			continue // envtest has installed it, and waited for it
		}
		if err := server.Create(ctx, object); err != nil {
			t.Fatalf("%s: %s", describe(object), err)
		}
	}

	t.Run("the manager's pods are restricted", func(t *testing.T) {
		template := only[*appsv1.Deployment](t, installed).Spec.Template
		if err := server.admit(pod(namespace, template)); err != nil {
			t.Error(err)
		}
		template.Spec.HostNetwork = true
		if err := server.admit(pod(namespace, template)); err == nil || !strings.Contains(err.Error(), "PodSecurity") {
			t.Errorf("a pod in the host's network is admitted too, or not for that reason: %v", err)
		}
	})

	t.Run("the object store's pods are restricted", func(t *testing.T) {
		withStore := render(t, "nats")
		if err := server.Create(ctx, find[*corev1.Namespace](t, withStore, "nats")); err != nil {
			t.Fatal(err)
		}
		if err := server.admit(pod("nats", find[*appsv1.Deployment](t, withStore, "nats").Spec.Template)); err != nil {
			t.Error(err)
		}
	})

	t.Run("the manager may do what its roles say", func(t *testing.T) {
		account := find[*corev1.ServiceAccount](t, installed, only[*rbacv1.RoleBinding](t, installed).Subjects[0].Name)
		const lease = "sequentialjob.batch.example.com"
		for _, attempt := range []struct {
			group, resource, subresource, name, verb, namespace string
			may                                                 bool
		}{
			{"batch.example.com", "sequentialjobs", "", "", "watch", "", true},
			{"batch.example.com", "sequentialjobs", "status", "", "patch", "default", true},
			{"batch.example.com", "sequentialjobs", "", "", "patch", "default", false},
			{"batch", "jobs", "", "", "create", "default", true},
			{"batch", "jobs", "status", "", "patch", "default", false},
			{"coordination.k8s.io", "leases", "", lease, "update", namespace, true},
			{"coordination.k8s.io", "leases", "", lease, "update", "default", false},
			{"coordination.k8s.io", "leases", "", "another", "update", namespace, false},
			{"", "pods", "", "", "list", "default", false},
			{"", "secrets", "", "", "get", namespace, false},
		} {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "system:serviceaccount:" + account.Namespace + ":" + account.Name,
				ResourceAttributes: &authorizationv1.ResourceAttributes{
					Group: attempt.group, Resource: attempt.resource, Subresource: attempt.subresource, Name: attempt.name,
					Verb: attempt.verb, Namespace: attempt.namespace,
				},
			}}
			if err := server.Create(ctx, review); err != nil {
				t.Fatal(err)
			}
			if review.Status.Allowed != attempt.may {
				t.Errorf("%+v: %t", attempt, review.Status.Allowed)
			}
		}
	})

	t.Run("samples and their pods are admitted where pods are restricted", func(t *testing.T) {
		restricted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name:   "restricted",
			Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
		}}
		if err := server.Create(ctx, restricted); err != nil {
			t.Fatal(err)
		}
		for name, sample := range samples(t) {
			sample.Namespace = restricted.Name
			if err := server.admit(sample); err != nil {
				t.Errorf("%s: %s", name, err)
			}
			for _, step := range sample.Spec.Steps {
				job := &batchv1.Job{
					ObjectMeta: metav1.ObjectMeta{Namespace: restricted.Name, Name: step.Name},
					Spec:       step.JobTemplate.Spec,
				}
				if err := server.admit(job); err != nil {
					t.Errorf("%s, step %s: %s", name, step.Name, err)
				}
				if err := server.admit(pod(restricted.Name, step.JobTemplate.Spec.Template)); err != nil {
					t.Errorf("%s, step %s: %s", name, step.Name, err)
				}
			}
		}
	})
}

type apiServer struct{ client.Client }

func startAPIServer(t *testing.T) apiServer {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Fatal("this test needs a real API server, and KUBEBUILDER_ASSETS doesn't say where its binaries are: run `make test`, which builds them and sets it")
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{"crd"}, ErrorIfCRDPathMissing: true}
	config, err := environment.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := environment.Stop(); err != nil {
			t.Error(err)
		}
	})
	server, err := client.New(config, client.Options{Scheme: newScheme(t)})
	if err != nil {
		t.Fatal(err)
	}
	return apiServer{server}
}

// admit asks the API server whether it would take an object, to the last field.
func (s apiServer) admit(object client.Object) error {
	copied := object.DeepCopyObject().(client.Object)
	return s.Create(context.Background(), copied, client.DryRunAll, client.FieldValidation("Strict"))
}

// pod makes a pod of a template, as a controller would.
func pod(namespace string, template corev1.PodTemplateSpec) *corev1.Pod {
	made := &corev1.Pod{ObjectMeta: *template.ObjectMeta.DeepCopy(), Spec: *template.Spec.DeepCopy()}
	made.Namespace, made.Name = namespace, "pod"
	return made
}
