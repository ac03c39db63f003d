// Package config_test checks what is installed: as rendered by kustomize, and as a real API server
// takes it.
package config_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

const namespace = "sequentialjob-system"

func TestReferences(t *testing.T) {
	for _, folder := range []string{"default", "store"} {
		t.Run(folder, func(t *testing.T) { checkReferences(t, render(t, folder)) })
	}
}

func checkReferences(t *testing.T, installed []client.Object) {
	t.Helper()
	manager := only[*appsv1.Deployment](t, installed)
	template := manager.Spec.Template

	for _, object := range installed {
		switch object := object.(type) {
		case *corev1.Namespace:
			if object.Name != namespace {
				t.Errorf("the namespace is %s, want %s", object.Name, namespace)
			}
		case *rbacv1.ClusterRoleBinding:
			find[*rbacv1.ClusterRole](t, installed, object.RoleRef.Name)
			checkSubjects(t, object, object.Subjects, template.Spec.ServiceAccountName)
		case *rbacv1.RoleBinding:
			find[*rbacv1.Role](t, installed, object.RoleRef.Name)
			checkSubjects(t, object, object.Subjects, template.Spec.ServiceAccountName)
		case *apiextensionsv1.CustomResourceDefinition, *rbacv1.ClusterRole: // belong to no namespace
		default:
			if object.GetNamespace() != namespace {
				t.Errorf("%s is in namespace %q, want %s", describe(object), object.GetNamespace(), namespace)
			}
		}
	}

	find[*corev1.ServiceAccount](t, installed, template.Spec.ServiceAccountName)
	if selector := manager.Spec.Selector; !labels.SelectorFromSet(selector.MatchLabels).Matches(labels.Set(template.Labels)) {
		t.Errorf("the Deployment selects %v, its pods have %v", selector.MatchLabels, template.Labels)
	}
	service := only[*corev1.Service](t, installed)
	if !labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(template.Labels)) {
		t.Errorf("the Service selects %v, the manager's pods have %v", service.Spec.Selector, template.Labels)
	}
	ports := map[string]int32{}
	for _, port := range template.Spec.Containers[0].Ports {
		ports[port.Name] = port.ContainerPort
	}
	container := template.Spec.Containers[0]
	for user, port := range map[string]string{
		"the Service":         service.Spec.Ports[0].TargetPort.StrVal,
		"the liveness probe":  container.LivenessProbe.HTTPGet.Port.StrVal,
		"the readiness probe": container.ReadinessProbe.HTTPGet.Port.StrVal,
	} {
		if ports[port] == 0 {
			t.Errorf("%s asks for port %q, the manager has %v", user, port, ports)
		}
	}
	if annotated, got := service.Annotations["prometheus.io/port"], fmt.Sprint(ports["metrics"]); annotated != got {
		t.Errorf("the annotation for Prometheus has port %s, the metrics are at %s", annotated, got)
	}
}

func checkSubjects(t *testing.T, binding client.Object, subjects []rbacv1.Subject, serviceAccount string) {
	t.Helper()
	want := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: serviceAccount}}
	if !reflect.DeepEqual(subjects, want) {
		t.Errorf("%s is for %v, want %v", describe(binding), subjects, want)
	}
}

// TestPermissions pins what the manager may do. What is added here has to be needed: the manager
// creates pods by way of Jobs in every namespace, and is worth attacking for more.
func TestPermissions(t *testing.T) {
	installed := render(t, "default")
	for _, object := range installed {
		var rules []rbacv1.PolicyRule
		switch role := object.(type) {
		case *rbacv1.ClusterRole:
			rules = role.Rules
		case *rbacv1.Role:
			rules = role.Rules
		default:
			continue
		}
		for _, permission := range permissions(rules) {
			if strings.Contains(permission, "*") {
				t.Errorf("%s grants %s: name what is needed", describe(object), permission)
			}
		}
	}

	everywhere := permissions(find[*rbacv1.ClusterRole](t, installed, "sequentialjob-manager-role").Rules)
	checkPermissions(t, "everywhere", everywhere,
		"batch jobs: create", "batch jobs: delete", "batch jobs: get", "batch jobs: list", "batch jobs: patch", "batch jobs: watch",
		"batch.example.com sequentialjobs: delete", "batch.example.com sequentialjobs: get",
		"batch.example.com sequentialjobs: list", "batch.example.com sequentialjobs: watch",
		"batch.example.com sequentialjobs/finalizers: update",
		"batch.example.com sequentialjobs/status: patch",
		"batch.example.com workspaces: create", "batch.example.com workspaces: get",
		"batch.example.com workspaces: list", "batch.example.com workspaces: watch",
		"batch.example.com workspaces/status: patch",
		"events.k8s.io events: create", "events.k8s.io events: patch",
	)
	inside := permissions(find[*rbacv1.Role](t, installed, "sequentialjob-manager-role").Rules)
	checkPermissions(t, "in its namespace", inside,
		" events: create", " events: patch",
		"coordination.k8s.io leases: create", "coordination.k8s.io leases[sequentialjob.batch.example.com]: get", "coordination.k8s.io leases[sequentialjob.batch.example.com]: update",
	)
}

