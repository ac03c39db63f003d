package crds

import (
	"context"
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"example.com/controller-course/tests/kit/cluster"
)

// API is a kind that an API server serves, made from the judged types.
type API struct {
	*Types
	Discovery discovery.DiscoveryInterface
	CRDs      dynamic.ResourceInterface
	Objects   dynamic.ResourceInterface // of the kind, in one namespace
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// namespace is where objects are created, unless the kind is cluster-scoped.
const namespace = metav1.NamespaceDefault

// Serve creates the CRD on a control plane. It returns an *UnjudgeableError if the API server refuses the CRD.
func Serve(ctx context.Context, c *cluster.Cluster, types *Types) (*API, error) {
	config := c.Config()
	config.WarningHandler = rest.NoWarnings{}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	served, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	api := &API{Types: types, Discovery: served, CRDs: objects.Resource(definitions)}
	crd := types.crd
	resource := objects.Resource(schema.GroupVersionResource{
		Group: crd.Spec.Group, Version: crd.Spec.Versions[0].Name, Resource: crd.Spec.Names.Plural,
	})
	api.Objects = resource
	if crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		api.Objects = resource.Namespace(namespace)
	}
	err = c.Apply(ctx, types.manifests)
	if refusal, is := RefusalOf(err); is {
		return nil, refused(types.Source, refusal)
	}
	if err != nil {
		return nil, fmt.Errorf("serve the CRD of %s: %w", types.Source, err)
	}
	return api, nil
}

// Remove removes all CRDs from a control plane, with their objects, and returns when they are gone.
func Remove(ctx context.Context, c *cluster.Cluster) error {
	client, err := dynamic.NewForConfig(c.Config())
	if err != nil {
		return err
	}
	all := client.Resource(definitions)
	list, err := all.List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("remove the CRDs: %w", err)
	}
	// One by one, because deleting the collection leaves the objects for the next CRD of that name.
	for _, crd := range list.Items {
		if err := all.Delete(ctx, crd.GetName(), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("remove the CRD %s: %w", crd.GetName(), err)
		}
	}
	return wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		left, err := all.List(ctx, metav1.ListOptions{})
		return err == nil && len(left.Items) == 0, err
	})
}

// GroupVersion is the group and version that the types have given themselves.
func (a *API) GroupVersion() string { return a.crd.Spec.Group + "/" + a.crd.Spec.Versions[0].Name }

// hasStatusSubresource says whether the status is written separately.
func (a *API) hasStatusSubresource() bool {
	sub := a.crd.Spec.Versions[0].Subresources
	return sub != nil && sub.Status != nil
}

// path is the path of an object at the API server.
func (a *API) path(name string) string {
	in := ""
	if a.crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		in = "/namespaces/" + namespace
	}
	return "/apis/" + a.GroupVersion() + in + "/" + a.crd.Spec.Names.Plural + "/" + name
}
