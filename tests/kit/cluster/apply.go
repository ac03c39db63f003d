package cluster

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"

	"example.com/controller-course/tests/kit/repo"
)

// fieldManager is who owns the fields that are applied.
const fieldManager = "course"

// Apply applies YAML documents server-side, as administrator, in their order. Objects without a namespace go to
// "default" where they need one. After a CustomResourceDefinition it waits until its resource is served and can be
// watched.
func (c *Cluster) Apply(ctx context.Context, manifests []byte) error {
	return apply(ctx, c.config, manifests)
}

// ApplyFiles applies the manifests in files, and in the *.yaml files of folders, to any cluster, as Apply does.
func ApplyFiles(ctx context.Context, config *rest.Config, paths ...string) error {
	for _, path := range paths {
		files := []string{path}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			if files, err = repo.Glob(path, "*.yaml"); err != nil {
				return err
			}
		}
		for _, file := range files {
			manifests, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("read manifests: %w", err)
			}
			if err := apply(ctx, config, manifests); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

func apply(ctx context.Context, config *rest.Config, manifests []byte) error {
	applier, err := newApplier(config)
	if err != nil {
		return err
	}
	objects, err := Decode(manifests)
	if err != nil {
		return fmt.Errorf("read manifests: %w", err)
	}
	for _, object := range objects {
		if object.GetKind() == "Kustomization" {
			continue
		}
		if err := applier.apply(ctx, object); err != nil {
			return fmt.Errorf("apply %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// Decode reads YAML documents; empty ones are left out.
func Decode(manifests []byte) (objects []*unstructured.Unstructured, err error) {
	for documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifests))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		object := &unstructured.Unstructured{}
		if err := errors.Join(err, yaml.Unmarshal(document, &object.Object)); err != nil {
			return nil, err
		}
		if len(object.Object) > 0 {
			objects = append(objects, object)
		}
	}
}

// An applier applies objects of kinds that it discovers as needed.
type applier struct {
	discovery discovery.CachedDiscoveryInterface
	mapper    *restmapper.DeferredDiscoveryRESTMapper
	objects   dynamic.Interface
}

func newApplier(config *rest.Config) (*applier, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	cached := memory.NewMemCacheClient(client)
	return &applier{discovery: cached, mapper: restmapper.NewDeferredDiscoveryRESTMapper(cached), objects: objects}, nil
}

func (a *applier) apply(ctx context.Context, object *unstructured.Unstructured) error {
	gvk := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return err
	}
	resource := dynamic.ResourceInterface(a.objects.Resource(mapping.Resource))
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		resource = a.objects.Resource(mapping.Resource).Namespace(cmp.Or(object.GetNamespace(), "default"))
	}
	if _, err := resource.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: fieldManager, Force: true}); err != nil {
		return err
	}
	if gvk.Kind == "CustomResourceDefinition" {
		return a.waitUntilServed(ctx, object, resource)
	}
	return nil
}

// waitUntilServed waits until discovery lists every served version of a custom resource, which it does once the
// resource is established. It also waits until each can be listed as an informer lists it: the API server starts to
// fill its cache at the first such request, and asks clients to retry after a second until the cache is full.
func (a *applier) waitUntilServed(ctx context.Context, object *unstructured.Unstructured, crds dynamic.ResourceInterface) error {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
		return err
	}
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		err := poll(ctx, func(ctx context.Context) bool { return a.serves(ctx, crd, version.Name) })
		if err != nil {
			return fmt.Errorf("wait until version %s is served: %w", version.Name, err)
		}
	}
	a.mapper.Reset()
	return letAge(ctx, object.GetName(), crds)
}

// serves says whether the API server responds from its cache, and the version is in discovery.
func (a *applier) serves(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition, version string) bool {
	group, plural := crd.Spec.Group, crd.Spec.Names.Plural
	list := a.discovery.RESTClient().Get().AbsPath("/apis", group, version, plural).Param("resourceVersion", "0")
	if list.MaxRetries(0).Do(ctx).Error() != nil {
		return false
	}
	a.discovery.Invalidate()
	served, err := a.discovery.ServerResourcesForGroupVersion(group + "/" + version)
	return err == nil && slices.ContainsFunc(served.APIResources, func(r metav1.APIResource) bool { return r.Name == plural })
}

// letAge makes a CustomResourceDefinition look as if it had been established a while ago. While it is younger than two
// seconds the API server lets each creation of its objects wait as long, until its replicas know it too
// (https://github.com/kubernetes/kubernetes/blob/v1.36.0/staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go);
// here it has none.
func letAge(ctx context.Context, name string, crds dynamic.ResourceInterface) error {
	const age = time.Minute
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		object, err := crds.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
			return err
		}
		for i := range crd.Status.Conditions {
			if one := &crd.Status.Conditions[i]; one.Type == apiextensionsv1.Established {
				one.LastTransitionTime = metav1.NewTime(time.Now().Add(-age))
			}
		}
		if object.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(crd); err != nil {
			return err
		}
		_, err = crds.UpdateStatus(ctx, object, metav1.UpdateOptions{FieldManager: fieldManager})
		return err
	})
}