// TestPermissionsForWorkspaces pins what the manager may do besides if there is an object store, and only then.
func TestPermissionsForWorkspaces(t *testing.T) {
	installed := render(t, "store")
	granted := permissions(find[*rbacv1.ClusterRole](t, installed, "sequentialjob-workspace-role").Rules)
	checkPermissions(t, "everywhere, with an object store,", granted,
		" namespaces[kube-system]: get",
		" secrets: create", " secrets: get", " secrets: list", " secrets: patch", " secrets: watch",
		"batch.example.com workspaces: patch",
		"batch.example.com workspaces/finalizers: update",
	)
	manager := only[*appsv1.Deployment](t, installed).Spec.Template.Spec.Containers[0]
	if !slices.ContainsFunc(manager.Env, func(variable corev1.EnvVar) bool { return variable.Name == "NATS_URL" && variable.Value != "" }) {
		t.Errorf("the manager is not told where the object store is: %v", manager.Env)
	}
	goMemoryLimit(t, manager) // what the patch adds replaces nothing
}

func TestTheSampleForTheStoreIsOneThatTheAPIHas(t *testing.T) {
	sample := &v1alpha1.SequentialJob{}
	if err := yaml.UnmarshalStrict(read(t, "store/sample.yaml"), sample); err != nil {
		t.Fatal(err)
	}
	if sample.Spec.Workspace == nil {
		t.Error("it uses no Workspace")
	}
}

// permissions lists what rules grant, one by one.
func permissions(rules []rbacv1.PolicyRule) []string {
	var granted []string
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				if len(rule.ResourceNames) > 0 {
					resource += fmt.Sprint(rule.ResourceNames)
				}
				for _, verb := range rule.Verbs {
					granted = append(granted, group+" "+resource+": "+verb)
				}
			}
		}
		for _, url := range rule.NonResourceURLs {
			granted = append(granted, url+": "+fmt.Sprint(rule.Verbs))
		}
	}
	slices.Sort(granted)
	return granted
}

func checkPermissions(t *testing.T, where string, got []string, want ...string) {
	t.Helper()
	for _, permission := range got {
		if !slices.Contains(want, permission) {
			t.Errorf("the manager may %s %q, which isn't known to be needed", where, permission)
		}
	}
	for _, permission := range want {
		if !slices.Contains(got, permission) {
			t.Errorf("the manager needs %s %q, which it isn't granted", where, permission)
		}
	}
}

// TestUserRoles checks that a user who may view, edit or administer a namespace may do so with
// SequentialJobs, and that only the manager writes their status.
func TestUserRoles(t *testing.T) {
	installed := render(t, "default")
	for name, expected := range map[string]struct{ aggregatedTo, verbs []string }{
		"sequentialjob-viewer-role": {[]string{"view"}, []string{"get", "list", "watch"}},
		"sequentialjob-editor-role": {[]string{"edit", "admin"}, []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}},
	} {
		role := find[*rbacv1.ClusterRole](t, installed, name)
		var want []string
		for _, resource := range []string{"sequentialjobs", "workspaces"} {
			for _, verb := range expected.verbs {
				want = append(want, "batch.example.com "+resource+": "+verb)
			}
			want = append(want, "batch.example.com "+resource+"/status: get")
		}
		slices.Sort(want)
		if got := permissions(role.Rules); !slices.Equal(got, want) {
			t.Errorf("%s grants %q, want %q", name, got, want)
		}
		for _, aggregate := range []string{"view", "edit", "admin"} {
			got := role.Labels["rbac.authorization.k8s.io/aggregate-to-"+aggregate] == "true"
			if want := slices.Contains(expected.aggregatedTo, aggregate); got != want {
				t.Errorf("%s is aggregated to %s: %t, want %t", name, aggregate, got, want)
			}
		}
	}
}

// TestManager checks what neither the API server nor another test would notice.
func TestManager(t *testing.T) {
	manager := only[*appsv1.Deployment](t, render(t, "default")).Spec.Template.Spec
	container := manager.Containers[0]

	if !slices.Contains(container.Args, "--leader-elect") {
		t.Errorf("the manager doesn't elect a leader, but there are two of it during a rollout: %q", container.Args)
	}
	if readOnly := container.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
		t.Error("the manager may write to its root file system")
	}

	limit := container.Resources.Limits.Memory().Value()
	if request := container.Resources.Requests.Memory().Value(); limit == 0 || request == 0 || request > limit {
		t.Errorf("memory: request %d, limit %d; want both", request, limit)
	}
	if limited := container.Resources.Limits.Cpu(); !limited.IsZero() {
		t.Errorf("CPU is limited to %s, by which the manager may fail to renew its lease", limited)
	}
	if soft := goMemoryLimit(t, container); soft < limit*8/10 || soft > limit*95/100 {
		t.Errorf("GOMEMLIMIT is %d, want about nine tenths of the limit, %d", soft, limit)
	}
}

// goMemoryLimit returns what Go makes of the container's GOMEMLIMIT.
func goMemoryLimit(t *testing.T, container corev1.Container) int64 {
	t.Helper()
	for _, variable := range container.Env {
		var mebibytes int64
		if variable.Name != "GOMEMLIMIT" {
			continue
		}
		if _, err := fmt.Sscanf(variable.Value, "%dMiB", &mebibytes); err != nil {
			t.Fatalf("GOMEMLIMIT=%s: %s", variable.Value, err)
		}
		return mebibytes << 20
	}
	return math.MaxInt64
}

// TestPlainApply checks that kubectl apply, without --server-side, takes every object: it also writes
// the object into an annotation.
func TestPlainApply(t *testing.T) {
	const most = 256 << 10 // what all annotations of an object may hold
	for _, document := range build(t, "default") {
		if len(document) > most*9/10 {
			t.Errorf("%.100s... has %d bytes, and %d is the limit", document, len(document), most)
		}
	}
}

func TestSamplesAreListed(t *testing.T) {
	var kustomization struct{ Resources []string }
	if err := yaml.Unmarshal(read(t, "samples/kustomization.yaml"), &kustomization); err != nil {
		t.Fatal(err)
	}
	var files []string
	for name := range samples(t) {
		files = append(files, name+".yaml")
	}
	slices.Sort(files)
	slices.Sort(kustomization.Resources)
	if !slices.Equal(files, kustomization.Resources) {
		t.Errorf("kustomization.yaml lists %q, there are %q", kustomization.Resources, files)
	}
}

// samples reads the samples, none of which may have a field that the API doesn't, by name.
func samples(t *testing.T) map[string]*v1alpha1.SequentialJob {
	t.Helper()
	files, err := filepath.Glob("samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*v1alpha1.SequentialJob{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if name == "kustomization" {
			continue
		}
		sample := &v1alpha1.SequentialJob{}
		if err := yaml.UnmarshalStrict(read(t, file), sample); err != nil {
			t.Errorf("%s: %s", file, err)
			continue
		}
		if want := v1alpha1.GroupVersion.WithKind(v1alpha1.Kind); sample.GroupVersionKind() != want || sample.Name != name || sample.Namespace != "" {
			t.Errorf("%s is %s %q in namespace %q, want %s %q in whichever", file, sample.GroupVersionKind(), sample.Name, sample.Namespace, want, name)
		}
		found[name] = sample
	}
	if len(found) == 0 {
		t.Fatal("there are no samples")
	}
	return found
}

// render returns what kubectl apply -k would apply. No object may have a field that its kind doesn't.
func render(t *testing.T, dir string) []client.Object {
	t.Helper()
	decoder := serializer.NewCodecFactory(newScheme(t), serializer.EnableStrict).UniversalDeserializer()
	var objects []client.Object
	for _, document := range build(t, dir) {
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%.200s: %s", document, err)
		}
		objects = append(objects, object.(client.Object))
	}
	return objects
}

// build runs kustomize and returns the objects as JSON.
func build(t *testing.T, dir string) [][]byte {
	t.Helper()
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionLegacy // as kubectl does: namespaces first
	resources, err := krusty.MakeKustomizer(options).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var documents [][]byte
	for _, resource := range resources.Resources() {
		document, err := resource.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document)
	}
	return documents
}

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

// find returns the object of a type and name.
func find[T client.Object](t *testing.T, objects []client.Object, name string) T {
	t.Helper()
	for _, object := range objects {
		if found, ok := object.(T); ok && found.GetName() == name {
			return found
		}
	}
	var none T
	t.Fatalf("there is no %T named %q", none, name)
	return none
}

// only returns the one object of a type.
func only[T client.Object](t *testing.T, objects []client.Object) T {
	t.Helper()
	var found []T
	for _, object := range objects {
		if object, ok := object.(T); ok {
			found = append(found, object)
		}
	}
	if len(found) != 1 {
		t.Fatalf("there are %d of %T, want one", len(found), *new(T))
	}
	return found[0]
}

func describe(object client.Object) string {
	return object.GetObjectKind().GroupVersionKind().Kind + " " + object.GetName()
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
